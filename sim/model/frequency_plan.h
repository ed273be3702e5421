#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace npuprof::sim {

// The AI core clock from `time_ns` (virtual) on.
struct FrequencyEntry {
  std::int64_t time_ns = 0;
  std::uint32_t mhz = 0;
};

// A fault: the clock is lowered for a while (heat, power limit).
struct FrequencyDrop {
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint32_t mhz = 0;
};

// The AI core clock over time, as a step function.
class FrequencyPlan {
 public:
  // Overlapping drops: the lowest clock holds. A drop to more than `base_mhz` or to 0 is ignored:
  // readers take a zero entry as "no frequency known".
  FrequencyPlan(std::uint32_t base_mhz, std::span<const FrequencyDrop> drops);

  std::uint32_t mhz_at(std::int64_t time_ns) const {
    if (entries_.size() == 1) return entries_.front().mhz;
    return search(time_ns);
  }

  // Every change, in order; the first entry lies before all events.
  std::span<const FrequencyEntry> entries() const { return entries_; }

 private:
  std::uint32_t search(std::int64_t time_ns) const;

  std::vector<FrequencyEntry> entries_;
};

}  // namespace npuprof::sim
