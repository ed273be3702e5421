#pragma once

// A linked trace of modules, operators and kernels, made by hand.

#include <cstdint>
#include <string_view>

#include "format/host/msproftx.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"
#include "trace/trace.h"

namespace npuprof::analyze::testing {

struct KernelDescription {
  std::string_view op_type = "";
  std::string_view input_shapes = "";
  std::string_view output_shapes = "";
  std::string_view dtypes = "FLOAT16;FLOAT16";
  std::string_view task_type = "AI_CORE";
};

class ModuleTrace {
 public:
  trace::Trace& operator*() { return trace_; }
  trace::Trace* operator->() { return &trace_; }

  void mark(std::string_view domain, std::string_view message, std::int64_t start_ns,
            std::int64_t end_ns, std::uint32_t tid = 1,
            std::uint32_t type = format::host::Msproftx::kStartEnd) {
    auto& marks = trace_.marks();
    resize_rows(marks, marks.size() + 1);
    marks.domain.back() = trace_.strings.intern(domain);
    marks.message.back() = trace_.strings.intern(message);
    marks.start_ns.back() = start_ns;
    marks.end_ns.back() = end_ns;
    marks.tid.back() = tid;
    marks.event_type.back() = type;
  }
  void module(std::string_view name, std::int64_t start_ns, std::int64_t end_ns,
              std::uint32_t tid = 1) {
    mark("Module", name, start_ns, end_ns, tid);
  }
  void python_module(std::string_view name, std::int64_t start_ns, std::int64_t end_ns) {
    auto& calls = trace_.python_calls();
    resize_rows(calls, calls.size() + 1);
    calls.name.back() = trace_.strings.intern(name);
    calls.start_ns.back() = start_ns;
    calls.end_ns.back() = end_ns;
    calls.tid.back() = 1;
    calls.module_id.back() = trace::kNone;
  }

  std::uint32_t op(std::string_view name, std::int64_t start_ns, std::int64_t end_ns,
                   std::uint32_t tid = 1, std::uint32_t parent = trace::kNone) {
    auto& ops = trace_.framework_ops();
    resize_rows(ops, ops.size() + 1);
    ops.name.back() = trace_.strings.intern(name);
    ops.start_ns.back() = start_ns;
    ops.end_ns.back() = end_ns;
    ops.tid.back() = tid;
    ops.parent.back() = parent;
    return static_cast<std::uint32_t>(ops.size() - 1);
  }
  // Kernels are to be added in order of operators and time. kNone: of no operator.
  void kernel(std::uint32_t op, std::string_view name, std::int64_t start_ns, std::int64_t end_ns,
              const KernelDescription& description = {}) {
    auto& tasks = trace_.tasks();
    auto& kernels = trace_.kernels();
    const auto task = static_cast<std::uint32_t>(tasks.size());
    resize_rows(tasks, tasks.size() + 1);
    tasks.start_ns.back() = start_ns;
    tasks.end_ns.back() = end_ns;
    tasks.kernel.back() = static_cast<std::uint32_t>(kernels.size());
    resize_rows(kernels, kernels.size() + 1);
    kernels.task.back() = task;
    kernels.name.back() = trace_.strings.intern(name);
    kernels.op_type.back() = trace_.strings.intern(description.op_type);
    kernels.task_type.back() = trace_.strings.intern(description.task_type);
    kernels.input_shapes.back() = trace_.strings.intern(description.input_shapes);
    kernels.input_dtypes.back() = trace_.strings.intern(description.dtypes);
    kernels.output_shapes.back() = trace_.strings.intern(description.output_shapes);
    kernels.output_dtypes.back() = trace_.strings.intern("FLOAT16");
    if (op == trace::kNone) return;
    trace_.kernel_ops().op.emplace_back(op);
    trace_.kernel_ops().task.emplace_back(task);
  }
  // An operator with one kernel of this length.
  std::uint32_t working_op(std::string_view name, std::int64_t start_ns, std::int64_t end_ns,
                           std::int64_t kernel_ns, std::uint32_t tid = 1,
                           std::uint32_t parent = trace::kNone) {
    const std::uint32_t row = op(name, start_ns, end_ns, tid, parent);
    kernel(row, "k", next_ns_, next_ns_ + kernel_ns);
    next_ns_ += kernel_ns;
    return row;
  }
  void pair(std::uint32_t forward, std::uint32_t backward) {
    trace_.forward_backward().sequence.push_back(0);
    trace_.forward_backward().forward.emplace_back(forward);
    trace_.forward_backward().backward.emplace_back(backward);
  }
  // Put on the queue by thread 1 and taken from it by another.
  void queued(std::int64_t enqueue_ns, std::int64_t start_ns, std::int64_t end_ns,
              std::uint32_t tid) {
    auto& enqueues = trace_.enqueues();
    auto& dequeues = trace_.dequeues();
    resize_rows(enqueues, enqueues.size() + 1);
    resize_rows(dequeues, dequeues.size() + 1);
    enqueues.start_ns.back() = enqueue_ns;
    enqueues.end_ns.back() = enqueue_ns + 1;
    enqueues.tid.back() = 1;
    dequeues.start_ns.back() = start_ns;
    dequeues.end_ns.back() = end_ns;
    dequeues.tid.back() = tid;
    dequeues.partner.back() = static_cast<std::uint32_t>(enqueues.size() - 1);
  }
  void device(std::uint32_t cores, double mhz) {
    trace_.devices.emplace_back();
    trace_.devices.back().ai_core_count = cores;
    trace_.devices.back().aic_mhz = mhz;
  }

 private:
  trace::Trace trace_;
  std::int64_t next_ns_ = 100'000;  // When the device is free again.
};

}  // namespace npuprof::analyze::testing
