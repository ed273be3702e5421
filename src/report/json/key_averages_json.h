#pragma once

#include <string>
#include <vector>

#include "analyze/key_averages.h"

namespace npuprof::report {

// For programs: {"operators": [{"key", "count", "cpu_time_total", ...}, ...]}. Times in ns.
std::string key_averages_json(const std::vector<analyze::KeyAverage>& averages, bool simulated);

// The same for single calls, with "start", "end", "thread", "sequence", "forward_thread" and
// "parent", the place of another one in the list, if there is one.
std::string operator_events_json(const std::vector<analyze::OperatorEvent>& events, bool simulated);

}  // namespace npuprof::report
