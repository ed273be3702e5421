#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "base/interval_sweep.h"
#include "format/device/task_types.h"
#include "sim/model/chip.h"
#include "sim/model/frequency_plan.h"
#include "sim/model/sim_clock.h"
#include "sim/npu/kernel_template.h"
#include "sim/prof/collection_settings.h"
#include "sim/prof/device_reporter.h"

namespace npuprof::sim {

// The device side of a collection in virtual time: what each level of collection leaves out is left
// out here. Does nothing while no collection runs.
class DeviceLog {
 public:
  // The context of a MIX kernel begins later and ends earlier than its task.
  static constexpr std::int64_t kContextInsetNs = 100;

  DeviceLog(const CollectionSettings& options, const ChipSpec& chip, std::uint32_t device,
            const SimClock& clock)
      : options_(&options), chip_(&chip), device_(device), clock_(&clock) {}

  void attach(DeviceReporter* reporter) { reporter_ = reporter; }
  // Tasks are collected. The functions below may be called then only, but for trace() and those
  // that say so.
  bool on() const { return reporter_ != nullptr && options_->level != CollectionLevel::kNone; }

  // Nothing that happens later is logged.
  void stop_at(std::int64_t time_ns) { stop_ns_ = time_ns; }
  // Whether the log has all of a task.
  bool shows(Interval run) const { return on() && run.end <= stop_ns_; }

  void task(LoggedTask task, format::device::SqeKind kind, Interval run) {
    if (run.end <= stop_ns_) {
      reporter_->task(task, kind, ticks(run.begin), ticks(run.end));
    } else {
      task_without_end(task, kind, run.begin);
    }
  }
  void task_without_end(LoggedTask task, format::device::SqeKind kind, std::int64_t begin_ns) {
    if (begin_ns <= stop_ns_) reporter_->task_start(task, kind, ticks(begin_ns));
  }
  // Of a task that is shown; so are the counters below.
  void context(LoggedTask task, format::device::SubTaskType type, Interval run) {
    reporter_->ffts_context(task, 0, type, ticks(run.begin), ticks(run.end));
  }
  // Performance counters, and cache counters if they are collected. For `busy_ns` of `run` the
  // cores were at work.
  void kernel_counters(LoggedTask task, const KernelTemplate& kernel, Interval run, double busy_ns,
                       const FrequencyPlan& frequency);
  void aicpu_kernel(LoggedTask task, Interval run);
  // Any time; the batch `index` was taken from a data queue.
  void dequeue(std::string_view queue, std::uint64_t index, Interval run);
  void flip(std::uint16_t stream, std::uint16_t flip_number, std::uint16_t task,
            std::int64_t time_ns) {
    if (time_ns <= stop_ns_) reporter_->flip(stream, flip_number, task, ticks(time_ns));
  }

  // A mark in a stream, if tasks or marks are collected.
  void trace(LoggedTask task, std::uint16_t tag, std::uint64_t index, std::uint64_t model_id,
             std::int64_t time_ns) {
    if (!on() && !(reporter_ != nullptr && options_->mstx)) return;
    if (time_ns > stop_ns_) return;
    reporter_->step_trace(index, model_id, task, tag, ticks(time_ns));
  }
  // Any time; writes the changes of the AI core clock if counters are collected.
  void frequency(std::span<const FrequencyEntry> entries);
  // Any time; nothing that happens before `time_ns` will be logged any more.
  void settle(std::int64_t time_ns) {
    if (reporter_ != nullptr) reporter_->flush_until(ticks(time_ns));
  }
  // The same, and what is settled survives the death of the process.
  void flush(std::int64_t time_ns) {
    if (reporter_ != nullptr) reporter_->flush(ticks(time_ns));
  }

 private:
  std::uint64_t ticks(std::int64_t time_ns) const { return clock_->device_ticks(time_ns); }
  void core_counters(LoggedTask task, const KernelTemplate& kernel, Interval run, double busy_ns,
                     const FrequencyPlan& frequency);
  void main_blocks(const KernelPmu& pmu, const KernelTemplate& kernel);

  const CollectionSettings* options_;
  const ChipSpec* chip_;
  std::uint32_t device_;
  const SimClock* clock_;
  DeviceReporter* reporter_ = nullptr;
  std::int64_t stop_ns_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace npuprof::sim
