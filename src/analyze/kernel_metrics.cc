#include "analyze/kernel_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trace/device/pmu_records.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {

KernelMetrics::KernelMetrics(const trace::Trace& trace)
    : trace_(&trace), from_counters_(trace.pmu_records().size() > 0) {
  if (!from_counters_) {
    for (const auto& column : trace.result_metrics.columns) {
      columns_.push_back(describe_metric(trace.strings.view(column.name)));
    }
    return;
  }
  for (const trace::DeviceInfo& device : trace.devices) {
    const PmuColumns& found = by_device_.emplace(device.id, device).first->second;
    if (columns_.empty()) columns_.assign(found.columns().begin(), found.columns().end());
  }
}

bool KernelMetrics::has(std::uint32_t kernel) const {
  if (from_counters_) {
    const auto device = by_device_.find(trace_->tasks().device[trace_->kernels().task[kernel]]);
    return trace_->kernels().pmu[kernel] != trace::kNone && device != by_device_.end() &&
           device->second.size() == columns_.size();
  }
  const auto& columns = trace_->result_metrics.columns;
  return std::any_of(columns.begin(), columns.end(),
                     [&](const auto& column) { return !std::isnan(column.values[kernel]); });
}

void KernelMetrics::compute(std::uint32_t kernel, std::span<double> values) const {
  if (!from_counters_) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      values[i] = trace_->result_metrics.columns[i].values[kernel];
    }
    return;
  }
  if (!has(kernel)) {
    std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const trace::Kernels& kernels = trace_->kernels();
  const auto task = kernels.task[kernel];
  by_device_.at(trace_->tasks().device[task])
      .compute(trace_->pmu_records(),
               {.main = kernels.pmu[kernel],
                .slave = kernels.slave_pmu[kernel],
                .block_num = kernels.block_num[kernel],
                .mix_block_num = kernels.mix_block_num[kernel],
                .duration_ns = trace_->tasks().end_ns[task] - trace_->tasks().start_ns[task]},
               values);
}

}  // namespace npuprof::analyze
