#include "analyze/operator_work.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/saturated.h"
#include "base/sort_order.h"
#include "link/framework/op_tree.h"
#include "link/time_order.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

// The operator of a call that launched nothing the device recorded a task of. A call made for the
// queue belongs to the operator that enqueued it; any other to the innermost one of its thread. On
// a thread without operators and a profile without queue it was asked for by the one that began
// last.
class LaunchingOps {
 public:
  explicit LaunchingOps(const trace::Trace& trace)
      : trace_(trace),
        op_rows_(link::ops_by_thread(trace.framework_ops())),
        ops_(trace.framework_ops(), op_rows_),
        dequeue_rows_(
            link::ThreadOrder::of_events(trace.dequeues().tid, trace.dequeues().start_ns)),
        last_dequeue_(dequeue_rows_, trace.dequeues().start_ns),
        by_start_(stable_order(std::span<const std::int64_t>(trace.framework_ops().start_ns))) {}

  std::uint32_t find(std::uint32_t api) {
    const std::uint32_t tid = trace_.api_calls().tid[api];
    const std::int64_t time_ns = trace_.api_calls().start_ns[api];
    const std::uint32_t dequeue = last_dequeue_.find(tid, time_ns);
    if (dequeue != kNone && time_ns <= trace_.dequeues().end_ns[dequeue]) {
      const auto enqueue = trace_.dequeues().partner[dequeue];
      return enqueue == kNone ? kNone : trace_.enqueues().op[enqueue].number();
    }
    if (ops_.has_thread(tid)) return ops_.innermost(tid, time_ns, time_ns);
    return trace_.dequeues().size() == 0 ? last_started(time_ns) : kNone;
  }

 private:
  std::uint32_t last_started(std::int64_t time_ns) const {
    const auto& starts = trace_.framework_ops().start_ns;
    const auto after = std::upper_bound(
        by_start_.begin(), by_start_.end(), time_ns,
        [&](std::int64_t time, std::uint32_t op) { return time < starts[std::size_t{op}]; });
    return after == by_start_.begin() ? kNone : *(after - 1);
  }

  const trace::Trace& trace_;
  link::ThreadOrder op_rows_;
  link::OpFinder ops_;
  link::ThreadOrder dequeue_rows_;
  link::LastStarted last_dequeue_;
  std::vector<std::uint32_t> by_start_;
};

// By row of CollectiveOps. The operator is known of a task that the same call launched, or of the
// collective's own tasks.
std::vector<std::uint32_t> ops_of_collectives(const trace::Trace& trace) {
  const auto& collectives = trace.collective_ops();
  std::vector<std::uint32_t> found(collectives.size(), kNone);
  if (found.empty() || trace.framework_ops().size() == 0) return found;
  std::vector<std::uint32_t> op_of_call(trace.api_calls().size(), kNone);
  std::vector<std::uint32_t> op_of_task(trace.tasks().size(), kNone);
  for (std::size_t i = trace.kernel_ops().size(); i-- > 0;) {
    const auto task = trace.kernel_ops().task[i];
    op_of_task[task] = trace.kernel_ops().op[i];
    if (const auto api = trace.tasks().api[task]; api != kNone) op_of_call[api] = op_of_task[task];
  }
  std::vector<std::uint32_t> op_of_parts(collectives.size(), kNone);
  const auto& parts = trace.collective_tasks();
  for (std::size_t i = parts.size(); i-- > 0;) {
    const auto task = parts.task[i];
    if (task != kNone && op_of_task[task] != kNone) op_of_parts[parts.op[i]] = op_of_task[task];
  }
  std::optional<LaunchingOps> launching;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto api = collectives.api[i];
    if (api != kNone) found[i] = op_of_call[api];
    if (found[i] == kNone) found[i] = op_of_parts[i];
    if (found[i] != kNone || api == kNone) continue;
    if (!launching) launching.emplace(trace);
    found[i] = launching->find(api);
  }
  return found;
}

class WorkTable {
 public:
  explicit WorkTable(const trace::Trace& trace) : trace_(trace), seen_(trace.tasks().size()) {}

  OperatorWork make() {
    trace::reserve_rows(rows_, trace_.kernels().size() + trace_.collective_ops().size());
    add_kernels(trace::KernelKind::kCompute, WorkKind::kKernel);
    add_collectives();
    add_kernels(trace::KernelKind::kSchedule, WorkKind::kSchedule);
    put_in_order();
    return std::move(rows_);
  }

 private:
  void add_kernels(trace::KernelKind kind, WorkKind as) {
    const auto& pairs = trace_.kernel_ops();
    const auto& kernels = trace_.kernels();
    const auto is_of_kind = [&](std::uint32_t kernel) {
      return kernel != kNone &&
             kernels.kind[std::size_t{kernel}] == static_cast<std::uint8_t>(kind);
    };
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto kernel = trace_.tasks().kernel[pairs.task[i]];
      if (is_of_kind(kernel)) add_kernel(pairs.op[i], kernel, as);
    }
    for (std::uint32_t kernel = 0; kernel < kernels.size(); ++kernel) {
      if (is_of_kind(kernel) && seen_[kernels.task[kernel]] == 0) add_kernel(kNone, kernel, as);
    }
  }

  void add_kernel(std::uint32_t op, std::uint32_t kernel, WorkKind kind) {
    const auto task = trace_.kernels().task[std::size_t{kernel}];
    add(op, kind, kernel, trace_.kernels().name[std::size_t{kernel}],
        {trace_.tasks().start_ns[task], trace_.tasks().end_ns[task]}, trace_.tasks().device[task]);
    rows_.is_again.back() = seen_[task];
    seen_[task] = 1;
  }

  void add_collectives() {
    const auto& collectives = trace_.collective_ops();
    const std::vector<std::uint32_t> ops = ops_of_collectives(trace_);
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      const std::size_t row = i;
      const StringId type = collectives.type[row];
      add(ops[i], WorkKind::kCollective, i, type == kEmptyString ? collectives.name[row] : type,
          {collectives.start_ns[row], collectives.end_ns[row]}, collectives.device[row]);
    }
  }

  struct Times {
    std::int64_t start_ns;
    std::int64_t end_ns;
  };
  void add(std::uint32_t op, WorkKind kind, std::uint32_t row, StringId name, Times times,
           std::uint16_t device) {
    rows_.op.emplace_back(op);
    rows_.kind.push_back(static_cast<std::uint8_t>(kind));
    rows_.row.push_back(row);
    rows_.name.push_back(name);
    rows_.start_ns.push_back(times.start_ns);
    rows_.duration_ns.push_back(
        std::max<std::int64_t>(0, saturated_difference(times.end_ns, times.start_ns)));
    rows_.device.push_back(device);
    rows_.is_again.push_back(0);
  }

  // Each kind is in order of time already; counting by operator keeps that.
  void put_in_order() {
    const std::size_t op_count = trace_.framework_ops().size();
    std::vector<std::uint32_t> next(op_count + 2, 0);
    const auto place = [&](std::size_t i) {
      return std::min<std::size_t>(rows_.op[i].number(), op_count);
    };
    for (std::size_t i = 0; i < rows_.size(); ++i) ++next[place(i) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> order(rows_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[next[place(i)]++] = i;
    if (!is_identity(order)) trace::reorder_rows(rows_, order);
  }

  const trace::Trace& trace_;
  std::vector<std::uint8_t> seen_;  // By row of Tasks.
  OperatorWork rows_;
};

}  // namespace

OperatorWork operator_work(const trace::Trace& trace) { return WorkTable(trace).make(); }

std::vector<std::uint32_t> work_begins(const OperatorWork& work, std::size_t op_count) {
  std::vector<std::uint32_t> begins(op_count + 1, 0);
  for (const std::uint32_t op : work.op) {
    if (op < op_count) ++begins[op + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

}  // namespace npuprof::analyze
