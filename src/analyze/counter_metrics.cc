#include "analyze/counter_metrics.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace npuprof::analyze {
namespace {

using format::device::ChipId;
using format::device::MetricKind;
using format::device::PmuEvaluator;

constexpr double kNoMetric = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMaxMetrics = 32;  // More than any group has.

PmuUnit unit_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::kPipeRatio:
    case MetricKind::kRatio:
    case MetricKind::kQuotient:
      return PmuUnit::kRatio;
    case MetricKind::kCount:
      return PmuUnit::kCount;
    case MetricKind::kBandwidth:
      return PmuUnit::kGigabytesPerSecond;
    case MetricKind::kKilobytes:
      return PmuUnit::kKilobytes;
  }
  return PmuUnit::kCount;
}

std::string_view suffix_of(PmuUnit unit) {
  switch (unit) {
    case PmuUnit::kMicroseconds:
      return "(us)";
    case PmuUnit::kGigabytesPerSecond:
      return "(GB/s)";
    case PmuUnit::kKilobytes:
      return "(KB)";
    case PmuUnit::kPercent:
      return "(%)";
    case PmuUnit::kRatio:
    case PmuUnit::kCount:
      return "";
  }
  return "";
}

// A cube core has no vector unit and no unified buffer of its own.
bool cube_core_lacks(std::string_view metric) {
  constexpr std::string_view kLacking[] = {
      "ub_read_bw",         "ub_write_bw", "ub_read_bw_mte", "ub_write_bw_mte", "ub_read_bw_vector",
      "ub_write_bw_vector", "l0c_read_bw", "l0c_write_bw",   "vector_fops"};
  return metric.starts_with("vec_") ||
         std::find(std::begin(kLacking), std::end(kLacking), metric) != std::end(kLacking);
}

// A vector core has no cube unit and none of the buffers that feed it.
bool vector_core_lacks(std::string_view metric) {
  for (const std::string_view prefix : {"mac_", "mte1_", "fixpipe_", "l1_", "l0a_", "l0b_"}) {
    if (metric.starts_with(prefix)) return true;
  }
  return metric.ends_with("_cube") || metric == "cube_fops";
}

// Names without a prefix are of chips that do not tell cube from vector cores.
bool core_lacks(std::string_view prefix, std::string_view metric) {
  if (prefix == "aic_") return cube_core_lacks(metric);
  return prefix == "aiv_" && vector_core_lacks(metric);
}

std::string_view core_prefix(std::string_view name) {
  return name.starts_with("aic_") || name.starts_with("aiv_") ? name.substr(0, 4) : "";
}

PmuUnit unit_by_name(std::string_view name) {
  if (name.ends_with("_time")) return PmuUnit::kMicroseconds;
  if (name.ends_with("_ratio") || name.ends_with("_rate")) return PmuUnit::kRatio;
  if (name.ends_with("_datas")) return PmuUnit::kKilobytes;
  return name.find("_bw") != std::string_view::npos ? PmuUnit::kGigabytesPerSecond
                                                    : PmuUnit::kCount;
}

constexpr std::string_view kMemoryBound = "memory_bound";
constexpr std::string_view kCubeUtilization = "cube_utilization";

double divide(double dividend, double divisor) { return divisor == 0 ? 0 : dividend / divisor; }

}  // namespace

PmuColumn describe_metric(std::string_view name) {
  std::string text(name);
  if (name == kMemoryBound) return {text, text, PmuUnit::kRatio, true, false};
  if (name == kCubeUtilization) return {text, text + "(%)", PmuUnit::kPercent, true, false};
  const std::string_view prefix = core_prefix(name);
  const std::string_view metric = name.substr(prefix.size());
  const PmuUnit unit = unit_by_name(name);
  std::string header = text;
  if (metric == "total_time") header = prefix == "aiv_" ? "aiv_time" : "aicore_time";
  header += suffix_of(unit);
  return {std::move(text), std::move(header), unit, !core_lacks(prefix, metric), true};
}

PmuColumns::PmuColumns(const trace::DeviceInfo& device) : nominal_mhz_(device.aic_mhz) {
  const format::device::Chip* chip = format::device::find_chip(device.chip);
  if (chip == nullptr) return;
  chip_ = chip->id;
  separate_cores_ = format::device::has_separate_cores(chip_);
  cube_.core_count = device.ai_core_count;
  vector_.core_count = device.vector_core_count;
  add_side(cube_, separate_cores_ ? "aic_" : "", device.aic_metrics, device.aic_events);
  if (separate_cores_) {
    add_side(vector_, "aiv_", device.aiv_metrics, device.aiv_events);
    mac_ratio_ = find_column("aic_mac_ratio");
  } else {
    mac_ratio_ = find_column("mac_ratio");
    const std::string kind = mac_ratio_ == kNoColumn ? "_exe_ratio" : "_ratio";
    bounding_ratios_ = {find_column("mac" + kind), find_column("vec" + kind)};
    mte2_ratio_ = find_column("mte2" + kind);
    if (bounding_ratios_[0] != kNoColumn && bounding_ratios_[1] != kNoColumn &&
        mte2_ratio_ != kNoColumn) {
      memory_bound_ = columns_.size();
      columns_.push_back(describe_metric(kMemoryBound));
    }
  }
  if (mac_ratio_ != kNoColumn) {
    cube_utilization_ = columns_.size();
    columns_.push_back(describe_metric(kCubeUtilization));
  }
}

void PmuColumns::add_side(Side& side, const std::string& prefix, const std::string& group,
                          std::span<const std::uint32_t> events) {
  side.first_column = columns_.size();
  const auto known_group = format::device::find_pmu_group(group);
  if (!known_group) return;
  std::vector<std::uint16_t> list;
  for (const std::uint32_t event : events) list.push_back(static_cast<std::uint16_t>(event));
  PmuEvaluator evaluator(*known_group, chip_, list);
  if (evaluator.columns().empty() || evaluator.columns().size() > kMaxMetrics) return;
  columns_.push_back({prefix + "total_time", prefix == "aiv_" ? "aiv_time(us)" : "aicore_time(us)",
                      PmuUnit::kMicroseconds, true, true});
  columns_.push_back(
      {prefix + "total_cycles", prefix + "total_cycles", PmuUnit::kCount, true, true});
  for (const PmuEvaluator::Column& column : evaluator.columns()) {
    if (column.kind == MetricKind::kPipeRatio) {
      add_metric(prefix, column.name + "_time", PmuUnit::kMicroseconds);
      add_metric(prefix, column.name + "_ratio", PmuUnit::kRatio);
    } else {
      add_metric(prefix, column.name, unit_of(column.kind));
    }
  }
  side.evaluator = std::move(evaluator);
}

void PmuColumns::add_metric(const std::string& prefix, std::string_view metric, PmuUnit unit) {
  const bool lacking = core_lacks(prefix, metric);
  std::string name = prefix;
  name += metric;
  std::string header = name;
  header += suffix_of(unit);
  columns_.push_back({std::move(name), std::move(header), unit, !lacking, true});
}

std::size_t PmuColumns::find_column(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  return kNoColumn;
}

void PmuColumns::compute_side(const Side& side, const trace::PmuRecords& pmu, std::uint32_t row,
                              std::uint32_t blocks, double mhz, std::span<double> values) const {
  if (!side.evaluator) return;
  // Chips 15 and 16 stamp the time the cores took; elsewhere it follows from the cycles.
  const double total_us =
      format::device::is_v6(chip_)
          ? static_cast<double>(pmu.end_ns[row] - pmu.start_ns[row]) / 1000
          : format::device::total_time_us(pmu.cycles[row], mhz, blocks, side.core_count);
  std::array<format::U64, trace::kPmuCounters> counters;
  std::copy(pmu.counters[row].begin(), pmu.counters[row].end(), counters.begin());
  std::array<double, kMaxMetrics> metrics;
  side.evaluator->evaluate(counters, pmu.cycles[row], nominal_mhz_, metrics);
  std::size_t column = side.first_column;
  values[column++] = total_us;
  values[column++] = static_cast<double>(pmu.cycles[row]);
  const auto kinds = side.evaluator->columns();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].kind == MetricKind::kPipeRatio) values[column++] = total_us * metrics[i];
    values[column++] = metrics[i];
  }
}

void PmuColumns::compute_derived(std::int64_t duration_ns, std::span<double> values) const {
  if (memory_bound_ != kNoColumn) {
    values[memory_bound_] = divide(
        values[mte2_ratio_], std::max(values[bounding_ratios_[0]], values[bounding_ratios_[1]]));
  }
  if (cube_utilization_ != kNoColumn) {
    const double possible_cycles =
        nominal_mhz_ * cube_.core_count * static_cast<double>(duration_ns) / 1000;
    values[cube_utilization_] = divide(values[cube_.first_column + 1], possible_cycles) * 100;
  }
}

void PmuColumns::compute(const trace::PmuRecords& pmu, const KernelCounters& kernel,
                         std::span<double> values) const {
  values = values.first(columns_.size());
  if (kernel.main == trace::kNone) {
    std::fill(values.begin(), values.end(), kNoMetric);
    return;
  }
  std::fill(values.begin(), values.end(), 0.0);
  const auto core = static_cast<trace::PmuCore>(pmu.core[kernel.main]);
  const bool vector_leads =
      separate_cores_ && (core == trace::PmuCore::kAiv || core == trace::PmuCore::kMixAiv);
  const Side& main = vector_leads ? vector_ : cube_;
  const double mhz = pmu.mhz[kernel.main];
  compute_side(main, pmu, kernel.main, kernel.block_num, mhz, values);
  if (kernel.slave != trace::kNone && separate_cores_) {
    std::uint32_t blocks = kernel.mix_block_num;
    // Should the device have counted more blocks than the host announced, average over those.
    if (blocks != 0) blocks = std::max(blocks, pmu.block_count[kernel.slave]);
    compute_side(vector_leads ? cube_ : vector_, pmu, kernel.slave, blocks, mhz, values);
  }
  compute_derived(kernel.duration_ns, values);
}

}  // namespace npuprof::analyze
