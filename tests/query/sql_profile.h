#pragma once

// A small profile made by hand, to be asked with SQL.

#include <cstdint>
#include <string_view>

#include "analyze/shared_results.h"
#include "answers/mode.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"
#include "trace/trace.h"

namespace npuprof::query::testing {

inline constexpr std::int64_t kBegin = 1'000'000;

// A step of 1000 ns with three tasks of 50 ns on one device, 100 ns apart; the first two are
// kernels, the first of them launched by aten::mm.
class SqlProfile {
 public:
  SqlProfile() : results_(trace_) {
    add_op("ProfilerStep#7", kBegin, kBegin + 1000);
    add_op("aten::mm", kBegin + 10, kBegin + 60);
    trace_.framework_ops().parent[1] = 0;
    auto& steps = trace_.steps();
    trace::resize_rows(steps, 1);
    steps.id[0] = 7;
    steps.host_start_ns[0] = steps.device_start_ns[0] = kBegin;
    steps.host_end_ns[0] = steps.device_end_ns[0] = kBegin + 1000;
    steps.has_kernels[0] = 1;
    for (std::uint32_t i = 0; i < 3; ++i) add_task(kBegin + 100 * i, i < 2 ? i : trace::kNone);
    add_kernel("mm_kernel", "MatMul", 0);
    add_kernel("add_kernel", "Add", 1);
    auto& pairs = trace_.kernel_ops();
    trace::resize_rows(pairs, 1);
    pairs.op[0] = 1;
    pairs.task[0] = 0;
    auto& intervals = trace_.overlap_intervals();
    intervals.start_ns = {kBegin, kBegin + 50, kBegin + 100};
    intervals.end_ns = {kBegin + 50, kBegin + 100, kBegin + 150};
    intervals.device = {0, 0, 0};
    for (const auto kind : {trace::OverlapKind::kComputing, trace::OverlapKind::kFree,
                            trace::OverlapKind::kComputing}) {
      intervals.kind.push_back(static_cast<std::uint8_t>(kind));
    }
  }
  SqlProfile(const SqlProfile&) = delete;
  SqlProfile& operator=(const SqlProfile&) = delete;

  trace::Trace& trace() { return trace_; }
  answers::Request request() const { return {.trace = trace_, .results = results_}; }

 private:
  void add_op(std::string_view name, std::int64_t start_ns, std::int64_t end_ns) {
    auto& ops = trace_.framework_ops();
    trace::resize_rows(ops, ops.size() + 1);
    ops.name.back() = trace_.strings.intern(name);
    ops.start_ns.back() = start_ns;
    ops.end_ns.back() = end_ns;
  }
  void add_task(std::int64_t start_ns, std::uint32_t kernel) {
    auto& tasks = trace_.tasks();
    trace::resize_rows(tasks, tasks.size() + 1);
    tasks.start_ns.back() = start_ns;
    tasks.end_ns.back() = start_ns + 50;
    tasks.stream.back() = 5;
    tasks.kernel.back() = kernel;
    tasks.copy_direction.back() = trace::kNone;
  }
  void add_kernel(std::string_view name, std::string_view type, std::uint32_t task) {
    auto& kernels = trace_.kernels();
    trace::resize_rows(kernels, kernels.size() + 1);
    kernels.name.back() = trace_.strings.intern(name);
    kernels.op_type.back() = trace_.strings.intern(type);
    kernels.task.back() = task;
  }

  trace::Trace trace_;
  analyze::SharedResults results_;
};

}  // namespace npuprof::query::testing
