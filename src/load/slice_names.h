#pragma once

// Files of a data directory that are named like slices of records, and yet cannot be told.

#include <string_view>

namespace npuprof::load {

inline bool is_slice_name(std::string_view name) {
  return name.find(".slice_") != std::string_view::npos;
}

inline constexpr std::string_view kNameNotUnderstood =
    "The file was left out: its name does not tell which records and which slice of them it has.";

}  // namespace npuprof::load
