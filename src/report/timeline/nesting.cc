#include "report/timeline/nesting.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/sort_order.h"

namespace npuprof::report {

std::uint32_t NestingTracks::place(std::int64_t start_ns, std::int64_t end_ns) {
  while (!open_.empty() && open_.back() <= start_ns) open_.pop_back();
  if (open_.empty() || (end_ns <= open_.back() && open_.size() < kMaxDepth)) {
    open_.push_back(end_ns);
    return 0;
  }
  if (others_.empty() || others_.front().first > start_ns) {
    others_.emplace_back(end_ns, static_cast<std::uint32_t>(others_.size() + 1));
  } else {
    std::pop_heap(others_.begin(), others_.end(), std::greater{});
    others_.back().first = end_ns;
  }
  const std::uint32_t track = others_.back().second;
  std::push_heap(others_.begin(), others_.end(), std::greater{});
  return track;
}

std::vector<std::uint32_t> overlap_tracks(const LaneSlices& slices) {
  std::vector<std::uint32_t> tracks(slices.lane.size());
  std::unordered_map<std::uint64_t, NestingTracks> lanes;
  for (const std::uint32_t row :
       nesting_order(slices.start_ns, slices.end_ns, EqualIntervals::kFirstIsOuter)) {
    tracks[row] = lanes[slices.lane[row]].place(slices.start_ns[row], slices.end_ns[row]);
  }
  return tracks;
}

}  // namespace npuprof::report
