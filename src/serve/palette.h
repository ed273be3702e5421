#pragma once

// Categories of slices; the page has a colour for each.

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/idle_causes.h"
#include "report/lanes/lane_timeline.h"
#include "trace/trace.h"

namespace npuprof::serve {

enum class Palette : std::uint8_t {
  kCube,
  kAttention,
  kConvolution,
  kVector,
  kAiCpu,
  kCommunication,
  kWait,
  kCopy,
  kFramework,
  kCann,
  kPython,
  kMark,
  kUncovered,  // Communication that nothing hides.
  kFree,
};
// "cube", "attention", ...
std::string_view palette_key(Palette palette);

// Causes of idle time have the colours of what they are about.
Palette palette_of_cause(analyze::IdleCause cause);

// Of each name of the timeline.
std::vector<Palette> palette_of_names(const report::LaneTimeline& timeline,
                                      const trace::Trace& trace);

}  // namespace npuprof::serve
