#include "analyze/computing_time.h"

#include "trace/linked/overlap_intervals.h"

namespace npuprof::analyze {

std::map<std::uint16_t, ComputingTime> computing_times(const trace::Trace& trace) {
  std::map<std::uint16_t, ComputingTime> computing;
  const auto& intervals = trace.overlap_intervals();
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals.kind[i] != static_cast<std::uint8_t>(trace::OverlapKind::kComputing)) continue;
    computing[intervals.device[i]].add({intervals.start_ns[i], intervals.end_ns[i]});
  }
  for (auto& [device, time] : computing) time.prepare();
  return computing;
}

}  // namespace npuprof::analyze
