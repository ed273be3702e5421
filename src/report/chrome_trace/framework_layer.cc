#include "report/chrome_trace/framework_layer.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "report/chrome_trace/cann_layers.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

// Readers collect the ends of arrows by id alone, so each kind has a range of its own. Queue arrows
// keep the correlation id; ids stay below 2^53, which JavaScript can tell apart.
constexpr std::uint64_t kFirstBackwardArrow = std::uint64_t{1} << 48;

class FrameworkLayer {
 public:
  FrameworkLayer(const Trace& trace, Timeline& timeline) : trace_(trace), timeline_(timeline) {
    if (trace.framework_ops.size() > 0) {
      pid_ = trace.framework_ops.pid[0];
    } else if (trace.enqueues.size() > 0) {
      pid_ = trace.enqueues.pid[0];
    } else if (trace.dequeues.size() > 0) {
      pid_ = trace.dequeues.pid[0];
    } else {
      pid_ = trace.session.pid;
    }
  }

  void write() {
    write_metadata();
    write_operators();
    write_queue(trace_.dequeues, false);
    write_queue(trace_.enqueues, true);
    write_backward_arrows();
    write_python_calls();
    write_garbage_collections();
  }

 private:
  std::string_view view(StringId id) const { return trace_.strings.view(id); }

  void write_metadata();
  void write_operators();
  void put_operator(TextBuffer& out, std::size_t op) const;
  void put_lines(TextBuffer& out, std::string_view key, StringId text) const;
  void write_queue(const trace::QueueRanges& ranges, bool enqueue);
  void write_backward_arrows();
  void write_python_calls();
  void write_garbage_collections();

  const Trace& trace_;
  Timeline& timeline_;
  std::uint64_t pid_ = 0;
};

void FrameworkLayer::write_metadata() {
  timeline_.layer({"Python", 0, true}, pid_, 0);
  // Threads in order of first use; those that only dequeue are shown below all others.
  std::vector<std::uint32_t> threads;
  std::unordered_set<std::uint32_t> known;
  const auto add = [&](const std::vector<std::uint32_t>& tids) {
    for (const std::uint32_t tid : tids) {
      if (known.insert(tid).second) threads.push_back(tid);
    }
  };
  add(trace_.framework_ops.tid);
  add(trace_.dequeues.tid);
  add(trace_.enqueues.tid);
  add(trace_.python_calls.tid);
  const std::unordered_set<std::uint32_t> dequeuing(trace_.dequeues.tid.begin(),
                                                    trace_.dequeues.tid.end());
  const std::unordered_set<std::uint32_t> enqueuing(trace_.enqueues.tid.begin(),
                                                    trace_.enqueues.tid.end());
  const std::uint64_t greatest =
      threads.empty() ? 0 : *std::max_element(threads.begin(), threads.end());
  for (const std::uint32_t tid : threads) {
    const bool only_dequeues = dequeuing.contains(tid) && !enqueuing.contains(tid);
    timeline_.lane(pid_, tid, "Thread " + std::to_string(tid), only_dequeues ? greatest + 1 : tid);
  }
}

// An argument whose parts, joined by ';', each have a line.
void FrameworkLayer::put_lines(TextBuffer& out, std::string_view key, StringId text) const {
  out.text(",\"").text(key).text("\":");
  const std::string_view joined = view(text);
  if (joined.find(';') == std::string_view::npos) {
    out.json(joined);
    return;
  }
  std::string lines;
  for (const char c : joined) {
    lines += c;
    if (c == ';') lines += "\r\n";
  }
  out.json(lines);
}

void FrameworkLayer::put_operator(TextBuffer& out, std::size_t op) const {
  const auto& ops = trace_.framework_ops;
  EventText event(out);
  event.slice(view(ops.name[op]), pid_, ops.tid[op], ops.start_ns[op], ops.end_ns[op]);
  event.category("cpu_op").begin_args();
  event.argument("Sequence number", ops.sequence[op])
      .argument("Fwd thread id", ops.forward_thread[op]);
  if (ops.has_inputs[op] != 0) {
    put_lines(out, "Input Dims", ops.input_shapes[op]);
    put_lines(out, "Input type", ops.input_dtypes[op]);
  }
  if (ops.stack[op] != kEmptyString) put_lines(out, "Call stack", ops.stack[op]);
  if (ops.module_hierarchy[op] != kEmptyString) {
    event.argument("Module Hierarchy", view(ops.module_hierarchy[op]));
  }
  if (ops.extra_args[op] != kEmptyString) event.argument("flops", view(ops.extra_args[op]));
  event.end_args().end();
}

void FrameworkLayer::write_operators() {
  timeline_.events(trace_.framework_ops.size(),
                   [&](TextBuffer& out, std::size_t first, std::size_t last) {
                     for (std::size_t i = first; i < last; ++i) put_operator(out, i);
                   });
}

void FrameworkLayer::write_queue(const trace::QueueRanges& ranges, bool enqueue) {
  timeline_.events(ranges.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    std::string name;
    for (std::size_t i = first; i < last; ++i) {
      name = enqueue ? "Enqueue" : "Dequeue@";
      if (!enqueue) {
        name += view(ranges.name[i]);
      } else if (ranges.partner[i] != kNone) {
        name += "@";
        name += view(trace_.dequeues.name[ranges.partner[i]]);
      }
      EventText event(out);
      event.slice(name, pid_, ranges.tid[i], ranges.start_ns[i], ranges.end_ns[i]);
      event.category(enqueue ? "enqueue" : "dequeue").begin_args();
      event.argument("correlation_id", ranges.correlation[i]).end_args().end();
      // An arrow needs both ends.
      if (ranges.partner[i] == kNone) continue;
      event.flow(enqueue ? 's' : 'f', "enqueue_to_dequeue", "async_task_queue", pid_, ranges.tid[i],
                 ranges.start_ns[i]);
      out.text(",\"id\":").integer(ranges.correlation[i]);
      event.end();
    }
  });
}

void FrameworkLayer::write_backward_arrows() {
  const auto& pairs = trace_.forward_backward;
  const auto& ops = trace_.framework_ops;
  timeline_.events(pairs.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t forward = pairs.forward[i];
      const std::uint32_t backward = pairs.backward[i];
      if (ops.tid[forward] == ops.tid[backward]) continue;
      for (const bool begins : {true, false}) {
        const std::uint32_t op = begins ? forward : backward;
        EventText event(out);
        event.flow(begins ? 's' : 'f', "fwdbwd", "fwdbwd", pid_, ops.tid[op], ops.start_ns[op]);
        out.text(",\"id\":")
            .integer(kFirstBackwardArrow + static_cast<std::uint64_t>(pairs.sequence[i]));
        event.end();
      }
    }
  });
}

void FrameworkLayer::write_python_calls() {
  const auto& calls = trace_.python_calls;
  timeline_.events(calls.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      EventText event(out);
      event.slice(view(calls.name[i]), pid_, calls.tid[i], calls.start_ns[i], calls.end_ns[i]);
      event.category("python_function").begin_args().argument("Python id", calls.id[i]);
      event.argument("Python parent id", calls.parent_id[i]);
      if (calls.module_id[i] != kNone) event.argument("Python module id", calls.module_id[i]);
      event.end_args().end();
    }
  });
}

void FrameworkLayer::write_garbage_collections() {
  const auto& collections = trace_.garbage_collections;
  if (collections.size() == 0) return;
  constexpr Layer kLayer{"Python GC", 1, true};
  const std::uint32_t device = trace_.devices.empty() ? kHostDevice : trace_.devices.front().id;
  const std::uint64_t layer =
      layer_pid(static_cast<std::uint32_t>(pid_), kLayer.sort_index, device);
  timeline_.layer(kLayer, layer, 0);
  timeline_.lane(layer, pid_, "Python GC", pid_);
  timeline_.events(collections.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      EventText event(out);
      event.slice("GC", layer, collections.pid[i], collections.start_ns[i], collections.end_ns[i]);
      event.category("GC").begin_args().end_args().end();
    }
  });
}

}  // namespace

void write_framework_layer(const Trace& trace, Timeline& timeline) {
  FrameworkLayer(trace, timeline).write();
}

void write_operator_arrows(const Trace& trace, Timeline& timeline) {
  const auto& ops = trace.framework_ops;
  const auto& tasks = trace.tasks;
  // One arrow for each call that the operator led to: to its first task.
  trace::KernelOps pairs;
  for (std::size_t i = 0; i < trace.kernel_ops.size(); ++i) {
    const std::uint32_t op = trace.kernel_ops.op[i];
    const std::uint32_t task = trace.kernel_ops.task[i];
    const bool again = pairs.size() > 0 && pairs.op.back() == op && tasks.api[task] != kNone &&
                       tasks.api[pairs.task.back()] == tasks.api[task];
    if (again) continue;
    pairs.op.push_back(op);
    pairs.task.push_back(task);
  }
  if (pairs.size() == 0) return;
  // The id of an arrow is the start of its task in ns; where two tasks start together the next free
  // number. As text, since it has more digits than a double.
  std::vector<std::int64_t> ids(pairs.size());
  std::vector<std::uint32_t> order(pairs.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(tasks.start_ns[pairs.task[a]], a) <
           std::pair(tasks.start_ns[pairs.task[b]], b);
  });
  std::int64_t next = 0;
  for (const std::uint32_t i : order) {
    ids[i] = std::max(next, tasks.start_ns[pairs.task[i]]);
    next = ids[i] + 1;
  }
  const std::uint64_t pid = ops.pid[0];
  timeline.events(pairs.size(), [&](TextBuffer& out, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t op = pairs.op[i];
      const std::uint32_t task = pairs.task[i];
      const std::uint64_t hardware =
          layer_pid(trace.session.pid, kHardwareLayer.sort_index, tasks.device[task]);
      EventText event(out);
      event.flow('s', "torch_to_npu", "async_npu", pid, ops.tid[op], ops.start_ns[op]);
      out.text(",\"id\":\"").integer(ids[i]).character('"');
      event.end();
      event.flow('f', "torch_to_npu", "async_npu", hardware, tasks.stream[task],
                 tasks.start_ns[task]);
      out.text(",\"id\":\"").integer(ids[i]).character('"');
      event.end();
    }
  });
}

}  // namespace npuprof::report
