#pragma once

// Slices that are not what they seem: cut off by the end of the recording, or at a time that was
// not recorded but guessed.

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/idle_causes.h"
#include "report/lanes/lane_timeline.h"
#include "trace/trace.h"

namespace npuprof::serve {

class SliceMarks {
 public:
  SliceMarks() = default;
  SliceMarks(const trace::Trace& trace, const report::LaneTimeline& timeline,
             const std::vector<analyze::IdleRow>& idle_rows);

  bool is_unfinished(std::uint32_t lane, std::uint32_t slice) const {
    return has(unfinished_[lane], slice);
  }
  bool is_doubtful(std::uint32_t lane, std::uint32_t slice) const {
    return has(doubtful_[lane], slice);
  }

 private:
  static bool has(const std::vector<std::uint32_t>& slices, std::uint32_t slice);

  std::vector<std::vector<std::uint32_t>> unfinished_;  // By lane; slices ascend.
  std::vector<std::vector<std::uint32_t>> doubtful_;
};

// What a loss says of all slices of a profile: that clocks were guessed; empty = none says so.
std::string guessed_clock(const std::vector<std::string>& losses);

}  // namespace npuprof::serve
