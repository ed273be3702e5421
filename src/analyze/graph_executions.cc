#include "analyze/graph_executions.h"

#include <algorithm>
#include <map>

namespace npuprof::analyze {
namespace {

using trace::kNone;

class GraphExecutionFinder {
 public:
  explicit GraphExecutionFinder(const GraphThread& thread)
      : thread_(thread), has_inside_(thread.size()) {}

  FoundExecutions run() {
    for (std::uint32_t place = 0; place < thread_.size(); ++place) look_at(place);
    for (const auto& [outer, runs] : runs_of_outer_) add_runs(outer, runs);
    add_without_run();
    for (FoundExecution& found : result_.executions) found.wrapper = outermost_wrapper(found);
    std::stable_sort(result_.executions.begin(), result_.executions.end(),
                     [](const FoundExecution& a, const FoundExecution& b) {
                       return a.range.begin < b.range.begin;
                     });
    return std::move(result_);
  }

 private:
  void look_at(std::uint32_t place) {
    switch (thread_.events[place]) {
      case GraphEvent::kInference:
      case GraphEvent::kRun:
        find_outer(place);
        break;
      case GraphEvent::kExecute:
        if (enclosing_graph_event(thread_, place, GraphEvent::kRun) == kNone) {
          result_.lone_launches.push_back(place);
        }
        break;
      case GraphEvent::kCompile:
        if (enclosing_graph_event(thread_, place, GraphEvent::kCompile) == kNone) {
          result_.compile.push_back(place);
        }
        break;
      default:
        break;
    }
  }

  void find_outer(std::uint32_t place) {
    const std::uint32_t inference = enclosing_graph_event(thread_, place, GraphEvent::kInference);
    const std::uint32_t cache = enclosing_graph_event(thread_, place, GraphEvent::kCacheInference);
    for (const std::uint32_t outer : {inference, cache}) {
      if (outer != kNone) has_inside_[outer] = true;
    }
    if (thread_.events[place] != GraphEvent::kRun) return;
    const std::uint32_t outer = inference != kNone ? inference : cache;
    if (outer != kNone) {
      runs_of_outer_[outer].push_back(place);
    } else {
      result_.executions.push_back(
          {.run = place, .range = {thread_.starts[place], thread_.ends[place]}});
    }
  }

  // Several Runs share their outer range: each has the time from the Run before it to its own end,
  // the last one the rest.
  void add_runs(std::uint32_t outer, const std::vector<std::uint32_t>& runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool is_last = i + 1 == runs.size();
      FoundExecution found{.outer = outer, .run = runs[i]};
      found.before = i == 0 ? kNone : runs[i - 1];
      found.range.begin = i == 0 ? thread_.starts[outer] : thread_.ends[runs[i - 1]];
      found.range.end = is_last ? thread_.ends[outer] : thread_.ends[runs[i]];
      result_.executions.push_back(found);
    }
  }

  // Inferences with others inside them are wrappers: their time is front end of the inner ones.
  void add_without_run() {
    for (std::uint32_t place = 0; place < thread_.size(); ++place) {
      const GraphEvent event = thread_.events[place];
      if (event != GraphEvent::kInference && event != GraphEvent::kCacheInference) continue;
      if (has_inside_[place]) continue;
      result_.executions.push_back(
          {.outer = place, .range = {thread_.starts[place], thread_.ends[place]}});
    }
  }

  std::uint32_t outermost_wrapper(const FoundExecution& found) const {
    std::uint32_t wrapper = kNone;
    if (found.outer == kNone) return wrapper;
    for (std::uint32_t outer = thread_.parent[found.outer]; outer != kNone;
         outer = thread_.parent[outer]) {
      const bool is_wrapper =
          thread_.events[outer] == GraphEvent::kInference && !runs_of_outer_.contains(outer);
      if (is_wrapper) wrapper = outer;
    }
    return wrapper;
  }

  const GraphThread& thread_;
  std::vector<bool> has_inside_;  // A Run or an inference, by place.
  std::map<std::uint32_t, std::vector<std::uint32_t>> runs_of_outer_;
  FoundExecutions result_;
};

}  // namespace

std::uint32_t enclosing_graph_event(const GraphThread& thread, std::uint32_t place,
                                    GraphEvent event) {
  std::uint32_t outer = thread.parent[place];
  while (outer != kNone && thread.events[outer] != event) outer = thread.parent[outer];
  return outer;
}

FoundExecutions find_graph_executions(const GraphThread& thread) {
  return GraphExecutionFinder(thread).run();
}

}  // namespace npuprof::analyze
