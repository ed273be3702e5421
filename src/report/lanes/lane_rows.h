#pragma once

// Which row of its lane a slice is drawn in.

#include <cstdint>
#include <span>
#include <vector>

namespace npuprof::report {

// Slices of which not even the last of so many rows is free share that one.
inline constexpr std::uint32_t kMostRows = 1024;

struct LaneRows {
  std::vector<std::uint16_t> row;  // Of each slice.
  bool nests = true;               // False if slices cross: one ends inside of another.
};

// The first row that is free when a slice begins: slices that nest are in the row of their depth,
// and of those that cross no more rows are used than there are slices at once. `order` is their
// nesting order.
LaneRows nesting_rows(std::span<const std::int64_t> starts, std::span<const std::int64_t> ends,
                      std::span<const std::uint32_t> order);

}  // namespace npuprof::report
