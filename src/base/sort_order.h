#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace npuprof {

// Sorts rows, equal ones stay as they were. What is sorted here is usually a few sequences in
// order, one behind the other, those of threads or of tables: neighbours are merged until one is
// left.
template <typename Before>
void sort_rows(std::vector<std::uint32_t>& rows, const Before& before) {
  constexpr std::size_t kShortRun = 16;  // Sequences as short as this are sorted sooner otherwise.
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i < rows.size() && ends.size() <= rows.size() / kShortRun; ++i) {
    if (before(rows[i], rows[i - 1])) ends.push_back(i);
  }
  if (ends.empty()) return;
  if (ends.size() > rows.size() / kShortRun) {
    std::stable_sort(rows.begin(), rows.end(), before);
    return;
  }
  ends.push_back(rows.size());
  std::vector<std::uint32_t> merged(rows.size());
  const auto at = [&](std::size_t i) { return rows.begin() + static_cast<std::ptrdiff_t>(i); };
  while (ends.size() > 1) {
    std::size_t begin = 0;
    std::size_t count = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      const std::size_t middle = ends[run];
      const std::size_t end = ends[std::min(run + 1, ends.size() - 1)];
      std::merge(at(begin), at(middle), at(middle), at(end),
                 merged.begin() + static_cast<std::ptrdiff_t>(begin), before);
      ends[count++] = begin = end;
    }
    ends.resize(count);
    rows.swap(merged);
  }
}

// The stable ascending order of `keys`: result[i] is the position of the i-th smallest key, equal
// keys keep their order. A single look at keys that are in order already, as most files are. At
// most 2^32 - 1 keys.
std::vector<std::uint32_t> stable_order(std::span<const std::uint64_t> keys);
std::vector<std::uint32_t> stable_order(std::span<const std::int64_t> keys);

// Which of several equal intervals is the outer one. Nothing but the order of rows can tell.
enum class EqualIntervals : std::uint8_t {
  kFirstIsOuter,  // Rows that were put in nesting order (host calls), and slices of a lane.
  kLastIsOuter,   // Rows as recorded (operators, Python calls): ranges are recorded when they end.
};

// The order in which nested intervals begin: by start, the longer one first, then by `equal`. All
// that nests intervals by time does it in this order, so an outer one always comes first.
std::vector<std::uint32_t> nesting_order(std::span<const std::int64_t> starts,
                                         std::span<const std::int64_t> ends, EqualIntervals equal);
// The same of some of the rows.
void sort_by_nesting(std::vector<std::uint32_t>& rows, std::span<const std::int64_t> starts,
                     std::span<const std::int64_t> ends, EqualIntervals equal);

struct TimeInterval {
  std::int64_t start_ns;
  std::int64_t end_ns;

  // Whether an interval that is not equal comes first in nesting order.
  bool begins_outside(const TimeInterval& other) const {
    return start_ns != other.start_ns ? start_ns < other.start_ns : end_ns > other.end_ns;
  }
};

// The nesting order of `count` intervals; of equal ones the first is the outer one.
template <typename IntervalOf>
std::vector<std::uint32_t> nesting_order_of(std::size_t count, const IntervalOf& interval_of) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  sort_rows(order, [&](std::uint32_t a, std::uint32_t b) {
    return interval_of(a).begins_outside(interval_of(b));
  });
  return order;
}

// Goes through two lists, each in nesting order, as if they were one; of equal intervals that of
// the first list is the outer one. `first(i)` and `second(i)` are the intervals, and the visits get
// `i` and the interval.
template <typename First, typename Second, typename VisitFirst, typename VisitSecond>
void visit_nested(std::size_t first_count, const First& first, std::size_t second_count,
                  const Second& second, const VisitFirst& visit_first,
                  const VisitSecond& visit_second) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < second_count; ++i) {
    const TimeInterval interval = second(i);
    for (; next < first_count; ++next) {
      const TimeInterval outer = first(next);
      if (interval.begins_outside(outer)) break;
      visit_first(next, outer);
    }
    visit_second(i, interval);
  }
  for (; next < first_count; ++next) visit_first(next, first(next));
}

// Whether `order` leaves everything where it is.
bool is_identity(std::span<const std::uint32_t> order);

// Calls `body(begin, end)` for each run of two or more positions of `order` with equal keys, to
// sort them by something finer.
template <typename Key, typename Body>
void for_each_tie(std::span<const Key> keys, std::span<const std::uint32_t> order, Body&& body) {
  std::size_t begin = 0;
  for (std::size_t end = 1; end <= order.size(); ++end) {
    if (end < order.size() && keys[order[end]] == keys[order[begin]]) continue;
    if (end - begin > 1) body(begin, end);
    begin = end;
  }
}

}  // namespace npuprof
