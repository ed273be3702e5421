#pragma once

#include "format/framework/record_clock.h"

namespace npuprof::format::mindspore {

// The clock of `mindspore.op_range`. Its stamps are ticks of the host's counter:
//
//     wall(t) = (t - cntvct) * 1000 / frequency_mhz + clock_monotonic_raw
//               + (collectionTimeBegin - clockMonotonicRaw)
//
// with cntvct and clock_monotonic_raw of host_start.log, the rest of start_info and info.json.
// Without PROF_* nothing tells what the ticks mean; they then count from 0 at 100 MHz, and times
// are no times of the day. Memory and CPU operators have wall-clock nanoseconds anyway.
framework::Clock op_range_clock(const framework::ClockSources& sources);

// Whether the sources have all that it takes to tell the time of the day.
bool tells_wall_time(const framework::ClockSources& sources);

}  // namespace npuprof::format::mindspore
