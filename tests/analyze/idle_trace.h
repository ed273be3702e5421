#pragma once

// A trace made by hand, in microseconds: one device, a thread that launches and one that asks.

#include <cstdint>
#include <string_view>

#include "format/host/levels.h"
#include "link/device/overlap.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"
#include "trace/trace.h"

namespace npuprof::analyze::testing {

class IdleTrace {
 public:
  static constexpr std::uint32_t kAsking = 1;
  static constexpr std::uint32_t kLaunching = 2;
  static constexpr std::uint32_t kBackward = 3;
  static constexpr std::uint16_t kStream = 5;

  trace::Trace& operator*() { return trace_; }
  trace::Trace* operator->() { return &trace_; }

  static std::int64_t us(double time) { return static_cast<std::int64_t>(time * 1'000); }

  // Tasks must be added in order of start. `call` is the row of the launching call.
  std::uint32_t task(double start, double end, format::host::TaskType type,
                     std::uint32_t call = trace::kNone, std::uint16_t stream = kStream) {
    trace::Tasks& tasks = trace_.tasks();
    const std::uint32_t row = new_row(tasks);
    tasks.start_ns[row] = us(start);
    tasks.end_ns[row] = us(end);
    tasks.stream[row] = stream;
    tasks.host_type[row] = static_cast<std::uint16_t>(type);
    tasks.copy_direction[row] = trace::kNone;
    tasks.api[row] = call;
    if (call != trace::kNone) tasks.tid[row] = trace_.api_calls().tid[call];
    return row;
  }
  std::uint32_t kernel(double start, double end, std::uint32_t call = trace::kNone,
                       std::uint16_t stream = kStream) {
    const std::uint32_t row = task(start, end, format::host::TaskType::kKernelAicore, call, stream);
    trace::Kernels& kernels = trace_.kernels();
    const std::uint32_t kernel = new_row(kernels);
    kernels.task[kernel] = row;
    kernels.name[kernel] = text("kernel" + std::to_string(row));
    kernels.op_type[kernel] = text("MatMul");
    trace_.tasks().kernel[row] = kernel;
    return row;
  }
  std::uint32_t call(std::uint32_t tid, double start, double end, std::string_view name,
                     std::uint16_t level = format::host::kLevelNode) {
    trace::ApiCalls& calls = trace_.api_calls();
    const std::uint32_t row = range(calls, start, end);
    calls.tid[row] = tid;
    calls.level[row] = level;
    calls.name[row] = text(name);
    return row;
  }
  std::uint32_t op(std::uint32_t tid, double start, double end, std::string_view name) {
    trace::FrameworkOps& ops = trace_.framework_ops();
    const std::uint32_t row = range(ops, start, end);
    ops.tid[row] = tid;
    ops.name[row] = text(name);
    ops.parent[row] = trace::kNone;
    return row;
  }
  std::uint32_t frame(std::uint32_t tid, double start, double end, std::string_view name,
                      std::uint32_t module = trace::kNone) {
    trace::PythonCalls& calls = trace_.python_calls();
    const std::uint32_t row = range(calls, start, end);
    calls.tid[row] = tid;
    calls.name[row] = text(name);
    calls.module_id[row] = module;
    return row;
  }
  std::uint32_t mark(std::uint32_t tid, double start, double end, std::string_view message,
                     std::string_view domain = "default") {
    trace::Marks& marks = trace_.marks();
    const std::uint32_t row = range(marks, start, end);
    marks.tid[row] = tid;
    marks.message[row] = text(message);
    marks.domain[row] = text(domain);
    return row;
  }
  std::uint32_t collection(double start, double end) {
    return range(trace_.garbage_collections(), start, end);
  }
  // Enqueued by the asking thread in [at - 1, at), dequeued by the launching one.
  std::uint32_t queue(double at, double dequeue_start, double dequeue_end,
                      std::uint32_t op = trace::kNone, std::uint32_t asking = kAsking) {
    const std::uint32_t enqueue = range(trace_.enqueues(), at - 1, at);
    const std::uint32_t dequeue = range(trace_.dequeues(), dequeue_start, dequeue_end);
    trace_.enqueues().tid[enqueue] = asking;
    trace_.enqueues().op[enqueue] = op;
    trace_.enqueues().partner[enqueue] = dequeue;
    trace_.enqueues().name[enqueue] = text("aclnnMm");
    trace_.dequeues().tid[dequeue] = kLaunching;
    trace_.dequeues().op[dequeue] = op;
    trace_.dequeues().partner[dequeue] = enqueue;
    return enqueue;
  }
  void step(std::int64_t id, double start, double end, double device_start, double device_end) {
    const std::uint32_t row = op(kAsking, start, end, "ProfilerStep#" + std::to_string(id));
    trace::Steps& steps = trace_.steps();
    const std::uint32_t step = new_row(steps);
    steps.id[step] = id;
    steps.host_start_ns[step] = us(start);
    steps.host_end_ns[step] = us(end);
    steps.device_start_ns[step] = us(device_start);
    steps.device_end_ns[step] = us(device_end);
    steps.has_kernels[step] = 1;
    steps.op[step] = row;
  }
  std::uint32_t collective(double start, double end, std::uint32_t call = trace::kNone) {
    trace::CollectiveOps& ops = trace_.collective_ops();
    const std::uint32_t row = range(ops, start, end);
    ops.name[row] = text("hcom_allReduce__1_0_1");
    ops.api[row] = call;
    return row;
  }
  void collective_part(std::uint32_t collective, std::uint32_t task) {
    trace::CollectiveTasks& parts = trace_.collective_tasks();
    const std::uint32_t row = new_row(parts);
    parts.op[row] = collective;
    parts.task[row] = task;
  }
  void pair(std::uint32_t forward, std::uint32_t backward) {
    trace::ForwardBackward& pairs = trace_.forward_backward();
    const std::uint32_t row = new_row(pairs);
    pairs.forward[row] = forward;
    pairs.backward[row] = backward;
  }

  StringId text(std::string_view text) { return trace_.strings.intern(text); }
  void link() { link::link_overlap(trace_); }

 private:
  template <trace::Columnar Table>
  static std::uint32_t new_row(Table& table) {
    const std::size_t rows = row_count(table);
    resize_rows(table, rows + 1);
    return static_cast<std::uint32_t>(rows);
  }
  template <trace::Columnar Table>
  static std::uint32_t range(Table& table, double start, double end) {
    const std::uint32_t row = new_row(table);
    table.start_ns[row] = us(start);
    table.end_ns[row] = us(end);
    return row;
  }

  trace::Trace trace_;
};

}  // namespace npuprof::analyze::testing
