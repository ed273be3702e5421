#include "report/timeline/framework_layer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/framework/op_range.h"
#include "report/timeline/sinks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/program_counters.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

std::uint64_t framework_pid(const Trace& trace) {
  if (trace.framework_ops().size() > 0) return trace.framework_ops().pid[0];
  if (trace.enqueues().size() > 0) return trace.enqueues().pid[0];
  if (trace.dequeues().size() > 0) return trace.dequeues().pid[0];
  return trace.session.pid;
}

// Threads in order of first use; those that only dequeue are shown below all others.
template <typename Sink>
void write_operator_lanes(const Trace& trace, std::uint64_t pid, Sink& sink) {
  std::vector<std::uint32_t> threads;
  std::unordered_set<std::uint32_t> known;
  const auto add = [&](const std::vector<std::uint32_t>& tids) {
    for (const std::uint32_t tid : tids) {
      if (known.insert(tid).second) threads.push_back(tid);
    }
  };
  add(trace.framework_ops().tid);
  add(trace.dequeues().tid);
  add(trace.enqueues().tid);
  add(trace.python_calls().tid);
  const std::unordered_set<std::uint32_t> dequeuing(trace.dequeues().tid.begin(),
                                                    trace.dequeues().tid.end());
  const std::unordered_set<std::uint32_t> enqueuing(trace.enqueues().tid.begin(),
                                                    trace.enqueues().tid.end());
  const std::uint64_t greatest =
      threads.empty() ? 0 : *std::max_element(threads.begin(), threads.end());
  for (const std::uint32_t tid : threads) {
    const bool only_dequeues = dequeuing.contains(tid) && !enqueuing.contains(tid);
    sink.lane(pid, tid, "Thread " + std::to_string(tid), only_dequeues ? greatest + 1 : tid);
  }
}

template <typename Sink>
void write_operators(const TimelineContext& context, std::uint64_t pid, Sink& sink) {
  const auto& ops = context.trace.framework_ops();
  sink.slices(
      ops.size(),
      [&ops, pid](std::size_t i) {
        return SlicePlace{pid, ops.tid[i], ops.start_ns[i], ops.end_ns[i]};
      },
      [&ops, &context](auto& event, std::size_t i) {
        event.name(context.view(ops.name[i])).category(category::kOperator);
        event.argument(argument::kSequence, ops.sequence[i]);
        event.argument(argument::kForwardThread, ops.forward_thread[i]);
        if (ops.has_inputs[i] != 0) {
          event.lines(argument::kInputShapes, context.view(ops.input_shapes[i]));
          event.lines(argument::kInputTypes, context.view(ops.input_dtypes[i]));
        }
        if (ops.stack[i] != kEmptyString) {
          event.lines(argument::kStack, context.view(ops.stack[i]));
        }
        if (ops.module_hierarchy[i] != kEmptyString) {
          event.argument(argument::kModuleHierarchy, context.view(ops.module_hierarchy[i]));
        }
        if (ops.extra_args[i] != kEmptyString) {
          const std::string_view extra = context.view(ops.extra_args[i]);
          if (const auto flops = format::framework::flops_value(extra)) {
            event.argument("flops", *flops);
          } else {
            event.argument("flops", extra);
          }
        }
        context.operator_arrows.put(event, i);
      });
}

template <typename Ranges, typename Sink>
void write_queue(const TimelineContext& context, const Ranges& ranges, std::uint64_t pid,
                 Sink& sink) {
  constexpr bool kIsEnqueue = std::is_same_v<Ranges, trace::Enqueues>;
  sink.slices(
      ranges.size(),
      [&ranges, pid](std::size_t i) {
        return SlicePlace{pid, ranges.tid[i], ranges.start_ns[i], ranges.end_ns[i]};
      },
      [&ranges, &context](auto& event, std::size_t i) {
        const auto partner = ranges.partner[i];
        if constexpr (!kIsEnqueue) {
          event.name("Dequeue@", context.view(ranges.name[i])).category(category::kDequeue);
        } else if (partner != kNone) {
          event.name("Enqueue@", context.view(context.trace.dequeues().name[partner]));
          event.category(category::kEnqueue);
        } else {
          event.name("Enqueue").category(category::kEnqueue);
        }
        event.argument(argument::kCorrelation, ranges.correlation[i]);
        // An arrow needs both ends.
        if (partner == kNone) return;
        if constexpr (kIsEnqueue) {
          event.arrow_out(ArrowKind::kQueue, ranges.correlation[i]);
        } else {
          event.arrow_in(ArrowKind::kQueue, ranges.correlation[i]);
        }
      });
}

template <typename Sink>
void write_python_calls(const TimelineContext& context, std::uint64_t pid, Sink& sink) {
  const auto& calls = context.trace.python_calls();
  sink.slices(
      calls.size(),
      [&calls, pid](std::size_t i) {
        return SlicePlace{pid, calls.tid[i], calls.start_ns[i], calls.end_ns[i]};
      },
      [&calls, &context](auto& event, std::size_t i) {
        event.name(context.view(calls.name[i])).category(category::kPythonCall);
        event.argument(argument::kPythonId, calls.id[i])
            .argument(argument::kPythonParent, calls.parent_id[i]);
        if (calls.module_id[i] != kNone)
          event.argument(argument::kPythonModule, calls.module_id[i]);
      });
}

template <typename Sink>
void write_garbage_collections(const Trace& trace, std::uint64_t pid, Sink& sink) {
  const auto& collections = trace.garbage_collections();
  if (collections.size() == 0) return;
  constexpr Layer kLayer{layer::kGarbageCollections, 1, true};
  const std::uint32_t device = trace.devices.empty() ? kHostDevice : trace.devices.front().id;
  const std::uint64_t layer = layer_pid(static_cast<std::uint32_t>(pid), kLayer.sort_index, device);
  sink.layer(kLayer, layer, 0);
  sink.lane(layer, pid, layer::kGarbageCollections, pid);
  sink.slices(
      collections.size(),
      [&collections, layer, pid](std::size_t i) {
        return SlicePlace{layer, pid, collections.start_ns[i], collections.end_ns[i]};
      },
      [](auto& event, std::size_t) { event.name("GC").category(category::kGarbageCollection); });
}

// Each name is a counter of its own.
template <typename Sink>
void write_program_counters(const TimelineContext& context, std::uint64_t pid, Sink& sink) {
  const auto& counters = context.trace.program_counters();
  const auto numbers = std::make_shared<std::unordered_map<StringId, std::uint32_t>>();
  for (const StringId name : counters.name) {
    if (!numbers->contains(name)) {
      numbers->emplace(name, sink.counter(pid, context.view(name), {"value"}));
    }
  }
  sink.samples(counters.size(), [&counters, numbers](std::size_t row) {
    return CounterSample{
        numbers->at(counters.name[row]), counters.time_ns[row], {counters.value[row]}};
  });
}

}  // namespace

template <typename Sink>
void write_framework_layer(const TimelineContext& context, Sink& sink) {
  const std::uint64_t pid = framework_pid(context.trace);
  sink.layer({layer::kPython, 0, true}, pid, 0);
  write_operator_lanes(context.trace, pid, sink);
  write_operators(context, pid, sink);
  write_queue(context, context.trace.dequeues(), pid, sink);
  write_queue(context, context.trace.enqueues(), pid, sink);
  write_python_calls(context, pid, sink);
  write_garbage_collections(context.trace, pid, sink);
  write_program_counters(context, pid, sink);
}

#define NPUPROF_INSTANTIATE(Sink) \
  template void write_framework_layer(const TimelineContext&, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
