#pragma once

#include <string_view>

namespace npuprof {

// Directories of results that are being made begin with this, and the number of a process follows;
// what is in them is no result yet.
inline constexpr std::string_view kPendingPrefix = "npuprof.partial-";

}  // namespace npuprof
