#include "format/mindspore/record_clock.h"

namespace npuprof::format::mindspore {

bool tells_wall_time(const framework::ClockSources& sources) {
  const bool has_offset = sources.wall_offset_ns ||
                          (sources.collection_time_begin_us && sources.clock_monotonic_raw_ns);
  return sources.host_count && sources.host_monotonic_ns && has_offset;
}

framework::Clock op_range_clock(const framework::ClockSources& sources) {
  constexpr double kAssumedFrequencyMhz = 100;
  if (!tells_wall_time(sources)) return {true, kAssumedFrequencyMhz, 0, 0, 0};
  framework::ClockSources counted = sources;
  counted.counter_enabled = true;
  return framework::Clock(counted);
}

}  // namespace npuprof::format::mindspore
