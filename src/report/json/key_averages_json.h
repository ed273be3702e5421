#pragma once

#include <string>
#include <vector>

#include "analyze/key_averages.h"

namespace npuprof::report {

// For programs: {"operators": [{"key", "count", "cpu_time_total", ...}, ...]}. Times in ns.
std::string key_averages_json(const std::vector<analyze::KeyAverage>& averages, bool simulated);

}  // namespace npuprof::report
