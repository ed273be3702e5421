#pragma once

// When a slice has to begin to belong to what was chosen: a step, a range of time, or both. A step
// has a time on the host and another one on the device, as analyze/keep_steps.h has it.

#include <cstdint>
#include <limits>
#include <optional>

#include "serve/lane_index.h"
#include "serve/span.h"
#include "trace/trace.h"

namespace npuprof::serve {

inline constexpr Span kAllTime{std::numeric_limits<std::int64_t>::min() / 4,
                               std::numeric_limits<std::int64_t>::max() / 4};

struct StepSpans {
  Span host = kAllTime;
  Span device = kAllTime;

  const Span& of(bool is_host) const { return is_host ? host : device; }
  const Span& of(const LaneIndex& index, const report::Lane& lane) const {
    return of(index.groups()[lane.group].is_host);
  }
  // The part of both that lies in a range.
  StepSpans within(Span range) const;
  // From the begin of the first to the end of the last.
  Span whole() const;

  friend bool operator==(const StepSpans&, const StepSpans&) = default;
};

// Nothing if the profile has no such step.
std::optional<StepSpans> step_spans(const trace::Trace& trace, const LaneIndex& index,
                                    std::int64_t step);

}  // namespace npuprof::serve
