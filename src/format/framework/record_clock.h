#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace npuprof::format::framework {

// Where the parameters of the clock may be found. Files of PROF_*/host win over profiler_info.
struct ClockSources {
  // What CLOCK_MONOTONIC_RAW lacks to the wall clock, where that is known already.
  std::optional<std::int64_t> wall_offset_ns;

  // profiler_info, start_info and end_info.
  bool counter_enabled = false;             // syscnt_enable
  double start_frequency_mhz = 100;         // freq
  std::int64_t start_count = 0;             // start_cnt
  std::int64_t start_monotonic_ns = 0;      // start_monotonic, CLOCK_MONOTONIC_RAW
  std::int64_t collection_time_end_ns = 0;  // collectionTimeEnd, wall clock
  std::int64_t monotonic_time_end_ns = 0;   // MonotonicTimeEnd, CLOCK_MONOTONIC (not RAW)

  // host/info.json: the text of CPU[0].Frequency, in MHz; nothing if there is no such file.
  std::optional<std::string_view> cpu_frequency;

  // host/host_start.log: both or neither.
  std::optional<std::int64_t> host_count;         // cntvct
  std::optional<std::int64_t> host_monotonic_ns;  // clock_monotonic_raw

  // host/start_info (or device_*/start_info.*), if NPU activity was recorded.
  std::optional<std::string_view> collection_time_begin_us;  // collectionTimeBegin, wall clock
  std::optional<std::int64_t> clock_monotonic_raw_ns;        // clockMonotonicRaw
};

// Turns the time stamps of FRAMEWORK records into CLOCK_MONOTONIC_RAW and wall-clock nanoseconds.
//
//     monotonic(x) = x, if the counter is not enabled; else
//                    (x - start_count) * (1000 / frequency_mhz) + start_monotonic_ns
//     wall(x)      = monotonic(x) + wall_offset_ns
//
// All in integers: the frequency is taken to the nearest hertz and the product rounded down. The
// reference multiplies in double precision and truncates. That is the same where 1000 / frequency
// is a whole number (100 MHz: 10 ns a tick) and the product is below 2^53 ns; elsewhere the
// reference can be 1 ns too low, 1 ns too high for stamps before the start, or worse past 2^53 ns.
class Clock {
 public:
  // A frequency that is not a positive number counts as 100 MHz.
  Clock(bool counter_enabled, double frequency_mhz, std::int64_t start_count,
        std::int64_t start_monotonic_ns, std::int64_t wall_offset_ns);
  explicit Clock(const ClockSources& sources);

  // Both stop at the ends of their type for stamps that are nonsense.
  std::int64_t monotonic_ns(std::int64_t stamp) const {
    return counter_.to_ns(stamp < 0 ? 0 : static_cast<std::uint64_t>(stamp));
  }
  std::int64_t wall_ns(std::int64_t stamp) const;

  const TickClock& counter() const { return counter_; }
  std::int64_t wall_offset_ns() const { return wall_offset_ns_; }

 private:
  TickClock counter_;  // Frequency 0 if the stamps are nanoseconds already.
  std::int64_t wall_offset_ns_;
};

// Microseconds as text to nanoseconds: "A.B" is A followed by the first three digits of B, padded
// with zeros.
std::optional<std::int64_t> microseconds_text_to_ns(std::string_view text);

}  // namespace npuprof::format::framework
