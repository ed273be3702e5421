#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/host/control.h"
#include "load/cann_host/host_clock.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// What the control files of one collection say.
struct HostSession {
  format::host::InfoJson info;
  HostClock clock;
  // False: no file ties the counter to a time, so the clock shows durations but no points in time.
  bool has_anchor = true;
  std::uint64_t counter_hz = 0;           // Of the host's counter; 0 if stamps are nanoseconds.
  std::int64_t begin_ns = 0;              // Wall time; 0 if not known.
  std::int64_t monotonic_to_wall_ns = 0;  // Of CLOCK_MONOTONIC_RAW; 0 if not known.
  bool is_clock_sure = false;  // The first calls lie near the begin: what does not is damaged.
};

// What profiler_info of a framework says of the same clocks; all nothing without one.
struct FrameworkClocks {
  std::optional<format::host::ClockLog> log;  // As host_start.log has it.
  std::int64_t monotonic_to_wall_ns = 0;      // 0 = not known.
};

// Reads the control files of `host/`. Files that are missing there are looked for in the device
// directories, which hold copies, and what is missing everywhere becomes a default and a loss. A
// frequency that cannot be true, by the first record that it would give a time, is replaced by what
// the clocks of host_start.log tell. `framework` is used where files are missing.
//
// Fills `session` except for what it knows already (from an earlier collection of the same
// process).
HostSession read_host_session(const CannDirectory& directory, const FrameworkClocks& framework,
                              trace::Session& session, trace::Losses& losses);

// Of all collections of a process, in order.
std::vector<HostSession> read_host_sessions(std::span<const CannDirectory> collections,
                                            const FrameworkClocks& framework,
                                            trace::Session& session, trace::Losses& losses);

}  // namespace npuprof::load
