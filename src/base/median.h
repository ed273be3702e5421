#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace npuprof {

// The middle of values in any order, of an even number the greater of the two in the middle; 0
// without values.
template <typename T>
T median_of(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace npuprof
