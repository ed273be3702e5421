#pragma once

// The launch queue of an NPU: operators put tasks on it, a thread of its own takes them off and
// gives them to the device, so that the program goes on while work is launched.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace npuprof::torch_sim {

struct QueuedTask {
  std::string_view
      name;  // Such as "aclnnAddmm"; seen in the marks of both threads. Lives for ever.
  std::function<void()> run;
  std::uint64_t correlation = 0;  // Given by the queue.
};

class LaunchQueue {
 public:
  // The queue of a device; made when it is needed first, for good.
  static LaunchQueue& of_device(std::int32_t device);
  // Waits for all queues. Nothing in a forked child.
  static void drain_all();

  // Waits while the queue is full. Runs the task itself if queues are switched off, as
  // TASK_QUEUE_ENABLE=0 and ASCEND_LAUNCH_BLOCKING=1 do, or the program ends.
  void put(QueuedTask task);
  // Waits until everything that was put so far has run.
  void drain();

 private:
  static constexpr std::size_t kMostTasks = 4096;  // As in torch_npu.
  static constexpr std::uint64_t kNobodyWaits = UINT64_MAX;

  static LaunchQueue& find_or_make(std::int32_t device);
  static void end_all();
  void run_tasks();
  // The next tasks; none at the end.
  std::vector<QueuedTask> take_tasks(std::uint64_t taken_count);
  void end();
  // Waits, with the lock, until so many tasks have run.
  void wait_for_runs(std::unique_lock<std::mutex>& lock, std::uint64_t goal);

  std::mutex mutex_;
  std::condition_variable came_;   // A task, or the end.
  std::condition_variable went_;   // A task has run.
  std::vector<QueuedTask> tasks_;  // That wait; those before them are running, or will be next.
  std::atomic<std::uint64_t> put_count_{0};
  std::atomic<std::uint64_t> run_count_{0};
  std::atomic<std::uint64_t> wanted_runs_{kNobodyWaits};  // The least that somebody waits for.
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace npuprof::torch_sim
