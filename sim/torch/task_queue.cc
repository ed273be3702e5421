#include "sim/torch/task_queue.h"

#include <algorithm>
#include <limits>

namespace npuprof::sim {
namespace {

using format::framework::OpMarkCategory;

// A batch copy is taken off under the name of the function that carries it out.
constexpr std::string_view kBatchCopyName = "acl_memcpy_batch_async";
constexpr std::string_view kBatchCopyDequeueName = "aclrtMemcpyBatchAsync";

std::string_view dequeue_name(std::string_view name) {
  if (name == kBatchCopyName) return kBatchCopyDequeueName;
  return name.substr(0, format::framework::kDequeueNameBytes);
}

}  // namespace

TaskQueue::TaskQueue(FrameworkWriter& writer, const Options& options)
    : writer_(&writer),
      options_(options),
      idle_at_ns_(std::numeric_limits<std::int64_t>::min() / 2),
      taken_at_ns_(std::max<std::size_t>(options.capacity, 1), idle_at_ns_) {}

TaskQueue::Task TaskQueue::put(std::string_view name, std::uint64_t thread_id,
                               std::int64_t begin_ns, std::int64_t end_ns) {
  Task task;
  task.name = name;
  task.correlation_id = next_correlation_id_++;
  if (!writer_->options().task_queue) {
    task.thread_id = thread_id;
    task.taken_ns = begin_ns;
    task.start_ns = begin_ns;
    task.put_end_ns = end_ns;
    return task;
  }
  // The task whose place this one takes must have left.
  const std::int64_t room_at_ns = taken_at_ns_[task.correlation_id % taken_at_ns_.size()];
  task.put_end_ns = std::max(end_ns, room_at_ns);
  task.thread_id = options_.thread_id;
  task.taken_ns = std::max(task.put_end_ns + options_.wake_up_ns, idle_at_ns_ + options_.gap_ns);
  task.start_ns = task.taken_ns + options_.call_lead_ns;
  writer_->mark(OpMarkCategory::kEnqueueStart, begin_ns, 0, thread_id, name);
  writer_->mark(OpMarkCategory::kEnqueueEnd, task.put_end_ns, task.correlation_id, thread_id, name);
  taken_at_ns_[task.correlation_id % taken_at_ns_.size()] = task.taken_ns;
  return task;
}

void TaskQueue::done(const Task& task, std::int64_t end_ns) {
  end_ns = std::max(end_ns, task.start_ns);
  idle_at_ns_ = std::max(idle_at_ns_, end_ns);
  if (!writer_->options().task_queue) return;
  const std::string_view name = dequeue_name(task.name);
  writer_->mark(OpMarkCategory::kDequeueStart, task.taken_ns, task.correlation_id, task.thread_id,
                name);
  writer_->mark(OpMarkCategory::kDequeueEnd, end_ns, task.correlation_id, task.thread_id, name);
}

}  // namespace npuprof::sim
