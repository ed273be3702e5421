#pragma once

// What is around a slice in its lane.

#include <cstdint>
#include <optional>

#include "report/lanes/lane_set.h"

namespace npuprof::serve {

// Slices of the next row that lie in this one: [first, last).
struct SliceRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
SliceRange children_of(const report::Lane& lane, std::uint32_t row, std::uint32_t slice);

// Its time without that of its children; all of it where slices cross.
std::int64_t self_ns(const report::Lane& lane, std::uint32_t row, std::uint32_t slice);

// The slice of the row above that contains it.
std::optional<std::uint32_t> parent_of(const report::Lane& lane, std::uint32_t row,
                                       std::uint32_t slice);

}  // namespace npuprof::serve
