#include "task_queue.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <pthread.h>

#include "format/framework/op_mark.h"
#include "operators.h"
#include "record/signal_block.h"
#include "thread_state.h"

namespace npuprof::torch_hooks {
namespace {

using format::framework::OpMarkCategory;

std::atomic<std::uint64_t> next_correlation{0};

struct Queues {
  std::mutex mutex;
  std::map<std::int32_t, std::unique_ptr<TaskQueue>> by_device;
};

// Never destroyed: threads of the program may still use them when the process ends.
Queues& queues() {
  static auto* const all = new Queues;
  return *all;
}

bool is_set_to(const char* variable, std::string_view value) {
  const char* const text = std::getenv(variable);
  return text != nullptr && text == value;
}

bool is_switched_off() {
  static const bool off =
      is_set_to("TASK_QUEUE_ENABLE", "0") || is_set_to("ASCEND_LAUNCH_BLOCKING", "1");
  return off;
}

void mark(OpMarkCategory category, std::uint64_t correlation, std::string_view name) {
  if (!operators_are_recorded()) return;
  if (record::ThreadBuffer* const buffer = this_thread_buffer()) {
    buffer->queue_mark(category, correlation, name);
  }
}

void run_task(const QueuedTask& task) {
  const std::string_view name =
      std::string_view(task.name).substr(0, format::framework::kDequeueNameBytes);
  mark(OpMarkCategory::kDequeueStart, task.correlation, name);
  task.run();
  mark(OpMarkCategory::kDequeueEnd, task.correlation, name);
}

// None in a forked child, which has none of the threads.
std::vector<TaskQueue*> all_queues() {
  std::vector<TaskQueue*> result;
  if (is_forked_child()) return result;
  const std::lock_guard lock(queues().mutex);
  for (auto& [device, queue] : queues().by_device) result.push_back(queue.get());
  return result;
}

}  // namespace

TaskQueue& TaskQueue::of_device(std::int32_t device) {
  const std::lock_guard lock(queues().mutex);
  auto& queue = queues().by_device[device];
  if (queue == nullptr) {
    [[maybe_unused]] static const int registered = std::atexit(&TaskQueue::end_all);
    queue = std::make_unique<TaskQueue>();
  }
  return *queue;
}

void TaskQueue::drain_all() {
  for (TaskQueue* const queue : all_queues()) queue->drain();
}

// What was put on the queues is launched before the process ends.
void TaskQueue::end_all() {
  for (TaskQueue* const queue : all_queues()) queue->end();
}

void TaskQueue::put(QueuedTask task) {
  if (is_switched_off()) return task.run();
  const std::string name = task.name;
  std::uint64_t correlation = 0;
  mark(OpMarkCategory::kEnqueueStart, correlation, name);
  {
    std::unique_lock lock(mutex_);
    went_.wait(lock, [this] { return tasks_.size() < kMostTasks || is_ending_; });
    if (is_ending_) {
      lock.unlock();
      return task.run();
    }
    if (!thread_.joinable()) {
      const record::SignalBlock signals_are_for_the_program;
      thread_ = std::thread(&TaskQueue::run_tasks, this);
    }
    correlation = task.correlation = next_correlation++;
    ++put_count_;
    tasks_.push_back(std::move(task));
  }
  came_.notify_one();
  mark(OpMarkCategory::kEnqueueEnd, correlation, name);
}

void TaskQueue::run_tasks() {
  ::pthread_setname_np(::pthread_self(), "acl_thread");  // As torch_npu calls it.
  std::unique_lock lock(mutex_);
  for (;;) {
    came_.wait(lock, [this] { return !tasks_.empty() || is_ending_; });
    if (tasks_.empty()) return;
    const QueuedTask task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    run_task(task);
    lock.lock();
    ++run_count_;
    went_.notify_all();
  }
}

void TaskQueue::drain() {
  std::unique_lock lock(mutex_);
  const std::uint64_t goal = put_count_;
  went_.wait(lock, [&] { return run_count_ >= goal; });
}

void TaskQueue::end() {
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    thread = std::move(thread_);
    came_.notify_one();
    went_.notify_all();
  }
  if (thread.joinable()) thread.join();
}

}  // namespace npuprof::torch_hooks
