#include "serve/lane_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/interval_sweep.h"

namespace npuprof::serve {
namespace {

// Slices of one name or category, and when they ran.
struct Gathered {
  SliceSums sums;
  std::vector<Interval> times;

  void finish(bool has_times) {
    if (has_times) sums.union_ns = total_length(merge_intervals(std::move(times)));
  }
};

struct SliceInRange {
  SliceId id;
  Interval time;  // The part in the range.
  std::int64_t duration_ns = 0;
  std::int64_t self_ns = 0;
};

void add(Gathered& to, const SliceInRange& slice, bool keeps_times) {
  SliceSums& sums = to.sums;
  const bool is_longest = sums.count == 0 || slice.duration_ns > sums.max_ns;
  sums.min_ns = sums.count == 0 ? slice.duration_ns : std::min(sums.min_ns, slice.duration_ns);
  if (is_longest) {
    sums.max_ns = slice.duration_ns;
    sums.longest = slice.id;
  }
  ++sums.count;
  sums.sum_ns += slice.time.end - slice.time.begin;
  sums.self_ns += slice.self_ns;
  if (keeps_times && slice.time.end > slice.time.begin) to.times.push_back(slice.time);
}

// Slices of one row that lie in a range of the wall clock, whole or in part.
class RowRange {
 public:
  RowRange(const report::Lane& lane, std::uint32_t row, Interval range)
      : lane_(lane), range_(range) {
    const auto begin = lane.start_ns.begin() + lane.row_begin[row];
    const auto end = lane.start_ns.begin() + lane.row_begin[row + 1];
    auto first = std::lower_bound(begin, end, range.begin);
    const auto last = std::lower_bound(first, end, range.end);
    first_ = static_cast<std::uint32_t>(first - lane.start_ns.begin());
    last_ = static_cast<std::uint32_t>(last - lane.start_ns.begin());
    if (first != begin && lane.end_ns(first_ - 1) > range.begin) --first_;
  }

  std::uint32_t first() const { return first_; }
  std::uint32_t last() const { return last_; }
  Interval part(std::uint32_t slice) const {
    return {std::max(range_.begin, lane_.start_ns[slice]),
            std::min(range_.end, lane_.end_ns(slice))};
  }

 private:
  const report::Lane& lane_;
  Interval range_;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
};

// Unions need the times of all slices: 48 bytes for each.
constexpr std::uint64_t kMostTimes = 3'000'000;

std::uint64_t slices_in(const LaneIndex& index, Span span,
                        const std::vector<std::uint32_t>& lanes) {
  const Interval range{span.begin_ns + index.zero_ns(), span.end_ns + index.zero_ns()};
  std::uint64_t count = 0;
  for (const std::uint32_t number : lanes) {
    const report::Lane* lane = index.lane(number);
    for (std::uint32_t row = 0; lane != nullptr && row < lane->rows(); ++row) {
      const RowRange slices(*lane, row, range);
      count += slices.last() - slices.first();
    }
  }
  return count;
}

class RangeGatherer {
 public:
  RangeGatherer(const LaneIndex& index, Span span, bool keeps_times)
      : index_(index),
        keeps_times_(keeps_times),
        range_{span.begin_ns + index.zero_ns(), span.end_ns + index.zero_ns()},
        by_name_(index.name_count()) {}

  void add_lane(std::uint32_t number) {
    const report::Lane& lane = index_.lanes()[number];
    for (std::uint32_t row = 0; row < lane.rows(); ++row) add_row(number, lane, row);
  }

  RangeStatistics finish() {
    RangeStatistics statistics;
    all_.finish(keeps_times_);
    statistics.all = all_.sums;
    for (std::uint32_t name = 0; name < by_name_.size(); ++name) {
      if (by_name_[name].sums.count == 0) continue;
      by_name_[name].finish(keeps_times_);
      statistics.by_name.push_back({name, by_name_[name].sums});
    }
    std::stable_sort(
        statistics.by_name.begin(), statistics.by_name.end(),
        [](const NameSums& a, const NameSums& b) { return a.sums.sum_ns > b.sums.sum_ns; });
    for (auto& [category, gathered] : by_category_) {
      gathered.finish(keeps_times_);
      statistics.by_category.push_back({category, gathered.sums});
    }
    return statistics;
  }

 private:
  void add_row(std::uint32_t number, const report::Lane& lane, std::uint32_t row) {
    const RowRange slices(lane, row, range_);
    const bool has_children = lane.nests && row + 1 < lane.rows();
    const RowRange below(lane, has_children ? row + 1 : row, range_);
    std::uint32_t child = has_children ? below.first() : below.last();
    for (std::uint32_t i = slices.first(); i < slices.last(); ++i) {
      SliceInRange slice{.id = {number, i}, .time = slices.part(i)};
      slice.duration_ns = lane.duration(i);
      slice.self_ns = slice.time.end - slice.time.begin;
      for (; child < below.last() && lane.start_ns[child] < lane.end_ns(i); ++child) {
        const Interval part = below.part(child);
        slice.self_ns -= part.end - part.begin;
      }
      const std::uint32_t name = lane.name_number[i];
      add(all_, slice, keeps_times_);
      add(by_name_[name], slice, keeps_times_);
      add(by_category_[index_.palette_of(name)], slice, keeps_times_);
    }
  }

  const LaneIndex& index_;
  bool keeps_times_;
  Interval range_;
  Gathered all_;
  std::vector<Gathered> by_name_;
  std::map<Palette, Gathered> by_category_;
};

// A value holds until the next one; the one before the range reaches into it.
void add_counter(const LaneIndex& index, std::uint32_t number, Span span,
                 std::vector<CounterSums>& out) {
  const report::CounterLane& counter = *index.counter(number);
  const auto& times = counter.time_ns;
  const Interval range{span.begin_ns + index.zero_ns(), span.end_ns + index.zero_ns()};
  auto first = std::lower_bound(times.begin(), times.end(), range.begin);
  if (first != times.begin()) --first;
  for (std::size_t series = 0; series < counter.series.size(); ++series) {
    CounterSums sums{.lane = number,
                     .series = series,
                     .min = std::numeric_limits<double>::infinity(),
                     .max = -std::numeric_limits<double>::infinity()};
    double weighted = 0;
    double weight = 0;
    for (auto at = first; at != times.end() && *at < range.end; ++at) {
      const auto row = static_cast<std::size_t>(at - times.begin());
      const double value = counter.values[row * counter.series.size() + series];
      if (std::isnan(value)) continue;
      const std::int64_t until = at + 1 == times.end() ? range.end : std::min(range.end, *(at + 1));
      const auto length = static_cast<double>(until - std::max(range.begin, *at));
      sums.min = std::min(sums.min, value);
      sums.max = std::max(sums.max, value);
      weighted += value * length;
      weight += length;
    }
    if (weight <= 0) continue;
    sums.mean = weighted / weight;
    out.push_back(sums);
  }
}

}  // namespace

RangeStatistics range_statistics(const LaneIndex& index, Span span,
                                 const std::vector<std::uint32_t>& lanes) {
  RangeGatherer gatherer(index, span, slices_in(index, span, lanes) <= kMostTimes);
  std::vector<CounterSums> counters;
  for (const std::uint32_t lane : lanes) {
    if (index.lane(lane) != nullptr) gatherer.add_lane(lane);
    if (index.counter(lane) != nullptr) add_counter(index, lane, span, counters);
  }
  RangeStatistics statistics = gatherer.finish();
  statistics.counters = std::move(counters);
  return statistics;
}

}  // namespace npuprof::serve
