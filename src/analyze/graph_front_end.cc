#include "analyze/graph_front_end.h"

#include <algorithm>
#include <string_view>

#include "trace/framework/python_calls.h"
#include "trace/framework/steps.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

// What Dynamo puts around a compiled function or module.
bool is_compiled_frame(std::string_view name) {
  if (name.find("OptimizedModule") != std::string_view::npos) return true;
  return name.find("eval_frame.py") != std::string_view::npos && name.ends_with(": _fn");
}

bool starts_earlier(const Interval& a, const Interval& b) {
  return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
}

}  // namespace

CompiledFrames::CompiledFrames(const trace::Trace& trace) {
  enum : std::uint8_t { kNotAsked, kIsFrame, kIsNoFrame };
  const trace::PythonCalls& calls = trace.python_calls();
  std::vector<std::uint8_t> answers(trace.strings.size(), kNotAsked);
  for (std::size_t row = 0; row < calls.size(); ++row) {
    std::uint8_t& answer = answers[to_index(calls.name[row])];
    if (answer == kNotAsked) {
      answer = is_compiled_frame(trace.strings.view(calls.name[row])) ? kIsFrame : kIsNoFrame;
    }
    if (answer != kIsFrame) continue;
    frames_[std::uint64_t{calls.pid[row]} << 32 | calls.tid[row]].push_back(
        {calls.start_ns[row], calls.end_ns[row]});
  }
  for (auto& [key, frames] : frames_) std::sort(frames.begin(), frames.end(), starts_earlier);
}

const std::vector<Interval>* CompiledFrames::find(std::uint32_t pid, std::uint32_t tid) const {
  const auto found = frames_.find(std::uint64_t{pid} << 32 | tid);
  return found == frames_.end() ? nullptr : &found->second;
}

GraphSteps::GraphSteps(const trace::Trace& trace) {
  const trace::Steps& steps = trace.steps();
  for (std::uint32_t row = 0; row < steps.size(); ++row) {
    steps_.emplace_back(Interval{steps.host_start_ns[row], steps.host_end_ns[row]}, row);
  }
  std::stable_sort(steps_.begin(), steps_.end(),
                   [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
}

std::uint32_t GraphSteps::find(std::int64_t time_ns) const {
  const auto next =
      std::upper_bound(steps_.begin(), steps_.end(), time_ns,
                       [](std::int64_t time, const auto& step) { return time < step.first.begin; });
  if (next == steps_.begin()) return kNone;
  const auto& [range, row] = *std::prev(next);
  return time_ns <= range.end ? row : kNone;
}

GraphFrontEnd::GraphFrontEnd(const GraphThread& thread, const std::vector<Interval>* frames)
    : thread_(thread), frames_(frames) {
  for (std::uint32_t place = 0; place < thread.size(); ++place) {
    // An outer `cache_compiler inference` is the front end of an inference inside it.
    if (thread.events[place] == GraphEvent::kRegion ||
        thread.events[place] == GraphEvent::kCacheInference) {
      regions_.push_back(place);
    } else if (thread.events[place] == GraphEvent::kLookup) {
      lookups_.push_back(place);
    }
  }
}

std::optional<std::int64_t> GraphFrontEnd::outermost_region(const Interval& range,
                                                            std::int64_t earliest_ns) const {
  const auto starts_before = [&](std::uint32_t place, std::int64_t time) {
    return thread_.starts[place] < time;
  };
  auto place = std::lower_bound(regions_.begin(), regions_.end(), earliest_ns, starts_before);
  for (; place != regions_.end() && thread_.starts[*place] <= range.begin; ++place) {
    if (thread_.ends[*place] >= range.end) return thread_.starts[*place];
  }
  return std::nullopt;
}

std::optional<std::uint32_t> GraphFrontEnd::last_lookup(const Interval& within) const {
  auto place = std::upper_bound(
      lookups_.begin(), lookups_.end(), within.end,
      [&](std::int64_t time, std::uint32_t lookup) { return time < thread_.starts[lookup]; });
  while (place != lookups_.begin()) {
    --place;
    if (thread_.starts[*place] < within.begin) return std::nullopt;
    if (thread_.ends[*place] <= within.end) return *place;
  }
  return std::nullopt;
}

std::optional<GraphFrontEnd::Begin> GraphFrontEnd::find(const Interval& range,
                                                        std::int64_t earliest_ns) const {
  if (const auto region_ns = outermost_region(range, earliest_ns)) {
    const auto lookup = last_lookup({earliest_ns, *region_ns});
    return Begin{lookup ? thread_.starts[*lookup] : *region_ns, FrontEndRule::kRegion};
  }
  if (const auto lookup = last_lookup({earliest_ns, range.begin})) {
    return Begin{thread_.starts[*lookup], FrontEndRule::kLookup};
  }
  if (frames_ == nullptr) return std::nullopt;
  auto frame = std::lower_bound(
      frames_->begin(), frames_->end(), earliest_ns,
      [](const Interval& candidate, std::int64_t time) { return candidate.begin < time; });
  for (; frame != frames_->end() && frame->begin <= range.begin; ++frame) {
    if (frame->end >= range.end) return Begin{frame->begin, FrontEndRule::kPythonFrame};
  }
  return std::nullopt;
}

}  // namespace npuprof::analyze
