#pragma once

// What is drawn of lanes in a window of time, in bytes that the page takes as arrays
// (docs/page.md).

#include <cstdint>
#include <string>
#include <vector>

#include "serve/lane_index.h"

namespace npuprof::serve {

struct Window {
  Span span;
  std::uint32_t pixels = 0;
};

// Lanes that there are not are left out.
std::string slices_reply(const LaneIndex& index, const Window& window,
                         const std::vector<std::uint32_t>& lanes);

}  // namespace npuprof::serve
