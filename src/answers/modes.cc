#include <algorithm>
#include <array>

#include "answers/mode.h"
#include "answers/step_time.h"

namespace npuprof::answers {

std::span<const Mode* const> all_modes() {
  static constexpr std::array kModes = {
      &kStepTimeMode,
  };
  return kModes;
}

const Mode* find_mode(std::string_view name) {
  const auto modes = all_modes();
  const auto found = std::find_if(modes.begin(), modes.end(),
                                  [&](const Mode* mode) { return mode->name == name; });
  return found == modes.end() ? nullptr : *found;
}

}  // namespace npuprof::answers
