#pragma once

// The launch queue of an NPU: operators put tasks on it, a thread of its own takes them off and
// gives them to the device, so that the program goes on while work is launched.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace npuprof::torch_hooks {

struct QueuedTask {
  std::string name;  // Such as "aclnnAddmm"; seen in the marks of both threads.
  std::function<void()> run;
  std::uint64_t correlation = 0;  // Given by the queue.
};

class TaskQueue {
 public:
  // The queue of a device; made when it is needed first, for good.
  static TaskQueue& of_device(std::int32_t device);
  // Waits for all queues. Nothing in a forked child.
  static void drain_all();

  // Waits while the queue is full. Runs the task itself if queues are switched off, as
  // TASK_QUEUE_ENABLE=0 and ASCEND_LAUNCH_BLOCKING=1 do, or the program ends.
  void put(QueuedTask task);
  // Waits until everything that was put so far has run.
  void drain();

 private:
  static constexpr std::size_t kMostTasks = 4096;  // As in torch_npu.

  static void end_all();
  void run_tasks();
  void end();

  std::mutex mutex_;
  std::condition_variable came_;  // A task, or the end.
  std::condition_variable went_;  // A task has run.
  std::deque<QueuedTask> tasks_;  // The first one is running, or will be next.
  std::uint64_t put_count_ = 0;
  std::uint64_t run_count_ = 0;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace npuprof::torch_hooks
