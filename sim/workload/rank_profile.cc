#include "sim/workload/rank_profile.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "format/host/names.h"
#include "sim/mindspore/mindspore_info.h"
#include "sim/torch/program_info.h"
#include "sim/workload/simulated_ranks.h"

namespace npuprof::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorkerName = "npusim";

constexpr std::string_view kSlicePart = ".slice_";
constexpr std::string_view kDone = ".done";

}  // namespace

RankProfile::RankProfile(const JobOptions& options, const ParallelLayout& layout,
                         std::uint32_t rank, std::uint32_t process_id, const SimClock& clock)
    : options_(options), layout_(layout), rank_(rank), process_id_(process_id), clock_(clock) {
  const std::int64_t begin_us = clock.anchors().wall_begin_us;
  directory_ =
      options.output / (is_mindspore() ? ascend_ms_name(kWorkerName, process_id, begin_us)
                                       : ascend_pt_name(kWorkerName, process_id, begin_us));
}

Result<std::unique_ptr<RankProfile>> RankProfile::create(const JobOptions& options,
                                                         const ParallelLayout& layout,
                                                         std::uint32_t rank,
                                                         std::uint32_t process_id,
                                                         const SimClock& clock) {
  std::unique_ptr<RankProfile> profile(new RankProfile(options, layout, rank, process_id, clock));
  NPUPROF_RETURN_IF_ERROR(profile->open());
  return profile;
}

Status RankProfile::open() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);  // Of an earlier run with the same seed.
  NPUPROF_RETURN_IF_ERROR(make_directories(directory_));
  FrameworkOptions framework = options_.framework;
  framework.process_id = process_id_;
  NPUPROF_ASSIGN_OR_RETURN(framework_, FrameworkWriter::create(directory_, framework, clock_));

  const RankCollection::Rank rank{
      .number = rank_, .device = rank_ % kDevicesOfNode, .process_id = process_id_};
  NPUPROF_ASSIGN_OR_RETURN(collection_, RankCollection::create(options_, directory_, rank, clock_));
  return ok_status();
}

void RankProfile::step_done(Npu& npu, const Worker& worker) {
  constexpr std::uint64_t kCollectiveBuffers = 400u << 20;
  npu.samples().set_memory(static_cast<std::uint64_t>(worker.memory_totals().reserved_bytes),
                           options_.ranks > 1 ? kCollectiveBuffers : 0);
  collection_->sample(npu, worker.now_ns());
}

Status RankProfile::write_framework_info(std::int64_t end_ns) {
  ProgramInfo info{.framework = options_.framework,
                   .collection = options_.collection,
                   .schedule =
                       format::framework::ProfilerInfo::Schedule{
                           .wait = 1, .active = options_.steps, .warmup = 1, .repeat = 1},
                   .seed = options_.seed,
                   .rank = rank_,
                   .start_ns = clock_.first_event_ns(),
                   .end_ns = end_ns};
  const auto add = [&](const ProcessGroup& group) {
    if (group.ranks.size() < 2) return;
    const auto place = std::find(group.ranks.begin(), group.ranks.end(), rank_);
    info.groups.push_back({.communication_domain = group.communicator,
                           .group_name = group.name,
                           .group_rank = place - group.ranks.begin(),
                           .global_ranks = {group.ranks.begin(), group.ranks.end()}});
  };
  add(layout_.tensor_group(rank_));
  add(layout_.data_group(rank_));
  add(layout_.pipeline_group(rank_));
  add(layout_.expert_group(rank_));
  if (is_mindspore()) return write_mindspore_info(directory_, info, options_.data_process);
  return write_program_info(directory_, info, clock_);
}

// All files of records, in a fixed order; not the dictionaries, which are text.
std::vector<fs::path> RankProfile::record_files() const {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory_, error)) {
    const std::string name = entry.path().filename().native();
    const bool is_slice = name.find(kSlicePart) != std::string::npos && !name.ends_with(kDone);
    const bool is_text = name.find("_dic.") != std::string::npos;
    if ((is_slice && !is_text) || name.starts_with("torch.") || name.starts_with("mindspore.")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Cuts the last slice of each kind inside a record, as a full disk does.
Status RankProfile::truncate_tails() {
  std::error_code error;
  for (const fs::path& file : record_files()) {
    const std::uintmax_t size = fs::file_size(file, error);
    if (error || size < 256) continue;
    fs::resize_file(file, size - 13, error);
    if (error) return Error::from_errno("cannot shorten", file.native(), error.value());
    truncated_.push_back(fs::relative(file, directory_, error).native());
  }
  return ok_status();
}

Status RankProfile::tear_tails() {
  // Shorter than any record; what matters is that it begins like one.
  constexpr std::size_t kTornBytes = 16;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(directory_, error)) {
    const fs::path slice = fs::path(entry.path()).replace_extension();
    const bool is_slice_mark = entry.path().native().ends_with(kDone) &&
                               slice.native().find(kSlicePart) != std::string::npos;
    if (!is_slice_mark || fs::file_size(slice, error) >= format::host::kSliceBytes) continue;
    fs::remove(entry.path(), error);
  }
  for (const fs::path& file : record_files()) {
    if (fs::exists(file.native() + std::string(kDone))) continue;
    NPUPROF_ASSIGN_OR_RETURN(std::string content, read_file(file));
    if (content.size() < 2 * kTornBytes) continue;
    content.append(content, 0, kTornBytes);
    NPUPROF_RETURN_IF_ERROR(write_file(file, content));
    truncated_.push_back(fs::relative(file, directory_, error).native());
  }
  return ok_status();
}

Status RankProfile::finish(Npu& npu, std::int64_t end_ns, bool killed) {
  const std::int64_t stop_ns =
      killed ? end_ns : std::max(end_ns, npu.streams().latest_free_ns()) + 5'000'000;
  npu.detach(stop_ns);
  NPUPROF_RETURN_IF_ERROR(framework_->close());
  if (is_mindspore()) {
    const MindSporeOptions mindspore{.rank = rank_,
                                     .process_id = process_id_,
                                     .record_shapes = options_.framework.record_shapes,
                                     .data_process = options_.data_process};
    NPUPROF_ASSIGN_OR_RETURN(mindspore_counts_, translate_framework(directory_, mindspore, clock_));
  }
  NPUPROF_RETURN_IF_ERROR(collection_->close());
  if (killed) {
    killed_wall_ns_ = clock_.wall_ns(end_ns);
    NPUPROF_RETURN_IF_ERROR(tear_tails());
  } else {
    NPUPROF_RETURN_IF_ERROR(collection_->finish(stop_ns));
    NPUPROF_RETURN_IF_ERROR(write_framework_info(stop_ns));
  }
  if (options_.faults.truncate) NPUPROF_RETURN_IF_ERROR(truncate_tails());
  return ok_status();
}

void RankProfile::write_manifest(Npu& npu, JsonWriter& json) const {
  const FrameworkCounts& counts = framework_->counts();
  json.begin_object().member("rank", rank_).member("path", directory_.filename().native());
  json.member("device", rank_ % kDevicesOfNode).member("pid", process_id_);
  json.member("killed_wall_ns", killed_wall_ns_);
  json.key("framework_records").begin_object();
  json.member("ops", counts.ops).member("marks", counts.marks).member("memory", counts.memory);
  json.member("python_calls", counts.python_calls).member("python_hashes", counts.python_hashes);
  json.member("parameters", counts.parameters)
      .member("collections", counts.collections)
      .end_object();
  if (is_mindspore()) write_mindspore_counts(mindspore_counts_, json);
  json.key("truncated_files").begin_array();
  for (const std::string& file : truncated_) json.value(file);
  json.end_array();
  json.key("truth");
  npu.truth().write_json(json);
  json.end_object();
}

}  // namespace npuprof::sim
