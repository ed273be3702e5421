#include "sim/npu/device_log.h"

#include <algorithm>
#include <cmath>

#include "format/device/soc_pmu.h"
#include "format/device/task_identity.h"

namespace npuprof::sim {

namespace device = format::device;

namespace {

constexpr std::uint32_t kAicpuThread = 77;

device::CoreKind core_kind(KernelCore kind) {
  switch (kind) {
    case KernelCore::kAic:
      return device::CoreKind::kAic;
    case KernelCore::kMixAic:
      return device::CoreKind::kMixAic;
    case KernelCore::kMixAiv:
      return device::CoreKind::kMixAiv;
    default:
      return device::CoreKind::kAiv;
  }
}

}  // namespace

void DeviceLog::core_counters(LoggedTask task, const KernelTemplate& kernel, Interval run,
                              double busy_ns, const FrequencyPlan& frequency) {
  const std::int64_t begin_ns = run.begin + kernel.overhead_ns() / 2;
  const std::int64_t end_ns = std::min<std::int64_t>(begin_ns + std::llround(busy_ns), run.end);
  // Readers take the clock at the end of the counting.
  const double mhz = frequency.mhz_at(end_ns);
  const PmuCounts main = kernel.pmu().main(busy_ns, mhz);
  const KernelPmu pmu{.task = task,
                      .kind = core_kind(kernel.desc().kind),
                      .context = kernel.has_context ? 0 : device::kNoContext,
                      .start = ticks(begin_ns),
                      .end = ticks(end_ns),
                      .main = {main.total_cycles, main.counters}};
  reporter_->context_pmu(pmu);
  // Readers find a block by its context. Before chip 15 only MIX kernels have one.
  if (options_->task_block && (kernel.has_context || chip_->is_v6())) main_blocks(pmu, kernel);

  const std::uint32_t slave_blocks = kernel.pmu().slave_block_count();
  if (slave_blocks == 0) return;
  const bool slave_is_vector = kernel.pmu().main_side() == CoreSide::kCube;
  const PmuCounts block = kernel.pmu().slave(busy_ns, mhz, 1);
  const auto inset_ns = std::llround((1.0 - PmuTemplate::kSlaveBusyShare) / 2 * busy_ns);
  reporter_->slave_pmu(pmu, {block.total_cycles, block.counters}, slave_blocks,
                       slave_is_vector ? chip_->vector_core_count : chip_->ai_core_count,
                       ticks(begin_ns + inset_ns), ticks(end_ns - inset_ns));
}

void DeviceLog::main_blocks(const KernelPmu& pmu, const KernelTemplate& kernel) {
  const bool vector_core = kernel.pmu().main_side() == CoreSide::kVector;
  const std::uint32_t cores = vector_core ? chip_->vector_core_count : chip_->ai_core_count;
  const std::uint32_t blocks = std::max(kernel.desc().block_count, 1u);
  std::array<std::uint64_t, kMostCounters> share{};
  for (std::size_t i = 0; i < share.size(); ++i) share[i] = pmu.main.counters[i] / blocks;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const BlockPlace place{.vector_core = vector_core,
                           .core_id = static_cast<std::uint8_t>(block % cores),
                           .block = static_cast<std::uint16_t>(block)};
    reporter_->block_pmu(pmu, place, {pmu.main.total_cycles / blocks, share}, pmu.start, pmu.end);
  }
}

void DeviceLog::kernel_counters(LoggedTask task, const KernelTemplate& kernel, Interval run,
                                double busy_ns, const FrequencyPlan& frequency) {
  const bool on_cores = has_core_counters(kernel.desc().kind);
  if (options_->operator_details() && kernel.pmu().counts()) {
    core_counters(task, kernel, run, busy_ns, frequency);
  }
  if (!options_->l2_cache || !on_cores) return;
  const auto task_type = static_cast<std::uint16_t>(kernel.track.task_type);
  reporter_->samples().l2_cache(task.stream, static_cast<std::uint16_t>(task.task), task_type,
                                kernel.l2_counters);
  reporter_->samples().soc_pmu(device::SocPmuKind::kSmmu, task.stream, task.task, task_type,
                               kernel.translation_counters);
}

void DeviceLog::aicpu_kernel(LoggedTask task, Interval run) {
  if (!options_->aicpu()) return;
  // The kernel's life, each part inside the one before; the times in us are the device's own clock.
  const std::int64_t length_ns = run.end - run.begin;
  const auto at = [&](double part) {
    return run.begin + std::llround(part * static_cast<double>(length_ns));
  };
  const auto microseconds = [&](std::int64_t time_ns) {
    return static_cast<std::uint64_t>(clock_->device_monotonic_ns(time_ns) / 1000);
  };
  device::AiCpuNodeTimes times{};
  times.submit_tick = ticks(at(0.02));
  times.schedule_tick = ticks(at(0.05));
  times.before_run_tick = ticks(at(0.08));
  times.run_start_us = microseconds(at(0.1));
  times.run_start_tick = ticks(at(0.1));
  times.compute_start_us = microseconds(at(0.15));
  times.memcpy_start_us = microseconds(at(0.8));
  times.memcpy_end_us = microseconds(at(0.9));
  times.run_end_us = microseconds(at(0.95));
  times.run_end_tick = ticks(at(0.95));
  times.after_run_tick = ticks(at(0.98));
  times.thread_id = kAicpuThread;
  times.device_id = device_;
  times.kernel_type = 2;
  times.dispatch_us = static_cast<std::uint32_t>(length_ns / 20'000);
  times.total_us = static_cast<std::uint32_t>(length_ns / 1000);
  reporter_->samples().aicpu_node(task.stream, task.task, ticks(run.begin), times);
}

void DeviceLog::dequeue(std::string_view queue, std::uint64_t index, Interval run) {
  if (!shows(run) || !options_->aicpu()) return;
  device::AiCpuDataPreprocess record{};
  record.header = device::aicpu_header(device::AiCpuType::kDataPreprocess,
                                       device::AiCpuDataPreprocess::kPayloadLength, kAicpuThread,
                                       static_cast<std::uint64_t>(clock_->monotonic_ns(run.begin)));
  record.action = decltype(record.action)::make("Last queue dequeue");
  record.source = decltype(record.source)::make(queue);
  record.index = index;
  // Batches that wait are few: the program makes them as fast as they are used.
  record.size = 1 + index % 3;
  reporter_->samples().aicpu(record);
}

void DeviceLog::frequency(std::span<const FrequencyEntry> entries) {
  if (!on()) return;
  for (const FrequencyEntry& entry : entries) {
    if (entry.time_ns > stop_ns_) break;
    reporter_->samples().ai_core_mhz(ticks(entry.time_ns), entry.mhz);
  }
}

}  // namespace npuprof::sim
