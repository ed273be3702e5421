#pragma once

// Numbers of things in sentences: "1 kernel", "2 kernels".

#include <cstdint>
#include <string>
#include <string_view>

namespace npuprof {

// `one` is the word for a single one; others get an s.
inline std::string count_text(std::uint64_t count, std::string_view one) {
  std::string text = std::to_string(count) + " ";
  text += one;
  if (count != 1) text += 's';
  return text;
}

// The word that goes with a number: "is" or "are".
inline std::string_view for_count(std::uint64_t count, std::string_view one,
                                  std::string_view many) {
  return count == 1 ? one : many;
}

}  // namespace npuprof
