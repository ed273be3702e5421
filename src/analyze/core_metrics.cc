#include "analyze/core_metrics.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "trace/device/core_samples.h"
#include "trace/device/pmu_counters.h"

namespace npuprof::analyze {
namespace {

using format::device::MetricKind;
using format::device::PmuEvaluator;

struct CoreSum {
  std::uint64_t cycles = 0;
  trace::PmuCounters counters{};
};
using CoreSums = std::map<std::uint8_t, CoreSum>;  // By core.

CoreMetrics evaluate(const trace::DeviceInfo& device, bool on_vector_cores, const CoreSums& sums) {
  CoreMetrics table{.device = device.id, .on_vector_cores = on_vector_cores};
  const auto group =
      format::device::find_pmu_group(on_vector_cores ? device.aiv_metrics : device.aic_metrics);
  const format::device::Chip* chip = format::device::find_chip(device.chip);
  if (!group || chip == nullptr || device.aic_mhz <= 0) return table;
  std::vector<std::uint16_t> events;
  for (const std::uint32_t event : on_vector_cores ? device.aiv_events : device.aic_events) {
    events.push_back(static_cast<std::uint16_t>(event));
  }
  const PmuEvaluator evaluator(*group, chip->id, events);
  for (const PmuEvaluator::Column& column : evaluator.columns()) {
    table.names.push_back(column.kind == MetricKind::kPipeRatio ? column.name + "_ratio"
                                                                : column.name);
    table.kinds.push_back(column.kind);
  }
  std::vector<double> values(table.names.size());
  for (const auto& [core, sum] : sums) {
    std::array<format::U64, trace::kPmuCounters> counters;
    std::copy(sum.counters.begin(), sum.counters.end(), counters.begin());
    evaluator.evaluate(counters, sum.cycles, device.aic_mhz, values);
    table.cores.push_back(core);
    table.total_ns.push_back(static_cast<double>(sum.cycles) * 1000 / device.aic_mhz);
    table.values.insert(table.values.end(), values.begin(), values.end());
  }
  return table;
}

}  // namespace

std::vector<CoreMetrics> core_metrics(const trace::Trace& trace) {
  const auto& rows = trace.core_samples();
  std::map<std::pair<std::uint16_t, bool>, CoreSums> sums;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool on_vector = static_cast<trace::PmuCore>(rows.core[i]) == trace::PmuCore::kAiv;
    CoreSum& core = sums[{rows.device[i], on_vector}][rows.core_id[i]];
    core.cycles += rows.cycles[i];
    for (std::size_t c = 0; c < core.counters.size(); ++c) core.counters[c] += rows.counters[i][c];
  }
  std::vector<CoreMetrics> tables;
  for (const trace::DeviceInfo& device : trace.devices) {
    for (const bool on_vector : {false, true}) {
      const auto found = sums.find({device.id, on_vector});
      if (found == sums.end()) continue;
      CoreMetrics table = evaluate(device, on_vector, found->second);
      if (!table.names.empty()) tables.push_back(std::move(table));
    }
  }
  return tables;
}

}  // namespace npuprof::analyze
