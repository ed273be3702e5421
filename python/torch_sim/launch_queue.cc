#include "launch_queue.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <pthread.h>

#include "format/framework/op_mark.h"
#include "python/torch_hooks/this_thread_buffer.h"
#include "record/signal_block.h"
#include "recording.h"

namespace npuprof::torch_sim {
namespace {

using format::framework::OpMarkCategory;

std::atomic<std::uint64_t> next_correlation{0};

struct Queues {
  std::mutex mutex;
  std::map<std::int32_t, std::unique_ptr<LaunchQueue>> by_device;
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

// How often the launching thread looks for a task before it goes to sleep: some 20 us.
constexpr int kSpins = 500;

void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void mark(OpMarkCategory category, std::uint64_t correlation, std::string_view name) {
  if (!recording->operators_are_recorded()) return;
  if (record::ThreadBuffer* const buffer = torch_hooks::this_thread_buffer()) {
    buffer->queue_mark(category, correlation, name);
  }
}

void run_task(const QueuedTask& task) {
  const std::string_view name = task.name.substr(0, format::framework::kDequeueNameBytes);
  mark(OpMarkCategory::kDequeueStart, task.correlation, name);
  task.run();
  mark(OpMarkCategory::kDequeueEnd, task.correlation, name);
}

// None in a forked child, which has none of the threads.
std::vector<LaunchQueue*> all_queues() {
  std::vector<LaunchQueue*> result;
  if (is_forked_child()) return result;
  const std::lock_guard lock(queues().mutex);
  for (auto& [device, queue] : queues().by_device) result.push_back(queue.get());
  return result;
}

}  // namespace

LaunchQueue& LaunchQueue::of_device(std::int32_t device) {
  thread_local std::pair<std::int32_t, LaunchQueue*> last{-1, nullptr};
  if (last.first != device) last = {device, &find_or_make(device)};
  return *last.second;
}

LaunchQueue& LaunchQueue::find_or_make(std::int32_t device) {
  const std::lock_guard lock(queues().mutex);
  auto& queue = queues().by_device[device];
  if (queue == nullptr) {
    [[maybe_unused]] static const int registered = std::atexit(&LaunchQueue::end_all);
    queue = std::make_unique<LaunchQueue>();
  }
  return *queue;
}

void LaunchQueue::drain_all() {
  for (LaunchQueue* const queue : all_queues()) queue->drain();
}

// What was put on the queues is launched before the process ends.
void LaunchQueue::end_all() {
  for (LaunchQueue* const queue : all_queues()) queue->end();
}

void LaunchQueue::put(QueuedTask task) {
  if (is_switched_off()) return task.run();
  const std::string_view name = task.name;
  std::uint64_t correlation = 0;
  mark(OpMarkCategory::kEnqueueStart, correlation, name);
  {
    std::unique_lock lock(mutex_);
    // Waking up for each task that has run would take longer than running it.
    if (put_count_ - run_count_ >= kMostTasks) wait_for_runs(lock, put_count_ - kMostTasks / 2);
    correlation = task.correlation = next_correlation++;
    if (is_ending_) {
      lock.unlock();
      // The enqueue has begun, so it ends, and the task is seen to be taken off.
      mark(OpMarkCategory::kEnqueueEnd, correlation, name);
      return run_task(task);
    }
    if (!thread_.joinable()) {
      const record::SignalBlock signals_are_for_the_program;
      thread_ = std::thread(&LaunchQueue::run_tasks, this);
    }
    tasks_.push_back(std::move(task));
    ++put_count_;
  }
  came_.notify_one();
  mark(OpMarkCategory::kEnqueueEnd, correlation, name);
}

void LaunchQueue::wait_for_runs(std::unique_lock<std::mutex>& lock, std::uint64_t goal) {
  for (;;) {
    // Said before looking: the other thread counts before it looks who waits.
    if (goal < wanted_runs_) wanted_runs_ = goal;
    if (run_count_ >= goal) return;
    went_.wait(lock);
  }
}

std::vector<QueuedTask> LaunchQueue::take_tasks(std::uint64_t taken_count) {
  // Operators come at short intervals, and waking a thread takes longer than many of them.
  static const bool has_cores_to_spare = std::thread::hardware_concurrency() > 1;
  for (int i = 0; has_cores_to_spare && i < kSpins && put_count_ == taken_count; ++i) spin_pause();
  std::vector<QueuedTask> tasks;
  std::unique_lock lock(mutex_);
  came_.wait(lock, [this] { return !tasks_.empty() || is_ending_; });
  tasks.swap(tasks_);
  return tasks;
}

void LaunchQueue::run_tasks() {
  ::pthread_setname_np(::pthread_self(), "acl_thread");  // As torch_npu calls it.
  std::uint64_t taken_count = 0;
  for (;;) {
    const std::vector<QueuedTask> tasks = take_tasks(taken_count);
    if (tasks.empty()) return;
    taken_count += tasks.size();
    for (const QueuedTask& task : tasks) {
      run_task(task);
      if (++run_count_ < wanted_runs_) continue;
      const std::lock_guard lock(mutex_);
      wanted_runs_ = kNobodyWaits;
      went_.notify_all();
    }
  }
}

void LaunchQueue::drain() {
  std::unique_lock lock(mutex_);
  wait_for_runs(lock, put_count_);
}

void LaunchQueue::end() {
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

}  // namespace npuprof::torch_sim
