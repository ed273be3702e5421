#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace npuprof::cann {

// Groups of counters of the AI cores, by the number that CANN gives them. PyTorch and MindSpore
// speak of "ACL_AICORE_PIPE_UTILIZATION", options of graphs and results of "PipeUtilization".
std::optional<int> metrics_number(std::string_view name);

// The short names, but for those that options of graphs do not offer.
std::vector<std::string_view> metrics_names();

}  // namespace npuprof::cann
