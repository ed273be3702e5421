#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/graph_events.h"
#include "analyze/head_overhead.h"
#include "base/interval_sweep.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Frames of compiled callables by process and thread, in order of their start.
class CompiledFrames {
 public:
  explicit CompiledFrames(const trace::Trace& trace);
  const std::vector<Interval>* find(std::uint32_t pid, std::uint32_t tid) const;

 private:
  std::unordered_map<std::uint64_t, std::vector<Interval>> frames_;
};

// The steps of a profile in order of time.
class GraphSteps {
 public:
  explicit GraphSteps(const trace::Trace& trace);
  // The row in Steps that was running on the host, or kNone.
  std::uint32_t find(std::int64_t time_ns) const;

 private:
  std::vector<std::pair<Interval, std::uint32_t>> steps_;
};

// Says when the front end of an execution began. Executions are asked about in order of time, so
// that each range is looked at a few times at most.
class GraphFrontEnd {
 public:
  GraphFrontEnd(const GraphThread& thread, const std::vector<Interval>* frames);

  struct Begin {
    std::int64_t time_ns = 0;
    FrontEndRule rule = FrontEndRule::kUnknown;
  };
  // Of the execution in `range`, not before `earliest_ns`, the end of the one before it. Nothing if
  // no range says when.
  std::optional<Begin> find(const Interval& range, std::int64_t earliest_ns) const;
  // The place of the last cache lookup in the interval.
  std::optional<std::uint32_t> last_lookup(const Interval& within) const;

 private:
  std::optional<std::int64_t> outermost_region(const Interval& range,
                                               std::int64_t earliest_ns) const;

  const GraphThread& thread_;
  const std::vector<Interval>* frames_;
  std::vector<std::uint32_t> regions_;  // Places.
  std::vector<std::uint32_t> lookups_;
};

}  // namespace npuprof::analyze
