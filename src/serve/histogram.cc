#include "serve/histogram.h"

#include <algorithm>

namespace npuprof::serve {
namespace {

constexpr std::size_t kListedSlices = 50;

std::vector<HistogramBin> bins_between(std::int64_t least, std::int64_t most) {
  std::vector<HistogramBin> bins;
  for (std::int64_t from = least; from <= most;) {
    const std::int64_t to = from + std::max<std::int64_t>(1, from / 8);
    bins.push_back({from, to, 0});
    from = to;
  }
  return bins;
}

}  // namespace

DurationHistogram duration_histogram(const LaneIndex& index,
                                     const std::vector<std::uint32_t>& names,
                                     std::optional<std::uint32_t> lane_number) {
  std::vector<std::uint8_t> is_meant(index.name_count());
  for (const std::uint32_t name : names) is_meant[name] = 1;
  std::vector<SliceId> slices;
  std::vector<std::int64_t> durations;
  for (std::uint32_t number = 0; number < index.lanes().size(); ++number) {
    if (lane_number && *lane_number != number) continue;
    const report::Lane& lane = index.lanes()[number];
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (is_meant[lane.name_number[i]] == 0) continue;
      slices.push_back({number, i});
      durations.push_back(lane.duration(i));
    }
  }
  DurationHistogram histogram;
  if (slices.empty()) return histogram;
  const std::vector<std::uint32_t> groups(slices.size(), 0);
  histogram.summary = analyze::summarize_durations(groups, durations, 1).front();
  histogram.bins = bins_between(histogram.summary.min_ns, histogram.summary.max_ns);
  for (const std::int64_t duration : durations) {
    const auto after = std::upper_bound(
        histogram.bins.begin(), histogram.bins.end(), duration,
        [](std::int64_t value, const HistogramBin& bin) { return value < bin.from_ns; });
    ++std::prev(after)->count;
  }
  std::vector<std::uint32_t> order(slices.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::size_t listed = std::min(order.size(), kListedSlices);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(listed), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return std::pair(durations[b], a) < std::pair(durations[a], b);
                    });
  for (std::size_t i = 0; i < listed; ++i) histogram.longest.push_back(slices[order[i]]);
  return histogram;
}

}  // namespace npuprof::serve
