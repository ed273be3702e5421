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

// What is sorted: a key and where it stood. Most keys and positions fit into 64 bits together.
struct PackedItem {
  std::uint64_t bits;  // Key above position.
};
struct WideItem {
  std::uint64_t key;
  std::uint32_t position;
};

struct PackedLayout {
  int position_bits;

  PackedItem make(std::uint64_t key, std::size_t position) const {
    return {key << position_bits | position};
  }
  std::uint64_t key(PackedItem item) const { return item.bits >> position_bits; }
  std::uint32_t position(PackedItem item) const {
    return static_cast<std::uint32_t>(item.bits & ((std::uint64_t{1} << position_bits) - 1));
  }
};

struct WideLayout {
  WideItem make(std::uint64_t key, std::size_t position) const {
    return {key, static_cast<std::uint32_t>(position)};
  }
  std::uint64_t key(WideItem item) const { return item.key; }
  std::uint32_t position(WideItem item) const { return item.position; }
};

// Least significant digits first, over the bits of keys below `key_bits`.
template <typename Item, typename Layout>
void radix_sort(std::vector<Item>& items, const Layout& layout, int key_bits) {
  std::vector<Item> other(items.size());
  for (int shift = 0; shift < key_bits; shift += kDigitBits) {
    const auto digit = [&](Item item) { return layout.key(item) >> shift & (kDigits - 1); };
    std::array<std::uint32_t, kDigits> next{};
    for (const Item& item : items) ++next[digit(item)];
    std::uint32_t begin = 0;
    bool single = false;
    for (std::uint32_t& count : next) {
      single = single || count == items.size();
      begin += std::exchange(count, begin);
    }
    if (single) continue;
    for (const Item& item : items) other[next[digit(item)]++] = item;
    items.swap(other);
  }
}

template <typename Item, typename Layout, typename Key, typename Distance>
std::vector<std::uint32_t> sorted_positions(std::span<const Key> keys, Distance distance,
                                            const Layout& layout, int key_bits) {
  std::vector<Item> items(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) items[i] = layout.make(distance(keys[i]), i);
  if (keys.size() < kRadixMinimum) {
    std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
      const std::uint64_t key_a = layout.key(a);
      const std::uint64_t key_b = layout.key(b);
      return key_a != key_b ? key_a < key_b : layout.position(a) < layout.position(b);
    });
  } else {
    radix_sort(items, layout, key_bits);
  }
  std::vector<std::uint32_t> order(keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = layout.position(items[i]);
  return order;
}

// `distance` maps a key to an unsigned number of the same order, the smallest key to 0.
template <typename Key, typename Distance>
std::vector<std::uint32_t> order_of(std::span<const Key> keys, Distance distance) {
  if (std::is_sorted(keys.begin(), keys.end())) {
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  const int key_bits = std::bit_width(distance(*std::max_element(keys.begin(), keys.end())));
  const int position_bits = std::bit_width(keys.size() - 1);
  return key_bits + position_bits <= 64
             ? sorted_positions<PackedItem>(keys, distance, PackedLayout{position_bits}, key_bits)
             : sorted_positions<WideItem>(keys, distance, WideLayout{}, key_bits);
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
