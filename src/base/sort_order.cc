#include "base/sort_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>

namespace npuprof {
namespace {

constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
// Below this many keys the counting of digits costs more than comparing.
constexpr std::size_t kRadixMinimum = 2048;

struct Item {
  std::uint64_t key;
  std::uint32_t position;
};

// One pass of a least-significant-digit radix sort.
void scatter(const std::vector<Item>& from, std::vector<Item>& to, int shift,
             std::array<std::uint32_t, kDigits>& next) {
  for (const Item& item : from) to[next[item.key >> shift & (kDigits - 1)]++] = item;
}

// Sorts by the bits below `bit_count`.
void radix_sort(std::vector<Item>& items, int bit_count) {
  std::vector<Item> other(items.size());
  for (int shift = 0; shift < bit_count; shift += kDigitBits) {
    std::array<std::uint32_t, kDigits> next{};
    for (const Item& item : items) ++next[item.key >> shift & (kDigits - 1)];
    std::uint32_t begin = 0;
    bool single = false;
    for (std::uint32_t& count : next) {
      single = single || count == items.size();
      begin += std::exchange(count, begin);
    }
    if (single) continue;
    scatter(items, other, shift, next);
    items.swap(other);
  }
}

// `distance` maps a key to an unsigned number of the same order, the smallest key to 0.
template <typename Key, typename Distance>
std::vector<std::uint32_t> order_of(std::span<const Key> keys, Distance distance) {
  std::vector<std::uint32_t> order(keys.size());
  if (std::is_sorted(keys.begin(), keys.end())) {
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  std::vector<Item> items(keys.size());
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    items[i] = {distance(keys[i]), static_cast<std::uint32_t>(i)};
    largest = std::max(largest, items[i].key);
  }
  if (keys.size() < kRadixMinimum) {
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return a.key != b.key ? a.key < b.key : a.position < b.position;
    });
  } else {
    radix_sort(items, std::bit_width(largest));
  }
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = items[i].position;
  return order;
}

}  // namespace

std::vector<std::uint32_t> stable_order(std::span<const std::uint64_t> keys) {
  const std::uint64_t smallest = keys.empty() ? 0 : *std::min_element(keys.begin(), keys.end());
  return order_of(keys, [smallest](std::uint64_t key) { return key - smallest; });
}

std::vector<std::uint32_t> stable_order(std::span<const std::int64_t> keys) {
  const std::int64_t smallest = keys.empty() ? 0 : *std::min_element(keys.begin(), keys.end());
  return order_of(keys, [smallest](std::int64_t key) {
    return static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(smallest);
  });
}

std::vector<std::uint32_t> nesting_order(std::span<const std::int64_t> starts,
                                         std::span<const std::int64_t> ends) {
  std::vector<std::uint32_t> order = stable_order(starts);
  const auto is_longer = [&](std::uint32_t a, std::uint32_t b) { return ends[a] > ends[b]; };
  for_each_tie(starts, std::span<const std::uint32_t>(order),
               [&](std::size_t begin, std::size_t end) {
                 const auto tie = std::span(order).subspan(begin, end - begin);
                 if (std::is_sorted(tie.begin(), tie.end(), is_longer)) return;
                 std::stable_sort(tie.begin(), tie.end(), is_longer);
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
