#include "load/cann_device/slave_blocks.h"

#include <algorithm>
#include <utility>

#include "format/device/task_types.h"

namespace npuprof::load {
namespace {

using format::device::SubTaskType;

bool is_mix(std::uint8_t sub_task_type) {
  return sub_task_type == static_cast<std::uint8_t>(SubTaskType::kMixAic) ||
         sub_task_type == static_cast<std::uint8_t>(SubTaskType::kMixAiv);
}

bool slaves_are_vector(std::uint8_t sub_task_type) {
  return sub_task_type == static_cast<std::uint8_t>(SubTaskType::kMixAic);
}

}  // namespace

SlaveBlocks::SlaveBlocks(const trace::DeviceTasks& tasks) : tasks_(tasks) {
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    if (tasks.context[row] == trace::kNone || !is_mix(tasks.type[row])) continue;
    kernels_.push_back({key_of(tasks.stream[row], tasks.task[row], tasks.context[row]), row});
  }
  std::stable_sort(kernels_.begin(), kernels_.end(),
                   [](const Kernel& a, const Kernel& b) { return a.key < b.key; });
  sums_.resize(kernels_.size());
}

bool SlaveBlocks::is_of(std::uint32_t kernel, std::uint64_t key, std::int64_t end_ns) const {
  const std::uint32_t row = kernels_[kernel].task_row;
  return kernels_[kernel].key == key && tasks_.start_ns[row] <= end_ns &&
         end_ns <= tasks_.end_ns[row];
}

std::uint32_t SlaveBlocks::find(std::uint64_t key, std::int64_t end_ns) const {
  if (last_found_ != trace::kNone && is_of(last_found_, key, end_ns)) return last_found_;
  // The last execution that began before the block ended.
  const auto after = std::upper_bound(
      kernels_.begin(), kernels_.end(), std::pair(key, end_ns),
      [&](const std::pair<std::uint64_t, std::int64_t>& wanted, const Kernel& kernel) {
        return wanted < std::pair(kernel.key, tasks_.start_ns[kernel.task_row]);
      });
  if (after == kernels_.begin()) return trace::kNone;
  const auto kernel = static_cast<std::uint32_t>(after - kernels_.begin() - 1);
  return is_of(kernel, key, end_ns) ? kernel : trace::kNone;
}

void SlaveBlocks::add(const BlockCounters& block) {
  const std::uint32_t kernel = find(key_of(block.stream, block.task, block.context), block.end_ns);
  if (kernel == trace::kNone) {
    ++strays_;
    return;
  }
  last_found_ = kernel;
  const std::uint8_t type = tasks_.type[kernels_[kernel].task_row];
  if (block.on_vector_core != slaves_are_vector(type)) return;
  Sum& sum = sums_[kernel];
  ++sum.blocks;
  sum.cycles += block.cycles;
  for (std::size_t i = 0; i < sum.counters.size(); ++i) sum.counters[i] += block.counters[i];
}

void SlaveBlocks::append_to(trace::PmuRecords& pmu) const {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (sums_[i].blocks == 0) continue;
    const std::uint32_t row = kernels_[i].task_row;
    pmu.start_ns.push_back(tasks_.start_ns[row]);
    pmu.end_ns.push_back(tasks_.end_ns[row]);
    pmu.device.push_back(tasks_.device[row]);
    pmu.stream.push_back(tasks_.stream[row]);
    pmu.task.push_back(tasks_.task[row]);
    pmu.batch.push_back(tasks_.batch[row]);
    pmu.context.push_back(tasks_.context[row]);
    pmu.core.push_back(static_cast<std::uint8_t>(
        slaves_are_vector(tasks_.type[row]) ? trace::PmuCore::kAiv : trace::PmuCore::kAic));
    pmu.is_slave.push_back(1);
    pmu.block_count.push_back(sums_[i].blocks);
    pmu.cycles.push_back(sums_[i].cycles);
    pmu.counters.push_back(sums_[i].counters);
    pmu.mhz.push_back(0);
  }
}

}  // namespace npuprof::load
