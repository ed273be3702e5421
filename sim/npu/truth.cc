#include "sim/npu/truth.h"

#include <utility>

namespace npuprof::sim {
namespace {

constexpr std::array<std::string_view, kTruthCounts> kCountNames = {
    "device_tasks", "kernels", "mix_kernels",   "aicpu_kernels",    "copies",
    "fills",        "events",  "collectives",   "collective_tasks", "collective_copies",
    "flips",        "marks",   "graph_replays", "dropped_records"};

std::string_view link_name(Link link) {
  switch (link) {
    case Link::kOnChip:
      return "ON_CHIP";
    case Link::kHccs:
      return "HCCS";
    case Link::kPcie:
      return "PCIE";
    case Link::kRdma:
      return "RDMA";
    case Link::kSio:
      return "SIO";
  }
  return "UNKNOWN";
}

void write_time(JsonWriter& json, const TimeSum& time) {
  json.member("count", time.count)
      .member("total_ns", time.total_ns)
      .member("min_ns", time.min_ns)
      .member("max_ns", time.max_ns);
}

}  // namespace

std::uint32_t TruthCounter::kernel_type(std::string_view type, std::string_view core) {
  const std::string key = std::string(type) + '\n' + std::string(core);
  const auto number = static_cast<std::uint32_t>(kernel_types_.size());
  const auto [entry, is_new] = kernel_type_numbers_.try_emplace(key, number);
  if (is_new) kernel_types_.push_back({std::string(type), std::string(core), {}});
  return entry->second;
}

std::uint32_t TruthCounter::module(std::string_view path) {
  const auto number = static_cast<std::uint32_t>(modules_.size());
  const auto [entry, is_new] = module_numbers_.try_emplace(std::string(path), number);
  if (is_new) modules_.push_back({std::string(path), {}, {}});
  return entry->second;
}

void TruthCounter::begin_step(std::uint64_t id, std::int64_t begin_wall_ns) {
  if (in_step_) end_step(begin_wall_ns);
  in_step_ = true;
  open_step_.id = id;
  open_step_.begin_wall_ns = begin_wall_ns;
  open_step_.compute.clear();
  open_step_.communication.clear();
}

void TruthCounter::end_step(std::int64_t end_wall_ns) {
  if (!in_step_) return;
  in_step_ = false;
  Step step{.id = open_step_.id,
            .begin_wall_ns = open_step_.begin_wall_ns,
            .end_wall_ns = end_wall_ns,
            .kernels = open_step_.compute.size()};
  for (const Interval& kernel : open_step_.compute) step.kernel_ns += kernel.end - kernel.begin;
  const auto compute = merge_intervals(std::exchange(open_step_.compute, {}));
  const auto communication = merge_intervals(std::exchange(open_step_.communication, {}));
  step.compute_ns = total_length(compute);
  step.communication_ns = total_length(communication);
  step.overlapped_ns = overlap_length(compute, communication);
  steps_.push_back(step);
}

void TruthCounter::add_collective(std::string_view name, std::string_view group, Interval wall,
                                  const CollectiveTruth& truth) {
  count(TruthCount::kCollectives);
  CollectiveSum& sum = collectives_[{std::string(name), std::string(group)}];
  sum.time.add(wall.end - wall.begin);
  sum.sum.elapse_ns += truth.elapse_ns;
  sum.sum.transit_ns += truth.transit_ns;
  sum.sum.wait_ns += truth.wait_ns;
  sum.sum.synchronization_ns += truth.synchronization_ns;
  if (in_step_) open_step_.communication.push_back(wall);
}

void TruthCounter::add_transfer(std::uint32_t to_rank, Link link, std::uint64_t bytes,
                                std::int64_t duration_ns) {
  TransferSum& sum = transfers_[{to_rank, link}];
  sum.time.add(duration_ns);
  sum.bytes += bytes;
}

void TruthCounter::add_copy(std::uint16_t direction, std::uint64_t bytes,
                            std::int64_t duration_ns) {
  count(TruthCount::kCopies);
  TransferSum& sum = copies_[direction];
  sum.time.add(duration_ns);
  sum.bytes += bytes;
}

void TruthCounter::write_steps(JsonWriter& json) const {
  json.key("steps").begin_array();
  for (const Step& step : steps_) {
    json.begin_object()
        .member("id", step.id)
        .member("begin_wall_ns", step.begin_wall_ns)
        .member("end_wall_ns", step.end_wall_ns)
        .member("kernels", step.kernels)
        .member("kernel_ns", step.kernel_ns)
        .member("compute_ns", step.compute_ns)
        .member("communication_ns", step.communication_ns)
        .member("overlapped_ns", step.overlapped_ns)
        .end_object();
  }
  json.end_array();
}

void TruthCounter::write_communication(JsonWriter& json) const {
  json.key("collectives").begin_array();
  for (const auto& [key, sum] : collectives_) {
    json.begin_object().member("name", key.first).member("group", key.second);
    write_time(json, sum.time);
    json.member("elapse_ns", sum.sum.elapse_ns)
        .member("transit_ns", sum.sum.transit_ns)
        .member("wait_ns", sum.sum.wait_ns)
        .member("synchronization_ns", sum.sum.synchronization_ns)
        .end_object();
  }
  json.end_array();
  json.key("transfers").begin_array();
  for (const auto& [key, sum] : transfers_) {
    json.begin_object().member("to_rank", key.first).member("link", link_name(key.second));
    json.member("bytes", sum.bytes);
    write_time(json, sum.time);
    json.end_object();
  }
  json.end_array();
}

void TruthCounter::write_graph_marks(JsonWriter& json) const {
  json.key("graph_marks").begin_array();
  for (const GraphMarkTruth& mark : graph_marks_) {
    json.begin_object().member("model", mark.model).member("step", mark.step);
    json.member("tag", mark.tag).member("wall_ns", mark.wall_ns).end_object();
  }
  json.end_array();
}

void TruthCounter::write_json(JsonWriter& json) const {
  json.begin_object();
  json.key("counts").begin_object();
  for (std::size_t i = 0; i < kTruthCounts; ++i) json.member(kCountNames[i], counts_[i]);
  json.end_object();
  json.member("kernel_ns", kernels_.total_ns);
  write_steps(json);
  json.key("kernel_types").begin_array();
  for (const NamedTime& type : kernel_types_) {
    if (type.time.count == 0) continue;
    json.begin_object().member("type", type.name).member("core", type.core);
    write_time(json, type.time);
    json.end_object();
  }
  json.end_array();
  json.key("modules").begin_array();
  for (const NamedTime& module : modules_) {
    json.begin_object().member("module", module.name);
    write_time(json, module.time);
    json.end_object();
  }
  json.end_array();
  write_communication(json);
  json.key("copies").begin_array();
  for (const auto& [direction, sum] : copies_) {
    json.begin_object().member("direction", direction).member("bytes", sum.bytes);
    write_time(json, sum.time);
    json.end_object();
  }
  json.end_array();
  if (!graph_marks_.empty()) write_graph_marks(json);
  json.end_object();
}

}  // namespace npuprof::sim
