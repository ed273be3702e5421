#pragma once

// What a range of time holds, of some lanes: by name and by category.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serve/lane_index.h"

namespace npuprof::serve {

// Slices are counted with the part that lies in the range.
struct SliceSums {
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::int64_t self_ns = 0;              // Without slices inside of them.
  std::optional<std::int64_t> union_ns;  // Nothing where there are too many slices to say.
  std::int64_t min_ns = 0;               // Of whole slices.
  std::int64_t max_ns = 0;
  SliceId longest;
};

struct NameSums {
  std::uint32_t name = 0;
  SliceSums sums;
};

struct CategorySums {
  Palette category{};
  SliceSums sums;
};

struct CounterSums {
  std::uint32_t lane = 0;
  std::size_t series = 0;
  double min = 0;
  double max = 0;
  double mean = 0;  // Of time: each value lasts until the next one.
};

struct RangeStatistics {
  SliceSums all;
  std::vector<NameSums> by_name;  // Greatest sum first.
  std::vector<CategorySums> by_category;
  std::vector<CounterSums> counters;
};

RangeStatistics range_statistics(const LaneIndex& index, Span span,
                                 const std::vector<std::uint32_t>& lanes);

}  // namespace npuprof::serve
