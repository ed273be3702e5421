#pragma once

// Arrows between slices, to be found by either end and by time.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "report/lanes/lane_timeline.h"

namespace npuprof::serve {

class ArrowIndex {
 public:
  ArrowIndex() = default;
  explicit ArrowIndex(const report::LaneTimeline& timeline);

  std::size_t size() const { return timed_.size(); }
  // By the slice they come from.
  std::span<const report::LaneArrow> from(std::uint32_t slice) const;
  // Calls body(arrow) for each arrow to a slice.
  template <typename Body>
  void for_each_to(std::uint32_t slice, const Body& body) const {
    for (auto at = first_to(slice); at < by_target_.size(); ++at) {
      const report::LaneArrow& arrow = (*arrows_)[by_target_[at]];
      if (arrow.to != slice) return;
      body(arrow);
    }
  }
  // Calls body(arrow, from_ns, to_ns) for each arrow of which a part is in a time span of the wall
  // clock.
  template <typename Body>
  void for_each_between(std::int64_t begin_ns, std::int64_t end_ns, const Body& body) const {
    for (std::size_t block = 0; block < block_last_ns_.size(); ++block) {
      if (block_last_ns_[block] < begin_ns) continue;
      const std::size_t first = block * kBlock;
      if (timed_[first].first_ns >= end_ns) return;
      const std::size_t last = std::min(timed_.size(), first + kBlock);
      for (std::size_t i = first; i < last; ++i) {
        const TimedArrow& timed = timed_[i];
        if (timed.first_ns >= end_ns) break;
        if (timed.last_ns >= begin_ns) body((*arrows_)[timed.arrow]);
      }
    }
  }

 private:
  static constexpr std::size_t kBlock = 1024;
  struct TimedArrow {
    std::int64_t first_ns = 0;  // Of both ends the earlier one.
    std::int64_t last_ns = 0;
    std::uint32_t arrow = 0;
  };

  std::size_t first_to(std::uint32_t slice) const;

  const std::vector<report::LaneArrow>* arrows_ = nullptr;
  std::vector<std::uint32_t> by_target_;
  std::vector<TimedArrow> timed_;            // By first_ns.
  std::vector<std::int64_t> block_last_ns_;  // The greatest last_ns of each kBlock of them.
};

}  // namespace npuprof::serve
