#include "analyze/python_frames.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>

#include "analyze/module_frames.h"
#include "analyze/operator_times.h"
#include "base/saturated.h"
#include "base/text.h"
#include "format/framework/python_tracer.h"
#include "link/framework/handed_work.h"
#include "link/framework/op_tree.h"
#include "link/time_order.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"

namespace npuprof::analyze {
namespace {

// Frames by name, in order of their first use.
class FrameTable {
 public:
  std::uint32_t at(std::string_view text) {
    const std::string_view name = format::framework::frame_without_address(text);
    const auto [place, is_new] =
        places_.try_emplace(name, static_cast<std::uint32_t>(frames_.size()));
    if (is_new) frames_.push_back({.name = name, .is_module = module_of_frame(name).has_value()});
    return place->second;
  }
  FrameTotals& operator[](std::uint32_t frame) { return frames_[frame]; }
  std::size_t size() const { return frames_.size(); }

  std::vector<FrameTotals> take() {
    std::stable_sort(frames_.begin(), frames_.end(), [](const auto& a, const auto& b) {
      if (a.self_ns != b.self_ns) return a.self_ns > b.self_ns;
      if (a.device_self_ns != b.device_self_ns) return a.device_self_ns > b.device_self_ns;
      return a.name < b.name;
    });
    return std::move(frames_);
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> places_;
  std::vector<FrameTotals> frames_;
};

// An operator, where Python called it.
struct Work {
  std::int64_t start_ns;
  std::int64_t device_ns;
};

// By thread of `callers`, in order of time. What MindSpore runs on a thread of its own was called
// where the work was handed on.
std::vector<std::vector<Work>> works_of_threads(const trace::Trace& trace,
                                                const OperatorTimes& times,
                                                const link::ThreadOrder& callers) {
  const auto& ops = trace.framework_ops();
  const link::HandedWork handed(trace);
  std::vector<std::vector<Work>> works(callers.thread_count());
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    const std::int64_t device_ns = times.device_self_ns[op];
    const bool is_at_home = callers.find(ops.tid[op]) != link::ThreadOrder::kNoThread;
    if (!is_at_home && device_ns == 0) continue;
    const link::CallPlace place = handed.called_on(op, callers);
    if (place.thread != link::ThreadOrder::kNoThread) {
      works[place.thread].push_back({place.time_ns, device_ns});
    }
  }
  for (std::vector<Work>& of_thread : works) {
    std::stable_sort(of_thread.begin(), of_thread.end(),
                     [](const Work& a, const Work& b) { return a.start_ns < b.start_ns; });
  }
  return works;
}

// Walks through the calls of one thread after the other, with the operators that start in them.
class CallWalk {
 public:
  explicit CallWalk(const trace::Trace& trace) : calls_(trace.python_calls()) {
    frame_of_name_.assign(trace.strings.size(), trace::kNone);
    for (const StringId name : calls_.name) {
      std::uint32_t& frame = frame_of_name_[to_index(name)];
      if (frame == trace::kNone) frame = frames_.at(trace.strings.view(name));
    }
    depth_of_frame_.assign(frames_.size(), 0);
  }

  // `works` in order of time.
  void walk_thread(std::span<const std::uint32_t> call_rows, std::span<const Work> works) {
    auto next = works.begin();
    for (const std::uint32_t call : call_rows) {
      const std::int64_t start_ns = calls_.start_ns[call];
      while (next != works.end() && next->start_ns < start_ns) take_work(*next++);
      close_until(start_ns);
      open(call);
    }
    while (next != works.end()) take_work(*next++);
    while (!open_.empty()) close();
  }

  PythonFrames take(std::int64_t device_ns) {
    return {.frames = frames_.take(),
            .device_outside_ns = saturated_difference(device_ns, device_inside_ns_),
            .device_ns = device_ns};
  }

 private:
  struct OpenCall {
    std::uint32_t frame;
    std::int64_t start_ns;
    std::int64_t end_ns;
    std::int64_t children_ns = 0;
    std::int64_t device_ns = 0;  // With that of calls below.
  };

  // What ends after the call around it is cut there: clocks and damage can do that.
  void open(std::uint32_t call) {
    OpenCall opened{.frame = frame_of_name_[to_index(calls_.name[call])],
                    .start_ns = calls_.start_ns[call],
                    .end_ns = std::max(calls_.end_ns[call], calls_.start_ns[call])};
    if (!open_.empty()) opened.end_ns = std::min(opened.end_ns, open_.back().end_ns);
    ++frames_[opened.frame].calls;
    ++depth_of_frame_[opened.frame];
    open_.push_back(opened);
  }

  void close_until(std::int64_t time_ns) {
    while (!open_.empty() && open_.back().end_ns <= time_ns) close();
  }

  void close() {
    const OpenCall closed = open_.back();
    open_.pop_back();
    const std::int64_t duration_ns = saturated_difference(closed.end_ns, closed.start_ns);
    FrameTotals& frame = frames_[closed.frame];
    add_saturated(frame.self_ns, saturated_difference(duration_ns, closed.children_ns));
    if (--depth_of_frame_[closed.frame] == 0) {
      add_saturated(frame.total_ns, duration_ns);
      add_saturated(frame.device_total_ns, closed.device_ns);
    }
    if (open_.empty()) return;
    add_saturated(open_.back().children_ns, duration_ns);
    add_saturated(open_.back().device_ns, closed.device_ns);
  }

  void take_work(const Work& work) {
    close_until(work.start_ns);
    if (open_.empty()) return;
    FrameTotals& frame = frames_[open_.back().frame];
    ++frame.operators;
    add_saturated(frame.device_self_ns, work.device_ns);
    add_saturated(open_.back().device_ns, work.device_ns);
    add_saturated(device_inside_ns_, work.device_ns);
  }

  const trace::PythonCalls& calls_;
  FrameTable frames_;
  std::vector<std::uint32_t> frame_of_name_;   // By string id.
  std::vector<std::uint32_t> depth_of_frame_;  // How many calls of it are open.
  std::vector<OpenCall> open_;
  std::int64_t device_inside_ns_ = 0;
};

PythonFrames frames_of_calls(const trace::Trace& trace, const OperatorTimes& times,
                             std::int64_t device_ns) {
  const auto& calls = trace.python_calls();
  const link::ThreadOrder call_rows =
      link::ThreadOrder::of_ranges(calls.tid, calls.start_ns, calls.end_ns);
  const auto works = works_of_threads(trace, times, call_rows);
  CallWalk walk(trace);
  for (std::size_t thread = 0; thread < call_rows.thread_count(); ++thread) {
    walk.walk_thread(call_rows.rows(thread), works[thread]);
  }
  return walk.take(device_ns);
}

// What operators with one stack did.
struct StackSums {
  std::uint64_t operators = 0;
  std::int64_t host_ns = 0;
  std::int64_t device_ns = 0;
};

// An operator without a stack was called where the one around it was.
std::vector<StackSums> sums_by_stack(const trace::Trace& trace, const OperatorTimes& times) {
  const auto& ops = trace.framework_ops();
  std::vector<StackSums> sums(trace.strings.size());
  std::vector<StringId> stacks = ops.stack;
  for (const std::uint32_t op : link::ops_in_nesting_order(ops)) {
    const auto parent = ops.parent[op];
    if (stacks[op] == kEmptyString && parent != trace::kNone) stacks[op] = stacks[parent];
    StackSums& sum = sums[to_index(stacks[op])];
    ++sum.operators;
    add_saturated(sum.host_ns, times.host_self_ns[op]);
    add_saturated(sum.device_ns, times.device_self_ns[op]);
  }
  return sums;
}

PythonFrames frames_of_stacks(const trace::Trace& trace, const OperatorTimes& times,
                              std::int64_t device_ns) {
  const std::vector<StackSums> sums = sums_by_stack(trace, times);
  FrameTable frames;
  std::vector<std::string_view> names;
  std::vector<std::uint32_t> seen;
  // Stack 0 is the empty one.
  for (std::uint32_t stack = 1; stack < sums.size(); ++stack) {
    const StackSums& sum = sums[stack];
    if (sum.operators == 0) continue;
    split(trace.strings.view(StringId{stack}), ';', names);
    seen.clear();
    for (const std::string_view text : names) {
      const std::string_view name = trim(text);
      if (name.empty()) continue;
      const std::uint32_t frame = frames.at(name);
      if (seen.empty()) {
        frames[frame].operators += sum.operators;
        add_saturated(frames[frame].self_ns, sum.host_ns);
        add_saturated(frames[frame].device_self_ns, sum.device_ns);
      }
      if (std::find(seen.begin(), seen.end(), frame) != seen.end()) continue;
      seen.push_back(frame);
      add_saturated(frames[frame].total_ns, sum.host_ns);
      add_saturated(frames[frame].device_total_ns, sum.device_ns);
    }
  }
  return {.frames = frames.take(),
          .from_stacks = true,
          .device_outside_ns = sums.front().device_ns,
          .device_ns = device_ns};
}

}  // namespace

PythonFrames python_frames(const trace::Trace& trace) {
  const OperatorTimes times = operator_times(trace);
  std::int64_t device_ns = 0;
  for (const std::int64_t self_ns : times.device_self_ns) add_saturated(device_ns, self_ns);
  return trace.python_calls().size() > 0 ? frames_of_calls(trace, times, device_ns)
                                         : frames_of_stacks(trace, times, device_ns);
}

}  // namespace npuprof::analyze
