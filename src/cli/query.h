#pragma once

#include <vector>

#include "load/discover.h"

namespace npuprof::cli {

// Reads profiles and says what was lost. With `query` also which graphs ran in them, with their
// iterations: as a table, or as JSON. Returns the exit status.
int tell_of_profiles(const std::vector<load::Profile>& profiles, bool query, bool as_json);

}  // namespace npuprof::cli
