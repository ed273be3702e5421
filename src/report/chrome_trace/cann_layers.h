#pragma once

// The layers of a timeline that come from CANN: host calls, device tasks, collectives, overlap,
// marks.

#include "report/chrome_trace/timeline.h"
#include "trace/trace.h"

namespace npuprof::report {

inline constexpr Layer kMarkLayer{"", 6, true};  // Named after the program.
inline constexpr Layer kCannLayer{"CANN", 7, true};
inline constexpr Layer kHardwareLayer{"Ascend Hardware", 14, false};
inline constexpr Layer kCommunicationLayer{"Communication", 16, false};
inline constexpr Layer kOverlapLayer{"Overlap Analysis", 31, false};

struct CannLayerOptions {
  // At level 0 frameworks leave out the host layer and the parts of collectives.
  bool host_calls = true;
};

void write_cann_layers(const trace::Trace& trace, const CannLayerOptions& options,
                       Timeline& timeline);

}  // namespace npuprof::report
