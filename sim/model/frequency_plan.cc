#include "sim/model/frequency_plan.h"

#include <algorithm>

namespace npuprof::sim {

FrequencyPlan::FrequencyPlan(std::uint32_t base_mhz, std::span<const FrequencyDrop> drops) {
  std::vector<FrequencyDrop> valid;
  std::vector<std::int64_t> changes;
  for (const FrequencyDrop& drop : drops) {
    if (drop.mhz == 0 || drop.mhz >= base_mhz || drop.duration_ns <= 0) continue;
    valid.push_back(drop);
    changes.push_back(drop.begin_ns);
    changes.push_back(drop.begin_ns + drop.duration_ns);
  }
  std::sort(changes.begin(), changes.end());

  entries_.push_back({0, base_mhz});
  for (const std::int64_t time_ns : changes) {
    std::uint32_t mhz = base_mhz;
    for (const FrequencyDrop& drop : valid) {
      const bool active = drop.begin_ns <= time_ns && time_ns < drop.begin_ns + drop.duration_ns;
      if (active) mhz = std::min(mhz, drop.mhz);
    }
    if (mhz != entries_.back().mhz) entries_.push_back({time_ns, mhz});
  }
}

std::uint32_t FrequencyPlan::search(std::int64_t time_ns) const {
  const auto after = std::upper_bound(
      entries_.begin(), entries_.end(), time_ns,
      [](std::int64_t time, const FrequencyEntry& entry) { return time < entry.time_ns; });
  return after == entries_.begin() ? entries_.front().mhz : std::prev(after)->mhz;
}

}  // namespace npuprof::sim
