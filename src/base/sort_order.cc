#include "base/sort_order.h"

#include <cstddef>
#include <numeric>

namespace npuprof {
namespace {

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

template <typename Key>
std::vector<std::uint32_t> order_of(std::span<const Key> keys) {
  std::vector<std::uint32_t> order = all_rows(keys.size());
  sort_rows(order, [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return order;
}

}  // namespace

std::vector<std::uint32_t> stable_order(std::span<const std::uint64_t> keys) {
  return order_of(keys);
}

std::vector<std::uint32_t> stable_order(std::span<const std::int64_t> keys) {
  return order_of(keys);
}

void sort_by_nesting(std::vector<std::uint32_t>& rows, std::span<const std::int64_t> starts,
                     std::span<const std::int64_t> ends, EqualIntervals equal) {
  // Starts are mostly in order; what starts together is not, since ranges are recorded as they end.
  sort_rows(rows, [&](std::uint32_t a, std::uint32_t b) { return starts[a] < starts[b]; });
  const auto is_outer = [&](std::uint32_t a, std::uint32_t b) {
    if (ends[a] != ends[b]) return ends[a] > ends[b];
    return equal == EqualIntervals::kFirstIsOuter ? a < b : a > b;
  };
  for_each_tie(starts, std::span<const std::uint32_t>(rows),
               [&](std::size_t begin, std::size_t end) {
                 const auto tie = std::span(rows).subspan(begin, end - begin);
                 if (std::is_sorted(tie.begin(), tie.end(), is_outer)) return;
                 std::sort(tie.begin(), tie.end(), is_outer);
               });
}

std::vector<std::uint32_t> nesting_order(std::span<const std::int64_t> starts,
                                         std::span<const std::int64_t> ends, EqualIntervals equal) {
  std::vector<std::uint32_t> order = all_rows(starts.size());
  sort_by_nesting(order, starts, ends, equal);
  return order;
}

bool is_identity(std::span<const std::uint32_t> order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != i) return false;
  }
  return true;
}

}  // namespace npuprof
