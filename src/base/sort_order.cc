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
  sort_rows(rows, [&](std::uint32_t a, std::uint32_t b) {
    if (starts[a] != starts[b]) return starts[a] < starts[b];
    if (ends[a] != ends[b]) return ends[a] > ends[b];
    return equal == EqualIntervals::kFirstIsOuter ? a < b : a > b;
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
