#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace npuprof {

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
