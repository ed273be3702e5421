#pragma once

// What `npuprof parse` says at its end.

#include <string>
#include <vector>

#include "cli/parse_profiles.h"

namespace npuprof::cli {

// For people: a line for each rank, where the time went, where the results are.
std::string summary_text(const std::vector<ParseOutcome>& outcomes,
                         const std::vector<std::string>& left_out);

// For scripts: one JSON object.
std::string summary_json(const std::vector<ParseOutcome>& outcomes,
                         const std::vector<std::string>& left_out);

}  // namespace npuprof::cli
