#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "format/record.h"

namespace npuprof::format::device {

// Text in a field of fixed width, filled up with NUL. A text of full width has no NUL at all.
template <std::size_t kWidth>
struct FixedText {
  std::array<char, kWidth> characters;

  // A longer text is cut.
  static FixedText make(std::string_view text) {
    FixedText field{};
    std::memcpy(field.characters.data(), text.data(), std::min(text.size(), kWidth));
    return field;
  }
  std::string_view view() const {
    const auto end = std::find(characters.begin(), characters.end(), '\0');
    return {characters.data(), static_cast<std::size_t>(end - characters.begin())};
  }
};

}  // namespace npuprof::format::device
