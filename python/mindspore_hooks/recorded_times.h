#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/clock.h"

namespace npuprof::mindspore_hooks {

// The times of a recording. MindSpore stamps ranges with ticks of the processor's counter, and what
// ran on the host with the wall clock; all of it is taken to CLOCK_MONOTONIC_RAW here.
struct RecordedTimes {
  std::uint64_t begin_ticks = 0;  // When recording began and ended, by both clocks.
  std::int64_t begin_ns = 0;
  std::uint64_t end_ticks = 0;
  std::int64_t end_ns = 0;
  std::int64_t wall_offset_ns = 0;  // From CLOCK_MONOTONIC_RAW to the wall clock.

  std::int64_t from_ticks(std::uint64_t ticks) const;
  std::int64_t from_wall(std::int64_t wall_ns) const { return wall_ns - wall_offset_ns; }
  bool covers(std::int64_t time_ns) const { return time_ns >= begin_ns && time_ns <= end_ns; }
};

// The counter that the stamps of a result directory are written in: that of CANN's files if there
// are any. Else readers take them for 100 MHz from the beginning of 1970 on.
TickClock written_clock(const std::filesystem::path& result_directory,
                        const RecordedTimes& recorded);

}  // namespace npuprof::mindspore_hooks
