#pragma once

#include <cstdint>

namespace npuprof::load {

// Records of one file, or of slices that belong together, that cannot be used.
struct BadRecords {
  std::uint64_t count = 0;
  std::uint64_t first_offset = 0;

  void add(std::uint64_t offset) {
    if (count++ == 0) first_offset = offset;
  }
};

}  // namespace npuprof::load
