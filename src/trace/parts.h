#pragma once

#include <cstdint>
#include <initializer_list>

namespace npuprof::trace {

// Parts of a profile that take long to read and that few questions are about. Whoever asks says
// which of them matter; what nobody asked for is neither read nor joined, and is not lost either.
// All other tables are always there.
enum class Part : std::uint8_t {
  kCounters,  // Metrics of kernels, of results: ResultMetrics.
  kMemory,    // What allocators did, and samples of the memory of devices.
  kOverlap,   // OverlapIntervals.
  kSamples,   // Rates of links, memories and the host; frequencies are always there.
  kStacks,    // FrameworkOps::stack.
  // Calls of the host and the task queue, but for those that collectives and marks came through,
  // and columns of operators, tasks and kernels that say neither what ran nor when: these have no
  // values then. What modules and types of kernels cost is known without.
  kDetails,
};

class Parts {
 public:
  constexpr Parts(std::initializer_list<Part> parts) {
    for (const Part part : parts) bits_ |= bit(part);
  }
  static constexpr Parts all() {
    Parts parts{};
    parts.bits_ = ~std::uint32_t{0};
    return parts;
  }

  constexpr Parts with(Part part) const {
    Parts parts = *this;
    parts.bits_ |= bit(part);
    return parts;
  }
  constexpr bool has(Part part) const { return (bits_ & bit(part)) != 0; }

 private:
  static constexpr std::uint32_t bit(Part part) {
    return std::uint32_t{1} << static_cast<unsigned>(part);
  }
  std::uint32_t bits_ = 0;
};

}  // namespace npuprof::trace
