#include "link/link.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "base/stage_timer.h"
#include "link/collectives/collectives.h"
#include "link/device/device_mark_pairs.h"
#include "link/device/kernel_records.h"
#include "link/device/launches_to_tasks.h"
#include "link/device/overlap.h"
#include "link/device/replays.h"
#include "link/device/step_trace.h"
#include "link/framework/autograd_pairs.h"
#include "link/framework/call_stacks.h"
#include "link/framework/framework_steps.h"
#include "link/framework/memory_owner.h"
#include "link/framework/mindspore_links.h"
#include "link/framework/op_tree.h"
#include "link/framework/python_replay.h"
#include "link/framework/queue.h"
#include "link/framework/task_origins.h"
#include "link/host/host_calls.h"
#include "trace/device/device_tasks.h"
#include "trace/device/step_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/python_events.h"
#include "trace/framework/queue_marks.h"
#include "trace/launched/launches.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"
#include "trace/table_list.h"

namespace npuprof::link {
namespace {

void run_all(const std::vector<std::function<void()>>& joins, ThreadPool* pool) {
  if (pool != nullptr) {
    pool->parallel_for(joins.size(), [&](std::size_t i) { joins[i](); });
  } else {
    for (const auto& join : joins) join();
  }
}

// Joins within the framework's own records. Returns the operators by thread, in order of start,
// which the joins with device tasks need again.
ThreadOrder link_framework(trace::Trace& trace, ThreadPool* pool, trace::Parts wanted,
                           trace::Losses& losses) {
  std::optional<ThreadOrder> op_rows;
  std::uint64_t nameless_calls = 0;
  // Independent of each other. Only one of them (Python calls) may add strings and none of the
  // others look at texts.
  run_all({
              // framework_ops -> framework_ops.parent
              [&] {
                op_rows = ops_by_thread(trace.framework_ops());
                link_op_tree(trace, *op_rows);
              },
              // python_events, python_names -> python_calls; MindSpore has calls at once
              [&] {
                if (trace.python_calls().size() > 0) {
                  number_python_calls(trace);
                } else {
                  nameless_calls = link_python_calls(trace);
                }
              },
              // queue_marks -> enqueues, dequeues and their partners
              [&] { link_queue(trace); },
              // framework_ops -> forward_backward
              [&] { link_forward_backward(trace); },
              // memory_events -> allocations
              [&] { link_allocations(trace); },
          },
          pool);
  clear_rows(trace.queue_marks());
  clear_rows(trace.python_events());
  if (nameless_calls > 0) {
    losses.add({}, 0, nameless_calls,
               fmt::format("{} Python call(s) have no name: it is not in torch.python_tracer_hash.",
                           nameless_calls));
  }
  // flow_marks, mindspore_ops, framework_ops.parent -> the operators of flows
  link_flows(trace, *op_rows);
  // python_calls, flow_marks, framework_ops.parent -> framework_ops.stack, of MindSpore
  if (wanted.has(trace::Part::kStacks)) link_call_stacks(trace);
  // launch_shapes, mindspore_ops -> launch_shapes.op, inputs of framework_ops
  link_launch_shapes(trace);
  // memory_labels -> allocations.owner_name
  link_memory_labels(trace);
  // enqueues, dequeues, framework_ops.parent -> the operators of both queues
  link_queue_ops(trace, *op_rows);
  // memory_events, dequeues.op, framework_ops.parent -> memory_events.owner
  link_memory_owners(trace, *op_rows);
  return *std::move(op_rows);
}

void report_tasks(const TaskJoin& join, trace::Losses& losses) {
  const auto lost = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) losses.add({}, 0, count, fmt::format("{} {}", count, what));
  };
  lost(join.unmatched_tasks,
       "task(s) of the device have no record of their launch: they have no operator and no name.");
  lost(join.unused_launches, "launch(es) have no task on the device: they were never logged.");
  const auto note = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) losses.note({}, count, fmt::format("{} {}", count, what));
  };
  note(join.early_tasks, "task(s) were launched before the profile began: they have no name.");
  note(join.ambiguous_tasks, "task(s) have several launches of one identity: their order decided.");
}

// Joins of what devices recorded with the launches of the host.
void link_devices(trace::Trace& trace, ThreadPool* pool, trace::Parts wanted,
                  trace::Losses& losses) {
  // Without records of a device there is nothing to join; tables that a result file filled stay.
  const bool has_device = trace.device_tasks().size() > 0 || trace.step_marks().size() > 0;
  if (!has_device && trace.launches().size() == 0) return;
  // device_tasks, pmu_records, launches, launched_ops -> tasks, kernels
  const TaskJoin join = link_tasks(trace);
  // A side that is missing as a whole was said to be when it was loaded.
  if (trace.launches().size() > 0 && !trace.devices.empty()) report_tasks(join, losses);
  if (!has_device) return;
  // Independent of each other. Only one of them (collectives) may add strings and none of the
  // others look at texts.
  run_all({
              // tasks, kernels, launched_collectives, device_collectives -> collective_ops,
              // collective_tasks
              [&] { link_collectives(trace); },
              // kernels -> cache_counters.kernel, aicpu_nodes.kernel
              [&] { link_kernel_records(trace); },
              // step_marks -> iterations, iteration_ranges, device_steps
              [&] { link_step_trace(trace); },
              // step_marks, marks -> device_marks
              [&] { link_device_marks(trace); },
          },
          pool);
  // tasks -> tasks.api, launch_ns and tid of runs of graphs, collective_ops.api
  link_replays(trace);
  // tasks, kernels, collective_ops -> overlap_intervals
  if (wanted.has(trace::Part::kOverlap)) link_overlap(trace);
}

// Joins of device tasks with the framework that asked for them.
void link_framework_to_tasks(trace::Trace& trace, const ThreadOrder& op_rows) {
  // tasks, dequeues, enqueues.op, framework_ops.parent -> where each task comes from
  const std::vector<TaskOrigin> origins = find_task_origins(trace, op_rows);
  // origins -> kernel_ops
  link_kernel_ops(trace, origins);
  // framework_ops, tasks, origins -> steps
  link_steps(trace, origins);
}

// A loader that nobody asked for details left columns without values.
bool has_details(const trace::Trace& trace) {
  return trace.tasks().launch_ns.size() == trace.tasks().size() &&
         trace.framework_ops().sequence.size() == trace.framework_ops().size();
}

// What results of a profile do not say themselves. The joins they carry are kept.
void link_results(trace::Trace& trace, trace::Parts wanted) {
  const ThreadOrder op_rows = ops_by_thread(trace.framework_ops());
  link_op_tree(trace, op_rows);
  join_queues(trace);
  link_queue_ops(trace, op_rows);
  const trace::PythonCalls& calls = trace.python_calls();
  if (calls.size() > 0 && calls.id[0] == trace::kNone) number_python_calls(trace);
  link_flows(trace, op_rows);
  const bool lacks_overlap = trace.overlap_intervals().size() == 0;
  if (lacks_overlap && wanted.has(trace::Part::kOverlap)) link_overlap(trace);
  if (!has_details(trace)) return;
  if (wanted.has(trace::Part::kStacks)) link_call_stacks(trace);
  if (trace.forward_backward().size() == 0) link_forward_backward(trace);
  const std::vector<std::uint32_t> replayed = link_replays(trace);
  std::vector<TaskOrigin> origins = find_task_origins(trace, op_rows);
  if (trace.kernel_ops().size() == 0) {
    link_kernel_ops(trace, origins);
  } else if (!replayed.empty()) {
    relink_kernel_ops(trace, origins, replayed);
  }
  // Without the launching calls an operator's begin is all that is known of when it asked.
  for (std::size_t i = 0; i < trace.kernel_ops().size(); ++i) {
    TaskOrigin& origin = origins[trace.kernel_ops().task[i]];
    if (origin.asked_ns != TaskOrigin::kUnknownTime) continue;
    origin.asked_ns = trace.framework_ops().start_ns[trace.kernel_ops().op[i]];
  }
  link_steps(trace, origins);
}

void tell_memory(const trace::Trace& trace) {
  if (!log::enabled(log::Level::kDebug)) return;
  log::debug("tables take {:.1f} MB", static_cast<double>(trace::memory_bytes(trace)) / 1e6);
}

}  // namespace

trace::Losses link_all(trace::Trace& trace, ThreadPool* pool, trace::Parts wanted) {
  trace::Losses losses;
  if (trace.session.origin == trace::Origin::kResults) {
    link_results(trace, wanted);
    tell_memory(trace);
    return losses;
  }
  const auto timed = [](const char* stage, const auto& join) {
    const StageTimer timer(stage);
    return join();
  };
  const ThreadOrder op_rows =
      timed("link framework", [&] { return link_framework(trace, pool, wanted, losses); });
  // api_calls, task_tracks and the records between them -> launches, launched_ops,
  // launched_collectives
  timed("link host calls", [&] { link_host_calls(trace); });
  timed("link devices", [&] { link_devices(trace, pool, wanted, losses); });
  timed("link framework to tasks", [&] { link_framework_to_tasks(trace, op_rows); });
  tell_memory(trace);
  return losses;
}

}  // namespace npuprof::link
