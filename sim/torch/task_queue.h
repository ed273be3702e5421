#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/torch/framework_writer.h"

namespace npuprof::sim {

// The queue between the threads that run operators and the one thread that calls the device
// library. Tasks leave it in the order in which they came, each no earlier than it was put.
//
//     auto task = queue.put("aclnnMm", thread, begin_ns, end_ns);
//     ... the calls of the device library, on task.thread_id, from task.start_ns on ...
//     queue.done(task, last_call_end_ns);
//
// With the queue off (FrameworkOptions::task_queue) a task runs at once on the thread that puts it.
class TaskQueue {
 public:
  struct Options {
    std::uint64_t thread_id = 0;     // Of the thread that takes tasks off.
    std::int64_t wake_up_ns = 1000;  // From the end of putting to the start of taking off.
    std::int64_t gap_ns = 200;       // Between two tasks.
    // From taking a task off to its first call. CANN's start time is in whole microseconds, so its
    // calls seem up to one earlier than they are; readers must still find them inside the task.
    std::int64_t call_lead_ns = 1200;
    std::size_t capacity = 4096;  // Tasks on the queue; a full one makes put() wait.
  };

  // `writer` must outlive the queue.
  TaskQueue(FrameworkWriter& writer, const Options& options);

  struct Task {
    std::string_view name;  // As given to put(): must live until done().
    std::uint64_t correlation_id = 0;
    std::uint64_t thread_id = 0;  // Where the device library is called.
    std::int64_t put_end_ns = 0;  // When the thread that puts it can go on.
    std::int64_t taken_ns = 0;    // When it leaves the queue.
    std::int64_t start_ns = 0;    // When its calls may begin.
  };

  // Puts a task during [begin_ns, end_ns], later if the queue is full. Exactly one task at a time
  // may be between put() and done().
  Task put(std::string_view name, std::uint64_t thread_id, std::int64_t begin_ns,
           std::int64_t end_ns);
  // The task's calls have ended.
  void done(const Task& task, std::int64_t end_ns);

  // When all tasks put so far have been taken off.
  std::int64_t idle_at_ns() const { return idle_at_ns_; }

 private:
  FrameworkWriter* writer_;
  Options options_;
  std::uint64_t next_correlation_id_ = 0;
  std::int64_t idle_at_ns_ = 0;
  std::vector<std::int64_t> taken_at_ns_;  // Ring by correlation id: when a task left the queue.
};

}  // namespace npuprof::sim
