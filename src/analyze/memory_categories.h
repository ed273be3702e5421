#pragma once

// What the memory of a training program is for. Some blocks the program names (parameters and what
// belongs to them); the others follow from how data flows: what gradients are computed from, what
// depends on them, and in which pass it was made.

#include <cstdint>
#include <vector>

#include "analyze/tensor_flow.h"

namespace npuprof::analyze {

// The numbers are those of the files that people and tools read.
enum class MemoryCategory : std::uint8_t {
  kParameter,
  kOptimizerState,
  kInput,
  kTemporary,
  kActivation,
  kGradient,
  kAutogradDetail,
  kUnknown,
};
inline constexpr std::size_t kMemoryCategories = 8;

// The category of every version of every block.
class MemoryCategories {
 public:
  explicit MemoryCategories(const TensorFlow& flow);

  MemoryCategory of(std::uint32_t block, std::uint32_t version) const {
    const MemoryCategory whole = by_block_[block];
    return whole != MemoryCategory::kUnknown ? whole : by_value_[first_value_[block] + version];
  }

 private:
  class Finder;

  std::vector<MemoryCategory> by_block_;  // kUnknown = look at the version.
  std::vector<std::size_t> first_value_;  // Of each block in by_value_.
  std::vector<MemoryCategory> by_value_;
};

}  // namespace npuprof::analyze
