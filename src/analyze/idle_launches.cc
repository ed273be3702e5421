#include "analyze/idle_launches.h"

#include <algorithm>

#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

void add_framework_threads(std::span<const std::uint32_t> tids,
                           std::vector<std::uint32_t>& threads) {
  for (std::size_t i = 0; i < tids.size(); ++i) {
    if (i > 0 && tids[i] == tids[i - 1]) continue;
    if (std::find(threads.begin(), threads.end(), tids[i]) == threads.end()) {
      threads.push_back(tids[i]);
    }
  }
}

}  // namespace

IdleLaunchFinder::IdleLaunchFinder(const trace::Trace& trace)
    : trace_(trace),
      dequeue_rows_(link::ThreadOrder::of_events(trace.dequeues().tid, trace.dequeues().start_ns)),
      last_dequeue_(dequeue_rows_, trace.dequeues().start_ns),
      op_of_task_(trace.tasks().size(), kNone) {
  const trace::KernelOps& pairs = trace.kernel_ops();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs.task[i] < op_of_task_.size()) op_of_task_[pairs.task[i]] = pairs.op[i];
  }
  add_framework_threads(trace.framework_ops().tid, framework_threads_);
  add_framework_threads(trace.python_calls().tid, framework_threads_);
  std::sort(framework_threads_.begin(), framework_threads_.end());
}

bool IdleLaunchFinder::has_framework_rows(std::uint32_t tid) const {
  return std::binary_search(framework_threads_.begin(), framework_threads_.end(), tid);
}

std::uint32_t IdleLaunchFinder::op_of(std::uint32_t task) const {
  const std::uint32_t op = op_of_task_[task];
  return op < trace_.framework_ops().size() ? op : kNone;
}

IdleLaunch IdleLaunchFinder::of_call(std::uint32_t api, std::int64_t launch_ns) {
  const trace::ApiCalls& calls = trace_.api_calls();
  return {.is_known = true,
          .tid = calls.tid[api],
          .end_ns = std::max({calls.end_ns[api], calls.start_ns[api], launch_ns})};
}

IdleLaunch IdleLaunchFinder::of_task(std::uint32_t task) {
  const trace::Tasks& tasks = trace_.tasks();
  const std::uint32_t op = op_of(task);
  IdleLaunch launch;
  std::int64_t launch_ns = tasks.launch_ns[task];
  if (const std::uint32_t api = tasks.api[task]; api < trace_.api_calls().size()) {
    launch = of_call(api, launch_ns);
    if (launch_ns == 0) launch_ns = trace_.api_calls().start_ns[api];
  } else if (launch_ns != 0) {
    launch = {.is_known = true, .is_guess = true, .tid = tasks.tid[task], .end_ns = launch_ns};
  } else if (op != kNone) {
    launch_ns = trace_.framework_ops().start_ns[op];
    launch = {.is_known = true,
              .is_guess = true,
              .tid = trace_.framework_ops().tid[op],
              .end_ns = launch_ns};
  }
  launch.task = task;
  if (launch.is_known) find_producer(launch, launch_ns, op);
  return launch;
}

IdleLaunch IdleLaunchFinder::of_collective(std::uint32_t collective) {
  const std::uint32_t api = trace_.collective_ops().api[collective];
  if (api >= trace_.api_calls().size()) return {};
  IdleLaunch launch = of_call(api, 0);
  find_producer(launch, trace_.api_calls().start_ns[api], kNone);
  return launch;
}

void IdleLaunchFinder::find_producer(IdleLaunch& launch, std::int64_t launch_ns, std::uint32_t op) {
  const trace::Dequeues& dequeues = trace_.dequeues();
  const trace::FrameworkOps& ops = trace_.framework_ops();
  launch.op = op;
  launch.producer = launch.tid;
  launch.asked_ns = launch.end_ns;
  const std::uint32_t dequeue = last_dequeue_.find(launch.tid, launch_ns);
  if (dequeue != kNone && launch_ns <= dequeues.end_ns[dequeue]) {
    const std::uint32_t enqueue = dequeues.partner[dequeue];
    if (enqueue >= trace_.enqueues().size()) {
      // It came from somewhere, and nobody knows from where.
      launch.producer = kNone;
      launch.asked_ns = std::min(dequeues.start_ns[dequeue], launch.end_ns);
      return;
    }
    launch.enqueue = enqueue;
    launch.producer = trace_.enqueues().tid[enqueue];
    launch.asked_ns = std::min(trace_.enqueues().end_ns[enqueue], launch.end_ns);
    const std::uint32_t asking = trace_.enqueues().op[enqueue];
    if (asking < ops.size()) launch.op = asking;
    return;
  }
  if (op == kNone || ops.tid[op] == launch.tid || has_framework_rows(launch.tid)) return;
  // Results that do not tell of the queue: the operator is what is left of it.
  launch.is_guess = true;
  launch.producer = ops.tid[op];
  launch.asked_ns = std::min(ops.end_ns[op], launch_ns);
}

}  // namespace npuprof::analyze
