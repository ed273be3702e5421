#pragma once

#include <cstdint>
#include <vector>

#include "trace/host/ccu_infos.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// What the collective communication unit did, as timelines show it: a loop that moves data, or a
// wait until the last of the ranks it waits for has signalled.
struct CcuEvent {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t mission = 0;          // Row in CcuMissions.
  std::uint32_t info = trace::kNone;  // What the host announced: row in CcuInfos, kNone = unknown.
  bool is_wait = false;
  std::uint8_t last_rank = 0;  // Of a wait: index of the rank that came last.
  // Of a wait: the channel with the greatest average delay so far; kNoCcuChannel = unknown.
  std::uint16_t slowest_channel = trace::kNoCcuChannel;
  std::uint32_t channel_delay = 0;
};

// Events since the begin of the session, by (device, start).
std::vector<CcuEvent> ccu_events(const trace::Trace& trace);

}  // namespace npuprof::analyze
