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

// Calls body(slice, duration) for each slice that is meant.
template <typename Body>
void for_each_meant(const LaneIndex& index, const HistogramQuery& query, const Body& body) {
  std::vector<std::uint8_t> is_meant(index.name_count());
  for (const std::uint32_t name : query.names) is_meant[name] = 1;
  for (std::uint32_t number = 0; number < index.lanes().size(); ++number) {
    if (query.lane && *query.lane != number) continue;
    const report::Lane& lane = index.lanes()[number];
    const Span& span = query.spans.of(index, lane);
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      if (is_meant[lane.name_number[i]] == 0) continue;
      if (!span.contains(index.from_zero(lane.start_ns[i]))) continue;
      body(SliceId{number, i}, lane.duration(i));
    }
  }
}

void count_into(std::vector<HistogramBin>& bins, const std::vector<std::int64_t>& durations) {
  for (const std::int64_t duration : durations) {
    const auto after = std::upper_bound(
        bins.begin(), bins.end(), duration,
        [](std::int64_t value, const HistogramBin& bin) { return value < bin.from_ns; });
    ++std::prev(after)->count;
  }
}

std::vector<SliceId> longest_of(const std::vector<SliceId>& slices,
                                const std::vector<std::int64_t>& durations, std::size_t most) {
  std::vector<std::uint32_t> order(slices.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::size_t listed = std::min(order.size(), most);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(listed), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return std::pair(durations[b], a) < std::pair(durations[a], b);
                    });
  std::vector<SliceId> longest;
  for (std::size_t i = 0; i < listed; ++i) longest.push_back(slices[order[i]]);
  return longest;
}

}  // namespace

DurationHistogram duration_histogram(const LaneIndex& index, const HistogramQuery& query) {
  std::vector<SliceId> slices;
  std::vector<std::int64_t> durations;
  for_each_meant(index, query, [&](SliceId slice, std::int64_t duration) {
    slices.push_back(slice);
    durations.push_back(duration);
  });
  DurationHistogram histogram;
  if (slices.empty()) return histogram;
  const std::vector<std::uint32_t> groups(slices.size(), 0);
  histogram.summary = analyze::summarize_durations(groups, durations, 1).front();
  histogram.bins = bins_between(histogram.summary.min_ns, histogram.summary.max_ns);
  count_into(histogram.bins, durations);
  histogram.longest = longest_of(slices, durations, kListedSlices);
  return histogram;
}

std::vector<SliceId> slices_of_duration(const LaneIndex& index, const HistogramQuery& query,
                                        std::int64_t from_ns, std::int64_t to_ns) {
  std::vector<SliceId> slices;
  std::vector<std::int64_t> durations;
  for_each_meant(index, query, [&](SliceId slice, std::int64_t duration) {
    if (duration < from_ns || duration >= to_ns) return;
    slices.push_back(slice);
    durations.push_back(duration);
  });
  return longest_of(slices, durations, slices.size());
}

}  // namespace npuprof::serve
