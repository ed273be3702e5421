#pragma once

#include <algorithm>
#include <cstddef>

namespace npuprof {

// How many of `size` things in order have started: has_started(i) holds for the first of them and
// for none behind. `place`, at most `size`, is the answer to the last question; steps that double
// lead away from it, then the range is halved, so that questions in roughly ascending order cost
// next to nothing.
template <typename HasStarted>
std::size_t count_started(std::size_t size, std::size_t place, const HasStarted& has_started) {
  // The answer lies in [low, high]: all before `low` have started, none from `high` on.
  std::size_t low = 0;
  std::size_t high = size;
  if (place < high && has_started(place)) {
    low = place + 1;
    for (std::size_t step = 1; low < high; step *= 2) {
      const std::size_t probe = std::min(low + step, high) - 1;
      if (!has_started(probe)) {
        high = probe;
        break;
      }
      low = probe + 1;
    }
  } else {
    high = place;
    for (std::size_t step = 1; low < high; step *= 2) {
      const std::size_t probe = high - std::min(step, high);
      if (has_started(probe)) {
        low = probe + 1;
        break;
      }
      high = probe;
    }
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (has_started(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace npuprof
