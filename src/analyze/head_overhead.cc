#include "analyze/head_overhead.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/graph_events.h"
#include "analyze/graph_executions.h"
#include "analyze/graph_first_tasks.h"
#include "analyze/graph_front_end.h"
#include "base/saturated.h"
#include "format/framework/op_range.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/steps.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::int64_t kBeginOfTime = std::numeric_limits<std::int64_t>::min();

struct PreparingOp {
  std::size_t execution;
  StringId name;
  std::int64_t length_ns;
};

struct CompileRange {
  std::uint32_t place;
  std::size_t execution;  // SIZE_MAX = of none.
};

// What all threads share.
struct GraphSources {
  explicit GraphSources(const trace::Trace& all)
      : trace(all), steps(all), frames(all), first_tasks(all) {}

  const trace::Trace& trace;
  GraphSteps steps;
  CompiledFrames frames;
  GraphFirstTasks first_tasks;
};

class GraphThreadExecutions {
 public:
  GraphThreadExecutions(const GraphThread& thread, const GraphSources& sources)
      : thread_(thread),
        sources_(sources),
        front_end_(thread, sources.frames.find(thread.pid, thread.tid)) {
    FoundExecutions all = find_graph_executions(thread);
    found_ = std::move(all.executions);
    lone_launches_ = std::move(all.lone_launches);
    for (const std::uint32_t place : all.compile) compile_.push_back({place, SIZE_MAX});
    for (const FoundExecution& found : found_) earlier_ends_.push_back(found.range.end);
    std::sort(earlier_ends_.begin(), earlier_ends_.end());
    for (const FoundExecution& found : found_) measure(found);
    mark_cut_last_run();
    name_groups();
  }

  void add_to(HeadOverhead& result, const ChosenTimes& chosen) {
    std::map<std::pair<std::string, StringId>, std::size_t> places;
    for (const PreparingOp& op : preparing_) {
      if (!chosen.host(executions_[op.execution].start_ns)) continue;
      const std::string& group = executions_[op.execution].group;
      const auto [place, is_new] = places.try_emplace({group, op.name}, result.preparations.size());
      if (is_new) {
        result.preparations.push_back(
            {.pid = thread_.pid, .tid = thread_.tid, .group = group, .name = op.name});
      }
      InputPreparation& row = result.preparations[place->second];
      ++row.count;
      add_saturated(row.total_ns, op.length_ns);
    }
    for (const auto* ranges : {&compile_, &loads_}) {
      for (const CompileRange& range : *ranges) {
        const bool is_of_one = range.execution != SIZE_MAX;
        const std::int64_t start_ns =
            is_of_one ? executions_[range.execution].start_ns : thread_.starts[range.place];
        if (chosen.host(start_ns)) result.compilations.push_back(compilation(range));
      }
    }
    for (const std::uint32_t launch : lone_launches_) {
      if (chosen.host(thread_.starts[launch])) ++result.lone_launches;
    }
    for (GraphExecution& execution : executions_) {
      if (chosen.host(execution.start_ns)) result.executions.push_back(std::move(execution));
    }
  }

 private:
  std::int64_t length(std::uint32_t place) const {
    return saturated_difference(thread_.ends[place], thread_.starts[place]);
  }
  void measure(const FoundExecution& found) {
    GraphExecution& execution = executions_.emplace_back();
    execution.pid = thread_.pid;
    execution.tid = thread_.tid;
    execution.start_ns = found.range.begin;
    execution.end_ns = found.range.end;
    const std::uint32_t step = sources_.steps.find(found.range.begin);
    if (step != kNone) execution.step = sources_.trace.steps().id[step];
    for (const std::uint32_t place : {found.outer, found.run}) {
      if (place != kNone && is_cut(place)) execution.is_truncated = true;
    }
    if (found.run == kNone) {
      measure_without_run(found, execution);
    } else {
      measure_run(found, execution);
    }
  }

  // The profile began or ended while the range was open, or its end was never recorded.
  bool is_cut(std::uint32_t place) const {
    const std::int64_t begin_ns = sources_.trace.session.begin_ns;
    const std::int64_t end_ns = sources_.trace.session.end_ns;
    const std::int64_t start = thread_.starts[place];
    const std::int64_t end = thread_.ends[place];
    return thread_.is_damaged[place] || (begin_ns != 0 && start < begin_ns && begin_ns < end) ||
           (end_ns != 0 && start < end_ns && end_ns < end);
  }

  // The end of the last execution before this one.
  std::int64_t previous_end(std::int64_t begin_ns) const {
    const auto next = std::upper_bound(earlier_ends_.begin(), earlier_ends_.end(), begin_ns);
    return next == earlier_ends_.begin() ? kBeginOfTime : *std::prev(next);
  }

  // When a step or a scope of the user began around the execution.
  std::optional<std::int64_t> enclosing_begin(const FoundExecution& found) const {
    const std::uint32_t step = sources_.steps.find(found.range.begin);
    if (step != kNone) return sources_.trace.steps().host_start_ns[step];
    const std::uint32_t scope = outermost_scope(found);
    return scope == kNone ? std::nullopt : std::optional(thread_.starts[scope]);
  }

  std::uint32_t outermost_scope(const FoundExecution& found) const {
    const std::uint32_t innermost = found.outer != kNone ? found.outer : found.run;
    std::uint32_t outermost = kNone;
    for (std::uint32_t outer = thread_.parent[innermost]; outer != kNone;
         outer = thread_.parent[outer]) {
      const bool is_scope = sources_.trace.framework_ops().scope[thread_.rows[outer]] ==
                            static_cast<std::uint8_t>(format::framework::OpScope::kUserScope);
      if (thread_.events[outer] == GraphEvent::kOther && is_scope) outermost = outer;
    }
    return outermost;
  }

  void find_front_end(const FoundExecution& found, GraphExecution& execution) const {
    if (found.before != kNone) {
      // The front end was before the first Run of the outer range.
      execution.rule = FrontEndRule::kRegion;
      execution.front_end_begin_ns = found.range.begin;
      return;
    }
    const std::int64_t previous_ns = previous_end(found.range.begin);
    const std::uint32_t wrapper = found.wrapper;
    Interval range = found.range;
    if (wrapper != kNone) range = {thread_.starts[wrapper], thread_.ends[wrapper]};
    const auto outside = enclosing_begin(found);
    if (wrapper != kNone && previous_ns >= range.begin) {
      execution.rule = FrontEndRule::kWrapper;
      execution.front_end_begin_ns = previous_ns;
    } else if (const auto begin = front_end_.find(range, previous_ns)) {
      execution.rule = begin->rule;
      execution.front_end_begin_ns = begin->time_ns;
      if (previous_ns != kBeginOfTime || outside) {
        const std::int64_t earliest_ns = std::max(previous_ns, outside.value_or(kBeginOfTime));
        execution.front_end_outer_ns =
            std::max<std::int64_t>(0, saturated_difference(begin->time_ns, earliest_ns));
      }
    } else if (previous_ns != kBeginOfTime || outside) {
      execution.rule = FrontEndRule::kUpperBound;
      execution.front_end_begin_ns = std::max(previous_ns, outside.value_or(kBeginOfTime));
    }
  }

  // Time of compilation in the interval, which then belongs to the execution.
  std::int64_t take_compilation(const Interval& within) {
    std::int64_t sum_ns = 0;
    auto range = std::lower_bound(compile_.begin(), compile_.end(), within.begin,
                                  [&](const CompileRange& compile, std::int64_t time) {
                                    return thread_.starts[compile.place] < time;
                                  });
    for (; range != compile_.end() && thread_.starts[range->place] <= within.end; ++range) {
      if (thread_.ends[range->place] > within.end || range->execution != SIZE_MAX) continue;
      range->execution = executions_.size() - 1;
      add_saturated(sum_ns, length(range->place));
    }
    return sum_ns;
  }

  // Time of loading graphs in the interval, apart from what compilation loads.
  std::int64_t take_loads(const Interval& within) {
    std::int64_t sum_ns = 0;
    for (std::size_t i = thread_.first_from(within.begin); i < thread_.size(); ++i) {
      const auto place = static_cast<std::uint32_t>(i);
      if (thread_.starts[place] > within.end) break;
      if (thread_.events[place] != GraphEvent::kLoadGraph || thread_.ends[place] > within.end) {
        continue;
      }
      if (enclosing_graph_event(thread_, place, GraphEvent::kLoadGraph) != kNone ||
          enclosing_graph_event(thread_, place, GraphEvent::kCompile) != kNone) {
        continue;
      }
      add_saturated(sum_ns, length(place));
      loads_.push_back({place, executions_.size() - 1});
    }
    return sum_ns;
  }

  // Where the front end ends and TorchAir begins; nothing if no range says so.
  std::optional<std::int64_t> torchair_begin(const FoundExecution& found) const {
    if (found.outer == kNone) return std::nullopt;
    if (found.before != kNone || thread_.events[found.outer] == GraphEvent::kInference) {
      return found.range.begin;
    }
    // Dynamo works inside `cache_compiler inference`.
    std::optional<std::int64_t> begin_ns;
    for (std::uint32_t outer = thread_.parent[found.run]; outer != found.outer;
         outer = thread_.parent[outer]) {
      if (thread_.events[outer] == GraphEvent::kRegion) begin_ns = thread_.starts[outer];
    }
    const auto lookup = front_end_.last_lookup({found.range.begin, thread_.starts[found.run]});
    if (lookup) begin_ns = std::max(begin_ns.value_or(kBeginOfTime), thread_.ends[*lookup]);
    return begin_ns;
  }

  void measure_run(const FoundExecution& found, GraphExecution& execution) {
    const std::int64_t run_start = thread_.starts[found.run];
    const auto begin_ns = torchair_begin(found);
    execution.torchair_begin_ns = begin_ns;
    execution.run_begin_ns = run_start;
    execution.run_end_ns = thread_.ends[found.run];
    const bool is_cached =
        found.outer != kNone && thread_.events[found.outer] == GraphEvent::kCacheInference;
    if (is_cached && found.before == kNone) {
      execution.rule = FrontEndRule::kCacheCompiler;
      execution.front_end_begin_ns = found.range.begin;
    } else {
      find_front_end(found, execution);
    }
    if (begin_ns) {
      const std::int64_t compile_ns = take_compilation({*begin_ns, run_start});
      add_saturated(execution.load_ns, take_loads({*begin_ns, run_start}));
      execution.torchair_py_ns = saturated_difference(saturated_difference(run_start, *begin_ns),
                                                      saturated_sum(compile_ns, execution.load_ns));
      execution.compile_ns = compile_ns;
      add_preparing_ops(found, *begin_ns, execution);
    } else {
      execution.is_partial = true;
      execution.is_truncated = execution.is_truncated || is_inside_cut_inference(found.run);
    }
    measure_front_end(begin_ns.value_or(run_start), begin_ns.has_value(), execution);
    measure_launch(found, execution);
    if (found.outer != kNone && execution.front_end_begin_ns) {
      execution.head_ns = saturated_difference(found.range.end, *execution.front_end_begin_ns);
    }
  }

  // Some compile before the inference begins; that is no steady front end either.
  void measure_front_end(std::int64_t end_ns, bool end_is_known, GraphExecution& execution) {
    if (!execution.front_end_begin_ns) return;
    const std::int64_t begin_ns = *execution.front_end_begin_ns;
    const std::int64_t compile_ns = take_compilation({begin_ns, end_ns});
    add_saturated(execution.compile_ns, compile_ns);
    if (!end_is_known) return;
    execution.front_end_ns =
        saturated_difference(saturated_difference(end_ns, begin_ns), compile_ns);
  }

  // A Run that ends after the inference in which it began.
  bool is_inside_cut_inference(std::uint32_t run) const {
    for (std::uint32_t place = run; place-- > 0;) {
      if (thread_.events[place] != GraphEvent::kInference) {
        if (thread_.events[place] == GraphEvent::kRun) return false;
        continue;
      }
      return thread_.ends[place] > thread_.starts[run];
    }
    return false;
  }

  void add_preparing_ops(const FoundExecution& found, std::int64_t begin_ns,
                         GraphExecution& execution) {
    std::int64_t covered_ns = begin_ns;
    for (std::size_t place = thread_.first_from(begin_ns); place < found.run; ++place) {
      // Ranges around Run, and what begins inside an operator that was counted.
      if (place == found.outer || thread_.ends[place] > thread_.starts[found.run]) continue;
      if (thread_.starts[place] < covered_ns) continue;
      covered_ns = thread_.ends[place];
      if (thread_.events[place] != GraphEvent::kOther) continue;
      const auto duration_ns = length(static_cast<std::uint32_t>(place));
      ++execution.py_ops;
      add_saturated(execution.py_ops_ns, duration_ns);
      preparing_.push_back({executions_.size() - 1,
                            sources_.trace.framework_ops().name[thread_.rows[place]], duration_ns});
    }
  }

  // From Run to the end.
  void measure_launch(const FoundExecution& found, GraphExecution& execution) {
    const std::int64_t run_end = thread_.ends[found.run];
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
    std::int64_t launch_ns = 0;
    for (std::uint32_t place = found.run + 1;
         place < thread_.size() && thread_.starts[place] <= run_end; ++place) {
      if (thread_.ends[place] > run_end) continue;
      const GraphEvent event = thread_.events[place];
      if (event == GraphEvent::kExecute) {
        if (last != kNone && thread_.starts[place] < thread_.ends[last]) continue;
        execution.has_many_launches = last != kNone;
        if (first == kNone) first = place;
        last = place;
        add_saturated(launch_ns, length(place));
      } else if (first == kNone) {
        add_part_of_run(event, place, execution);
      }
    }
    const Interval before_launch{thread_.starts[found.run],
                                 first == kNone ? run_end : thread_.starts[first]};
    const std::int64_t compile_ns = take_compilation(before_launch);
    const std::int64_t load_ns = take_loads(before_launch);
    add_saturated(execution.compile_ns, compile_ns);
    add_saturated(execution.load_ns, load_ns);
    if (first == kNone) {
      execution.is_unfinished = true;
      return;
    }
    execution.is_truncated = execution.is_truncated || is_cut(last);
    const std::int64_t launch_start = before_launch.end;
    execution.torchair_cpp_ns =
        saturated_difference(saturated_difference(launch_start, before_launch.begin),
                             saturated_sum(compile_ns, load_ns));
    execution.launch_begin_ns = launch_start;
    execution.launch_end_ns = thread_.ends[last];
    execution.ge_launch_ns = launch_ns;
    execution.post_cpp_ns =
        saturated_difference(saturated_difference(run_end, launch_start), launch_ns);
    if (found.outer != kNone) {
      execution.ge_ns = saturated_difference(found.range.end, launch_start);
      execution.post_py_ns = saturated_difference(found.range.end, run_end);
    }
    find_first_kernel(launch_start, thread_.ends[last], execution);
  }

  void add_part_of_run(GraphEvent event, std::uint32_t place, GraphExecution& execution) {
    if (event == GraphEvent::kAssembleInputs) {
      add_saturated(execution.assemble_inputs_ns, length(place));
    } else if (event == GraphEvent::kAssembleOutputs) {
      add_saturated(execution.assemble_outputs_ns, length(place));
    }
  }

  void find_first_kernel(std::int64_t begin_ns, std::int64_t end_ns,
                         GraphExecution& execution) const {
    const auto task = sources_.first_tasks.find(thread_.tid, begin_ns, end_ns);
    if (!task) return;
    execution.first_kernel_ns = saturated_difference(task->start_ns, begin_ns);
    execution.first_kernel_is_guess = task->is_guess;
  }

  // A replayed graph, or operators one by one.
  void measure_without_run(const FoundExecution& found, GraphExecution& execution) {
    std::uint32_t first_replay = kNone;
    std::uint32_t last_replay = kNone;
    std::int64_t one_off_ns = 0;
    bool is_acl_graph = false;
    for (std::uint32_t place = found.outer + 1;
         place < thread_.size() && thread_.starts[place] <= found.range.end; ++place) {
      const GraphEvent event = thread_.events[place];
      if (event != GraphEvent::kReplay && event != GraphEvent::kWarmUp &&
          event != GraphEvent::kCapture) {
        continue;
      }
      is_acl_graph = true;
      if (event == GraphEvent::kReplay) {
        if (first_replay == kNone) first_replay = place;
        last_replay = place;
      } else if (first_replay == kNone) {
        add_saturated(one_off_ns, length(place));
        loads_.push_back({place, executions_.size() - 1});
      }
    }
    if (!is_acl_graph) {
      execution.mode = GraphMode::kEager;
      return;
    }
    execution.mode = GraphMode::kAclGraph;
    find_front_end(found, execution);
    execution.torchair_begin_ns = found.range.begin;
    measure_front_end(found.range.begin, true, execution);
    add_saturated(execution.compile_ns, one_off_ns);
    if (execution.front_end_begin_ns) {
      execution.head_ns = saturated_difference(found.range.end, *execution.front_end_begin_ns);
    }
    if (first_replay == kNone) {
      execution.is_unfinished = true;
      return;
    }
    const std::int64_t replay_start = thread_.starts[first_replay];
    const std::int64_t replay_end = thread_.ends[last_replay];
    execution.launch_begin_ns = replay_start;
    execution.launch_end_ns = replay_end;
    execution.has_many_launches = first_replay != last_replay;
    execution.torchair_py_ns =
        saturated_difference(saturated_difference(replay_start, found.range.begin), one_off_ns);
    execution.replay_ns = saturated_difference(replay_end, replay_start);
    execution.post_py_ns = saturated_difference(found.range.end, replay_end);
    find_first_kernel(replay_start, replay_end, execution);
  }

  // Ranges are recorded when they end: an outer one that was open when the profile ended is
  // missing, and the last Run of the thread stands alone.
  void mark_cut_last_run() {
    if (found_.size() < 2) return;
    const bool others_are_whole =
        std::all_of(found_.begin(), std::prev(found_.end()),
                    [](const FoundExecution& found) { return found.outer != kNone; });
    if (found_.back().outer == kNone && others_are_whole) executions_.back().is_truncated = true;
  }

  void name_groups() {
    std::map<std::uint32_t, std::uint32_t> runs_of_region;
    std::map<std::uint32_t, std::uint32_t> runs_of_scope;
    std::map<std::int64_t, std::uint32_t> runs_of_step;
    std::map<std::string, std::uint32_t> calls;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      GraphExecution& execution = executions_[i];
      const auto [region, id] = innermost_region(found_[i]);
      if (region != kNone) {
        const std::uint32_t number = ++runs_of_region[region];
        execution.group = id;
        if (number > 1) execution.group += "#" + std::to_string(number);
      } else if (execution.step) {
        execution.group = "#" + std::to_string(++runs_of_step[*execution.step]);
      } else if (const std::uint32_t scope = outermost_scope(found_[i]); scope != kNone) {
        execution.group = "#" + std::to_string(++runs_of_scope[scope]);
      } else {
        execution.group = "all";
      }
      execution.call = ++calls[execution.group];
      execution.is_first = execution.call == 1;
    }
  }

  std::pair<std::uint32_t, std::string_view> innermost_region(const FoundExecution& found) const {
    std::uint32_t place = found.run != kNone ? found.run : found.outer;
    for (; place != kNone; place = thread_.parent[place]) {
      if (thread_.events[place] != GraphEvent::kRegion) continue;
      const StringId name = sources_.trace.framework_ops().name[thread_.rows[place]];
      const std::string_view id = region_id(sources_.trace.strings.view(name));
      if (!id.empty()) return {place, id};
    }
    return {kNone, {}};
  }

  GraphCompilation compilation(const CompileRange& range) const {
    GraphCompilation row{.pid = thread_.pid, .tid = thread_.tid};
    row.start_ns = thread_.starts[range.place];
    row.length_ns = length(range.place);
    row.name = sources_.trace.framework_ops().name[thread_.rows[range.place]];
    if (range.execution == SIZE_MAX) return row;
    const GraphExecution& execution = executions_[range.execution];
    row.when = execution.is_first ? GraphCompilation::When::kFirstCall
                                  : GraphCompilation::When::kRecompilation;
    row.group = execution.group;
    row.step = execution.step;
    return row;
  }

  const GraphThread& thread_;
  const GraphSources& sources_;
  GraphFrontEnd front_end_;
  std::vector<FoundExecution> found_;
  std::vector<std::int64_t> earlier_ends_;  // Of all executions, in order.
  std::vector<GraphExecution> executions_;  // As found_.
  std::vector<PreparingOp> preparing_;
  std::vector<CompileRange> compile_;
  std::vector<CompileRange> loads_;           // LoadGraph, warm-up and capture.
  std::vector<std::uint32_t> lone_launches_;  // Places.
};

InputPreparation::Hint preparation_hint(std::string_view name) {
  static constexpr std::string_view kCopies[] = {"aten::contiguous", "aten::clone", "aten::copy_",
                                                 "aten::_to_copy", "aten::to"};
  static constexpr std::string_view kNewTensors[] = {"aten::empty",         "aten::fill_",
                                                     "aten::scalar_tensor", "aten::tensor",
                                                     "aten::lift_fresh",    "aten::full"};
  const auto has = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  if (has(kCopies)) return InputPreparation::Hint::kNotContiguous;
  if (has(kNewTensors)) return InputPreparation::Hint::kNewTensors;
  return InputPreparation::Hint::kNothing;
}

}  // namespace

std::optional<std::int64_t> GraphExecution::pure_python_ns() const {
  if (!torchair_py_ns || mode != GraphMode::kGe) return std::nullopt;
  return saturated_difference(*torchair_py_ns, py_ops_ns);
}

std::optional<std::int64_t> GraphExecution::cpp_rest_ns() const {
  if (!torchair_cpp_ns) return std::nullopt;
  return saturated_difference(saturated_difference(*torchair_cpp_ns, assemble_inputs_ns),
                              assemble_outputs_ns);
}

HeadOverhead head_overhead(const trace::Trace& trace, const ChosenTimes& chosen) {
  HeadOverhead result;
  const std::vector<GraphThread> threads = graph_threads(trace);
  if (threads.empty()) return result;
  const GraphSources sources(trace);
  for (const GraphThread& thread : threads) {
    GraphThreadExecutions(thread, sources).add_to(result, chosen);
  }
  std::stable_sort(result.executions.begin(), result.executions.end(),
                   [](const GraphExecution& a, const GraphExecution& b) {
                     return std::tie(a.start_ns, a.pid, a.tid) < std::tie(b.start_ns, b.pid, b.tid);
                   });
  std::stable_sort(
      result.compilations.begin(), result.compilations.end(),
      [](const GraphCompilation& a, const GraphCompilation& b) { return a.start_ns < b.start_ns; });
  for (InputPreparation& row : result.preparations) {
    row.hint = preparation_hint(trace.strings.view(row.name));
  }
  std::stable_sort(result.preparations.begin(), result.preparations.end(),
                   [&](const InputPreparation& a, const InputPreparation& b) {
                     return std::forward_as_tuple(a.pid, a.tid, a.group, b.total_ns,
                                                  trace.strings.view(a.name)) <
                            std::forward_as_tuple(b.pid, b.tid, b.group, a.total_ns,
                                                  trace.strings.view(b.name));
                   });
  result.has_python_calls = trace.python_calls().size() > 0;
  return result;
}

}  // namespace npuprof::analyze
