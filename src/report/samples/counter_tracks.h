#pragma once

// Samples as the counters of a timeline, whatever its file format.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/samples.h"
#include "report/timeline/timeline.h"

namespace npuprof::report {

struct CounterSeries {
  std::string name;  // With its unit where it has one: "Read(MB/s)".
  std::vector<std::int64_t> time_ns;
  std::vector<double> values;
};

// A counter: one or more series under one name, such as sent and received.
struct CounterTrack {
  Layer layer;
  std::uint16_t device;  // 0 for layers of the host.
  std::string name;
  std::vector<CounterSeries> series;
};

// All counters, those of a layer and device one after another. Of several values of a series at one
// time (units that are not told apart, such as accelerators) the largest counts.
std::vector<CounterTrack> counter_tracks(std::span<const analyze::Samples> samples);

}  // namespace npuprof::report
