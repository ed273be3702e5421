#include "serve/slice_family.h"

#include <algorithm>

namespace npuprof::serve {

SliceRange children_of(const report::Lane& lane, std::uint32_t row, std::uint32_t slice) {
  if (!lane.nests || row + 1 >= lane.rows()) return {};
  const auto begin = lane.start_ns.begin() + lane.row_begin[row + 1];
  const auto end = lane.start_ns.begin() + lane.row_begin[row + 2];
  const auto first = std::lower_bound(begin, end, lane.start_ns[slice]);
  const auto last = std::lower_bound(first, end, lane.end_ns(slice));
  return {static_cast<std::uint32_t>(first - lane.start_ns.begin()),
          static_cast<std::uint32_t>(last - lane.start_ns.begin())};
}

std::int64_t self_ns(const report::Lane& lane, std::uint32_t row, std::uint32_t slice) {
  std::int64_t self = lane.duration(slice);
  const SliceRange children = children_of(lane, row, slice);
  for (std::uint32_t i = children.first; i < children.last; ++i) self -= lane.duration(i);
  return self;
}

std::optional<std::uint32_t> parent_of(const report::Lane& lane, std::uint32_t row,
                                       std::uint32_t slice) {
  if (!lane.nests || row == 0) return std::nullopt;
  const auto begin = lane.start_ns.begin() + lane.row_begin[row - 1];
  const auto end = lane.start_ns.begin() + lane.row_begin[row];
  const auto after = std::upper_bound(begin, end, lane.start_ns[slice]);
  if (after == begin) return std::nullopt;
  const auto above = static_cast<std::uint32_t>(after - lane.start_ns.begin() - 1);
  return lane.end_ns(above) >= lane.end_ns(slice) ? std::optional(above) : std::nullopt;
}

}  // namespace npuprof::serve
