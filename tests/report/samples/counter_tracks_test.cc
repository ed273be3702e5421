#include "report/samples/counter_tracks.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "report/samples/sample_kinds.h"
#include "sample_traces.h"

namespace npuprof::report {
namespace {

using namespace npuprof::testing;  // NOLINT(google-build-using-namespace): makers of traces.
using analyze::SampleKind;
using trace::LinkKind;
using trace::MemoryBandwidthKind;
using trace::Trace;

std::vector<CounterTrack> tracks_of(const Trace& trace) {
  std::vector<CounterTrack> tracks = counter_tracks(analyze::samples(trace));
  std::erase_if(tracks,
                [](const CounterTrack& track) { return track.layer.name == "AI Core Freq"; });
  return tracks;
}

TEST(CounterTracks, AreNamedByUnitAndLabel) {
  Trace trace = device_trace();
  for (const std::int64_t ms : {0, 10}) {
    add_bandwidth(trace, MemoryBandwidthKind::kHbm, ms, 2, 1, 32768);
  }
  const auto tracks = tracks_of(trace);
  ASSERT_EQ(tracks.size(), 1u);
  EXPECT_EQ(tracks[0].layer.name, "HBM");
  EXPECT_EQ(tracks[0].device, 1);
  EXPECT_EQ(tracks[0].name, "HBM 2/Write");
  ASSERT_EQ(tracks[0].series.size(), 1u);
  EXPECT_EQ(tracks[0].series[0].name, "Write(MB/s)");
  EXPECT_EQ(tracks[0].series[0].values, (std::vector<double>{0, 100}));
}

TEST(CounterTracks, SeriesOfOneCounterStayTogether) {
  Trace trace = device_trace();
  for (const std::uint32_t die : {0u, 1u}) {
    add_link(trace, LinkKind::kSio, 0, die, {});
    add_link(trace, LinkKind::kSio, 10, die, {1048576});
  }
  const auto tracks = tracks_of(trace);
  ASSERT_EQ(tracks.size(), 8u);
  EXPECT_EQ(tracks[0].name, "req_rx");
  ASSERT_EQ(tracks[0].series.size(), 2u);
  EXPECT_EQ(tracks[0].series[1].name, "die 1");
}

TEST(CounterTracks, OfAcceleratorsAtOneTimeTheLargestCounts) {
  Trace trace = device_trace();
  add_link(trace, LinkKind::kAccPmu, 1, 0, {5, 1, 2, 3});
  add_link(trace, LinkKind::kAccPmu, 1, 1, {4, 9, 2, 3});
  const auto tracks = tracks_of(trace);
  ASSERT_EQ(tracks.size(), 4u);
  EXPECT_EQ(tracks[0].name, "read_bandwidth");
  EXPECT_EQ(tracks[0].series[0].values, std::vector<double>{5});
  EXPECT_EQ(tracks[2].name, "write_bandwidth");
  EXPECT_EQ(tracks[2].series[0].values, std::vector<double>{9});
}

TEST(CounterTracks, UnitsAndDiesAreFilledIn) {
  Trace trace = device_trace(15);
  trace.devices[0].qos_streams = {"OTHERS"};
  add_link(trace, LinkKind::kQos, 1, 1, {7});
  add_link(trace, LinkKind::kUb, 1, 4, {1, 2});
  const auto tracks = tracks_of(trace);
  ASSERT_EQ(tracks.size(), 2u);
  EXPECT_EQ(tracks[0].name, "QoS OTHERS");
  EXPECT_EQ(tracks[0].series[0].name, "die 1");
  EXPECT_EQ(tracks[1].name, "UB Port004");
  ASSERT_EQ(tracks[1].series.size(), 2u);
}

TEST(CounterTracks, AreInTheOrderOfTheirLayers) {
  Trace trace = device_trace();
  add_link(trace, LinkKind::kSocLevel, 1, 0, {3, 4});
  add_device_memory(trace, 1, 0, 4096);
  add_host_usage(trace, trace::HostUsageKind::kMemory, 1, trace::kNone, 3);
  const auto tracks = tracks_of(trace);
  EXPECT_TRUE(std::is_sorted(tracks.begin(), tracks.end(), [](const auto& a, const auto& b) {
    return a.layer.sort_index < b.layer.sort_index;
  }));
  EXPECT_EQ(tracks.front().name, "Memory Usage");
  EXPECT_EQ(tracks.back().name, "Mata Bw Level");
}

TEST(SampleDescriptions, EachKindOnceAndEachTableOnce) {
  std::set<SampleKind> kinds;
  std::set<std::string_view> tables;
  for (const SampleDescription& description : sample_descriptions()) {
    EXPECT_TRUE(kinds.insert(description.kind).second);
    EXPECT_EQ(description.counters.empty(), description.layer.name.empty());
    const format::results::SampleTable& table = description.table;
    EXPECT_EQ(table.columns.empty(), table.name.empty());
    if (table.name.empty()) continue;
    EXPECT_TRUE(tables.insert(table.name).second) << table.name;
  }
}

}  // namespace
}  // namespace npuprof::report
