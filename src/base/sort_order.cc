#include "base/sort_order.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace npuprof {
namespace {

template <typename Key>
std::vector<std::uint32_t> order_of(std::span<const Key> keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  if (std::is_sorted(keys.begin(), keys.end())) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  return order;
}

}  // namespace

std::vector<std::uint32_t> stable_order(std::span<const std::uint64_t> keys) {
  return order_of(keys);
}

std::vector<std::uint32_t> stable_order(std::span<const std::int64_t> keys) {
  return order_of(keys);
}

std::vector<std::uint32_t> nesting_order(std::span<const std::int64_t> starts,
                                         std::span<const std::int64_t> ends, EqualIntervals equal) {
  std::vector<std::uint32_t> order = stable_order(starts);
  const auto is_outer = [&](std::uint32_t a, std::uint32_t b) {
    if (ends[a] != ends[b]) return ends[a] > ends[b];
    return equal == EqualIntervals::kFirstIsOuter ? a < b : a > b;
  };
  for_each_tie(starts, std::span<const std::uint32_t>(order),
               [&](std::size_t begin, std::size_t end) {
                 const auto tie = std::span(order).subspan(begin, end - begin);
                 if (std::is_sorted(tie.begin(), tie.end(), is_outer)) return;
                 std::sort(tie.begin(), tie.end(), is_outer);
               });
  return order;
}

bool is_identity(std::span<const std::uint32_t> order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != i) return false;
  }
  return true;
}

}  // namespace npuprof
