#include "report/perfetto/perfetto_timeline.h"

#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "base/file.h"
#include "report/perfetto/trace_reader.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

using npuprof::testing::PerfettoTraceReader;
using npuprof::testing::ReadSlice;
using npuprof::testing::ReadValue;
using npuprof::testing::TemporaryDirectory;

constexpr std::int64_t kBegin = 1736408883004219526;  // A wall-clock time.
constexpr Layer kLayer{"Ascend Hardware", 14, false};

// Writes a file with `fill(timeline)` and reads its bytes.
template <typename Fill>
std::string written(const Fill& fill, std::int32_t rank = 0, unsigned workers = 2) {
  const TemporaryDirectory directory;
  ThreadPool pool(workers);
  auto timeline = PerfettoTimeline::create(directory.path() / "trace", rank, kBegin, pool).value();
  fill(timeline);
  EXPECT_TRUE(timeline.close().ok());
  return read_file(directory.path() / "trace").value();
}

TEST(PerfettoTimeline, SlicesHaveNameCategoryAndArguments) {
  const PerfettoTraceReader trace(written([](auto& timeline) {
    timeline.layer(kLayer, 77, 3);
    timeline.lane(77, 2, "Stream 2", 2);
    timeline.slices(
        3,
        [](std::size_t i) {
          if (i == 2) return kNotShown;
          return SlicePlace{77, 2, kBegin + static_cast<std::int64_t>(i), kBegin + 7};
        },
        [](auto& event, std::size_t i) {
          event.name("Node@", i == 0 ? "launch" : "").category("cpu_op");
          event.argument("Task Id", 4294967295u).argument("Sequence", std::int64_t{-1});
          event.argument("ratio", 0.25).argument("Type", std::string_view(""));
          event.argument("Dims", std::string_view("2,3;\r\n4"));
        });
  }));
  ASSERT_EQ(trace.slices.size(), 2u);
  const ReadSlice& slice = trace.slices[0];
  EXPECT_EQ(slice.name, "Node@launch");
  EXPECT_EQ(slice.category, "cpu_op");
  EXPECT_EQ(slice.start_ns, kBegin);
  EXPECT_EQ(slice.end_ns, kBegin + 7);
  EXPECT_EQ(slice.arguments,
            (std::map<std::string, ReadValue>{{"Task Id", std::uint64_t{4294967295}},
                                              {"Sequence", std::int64_t{-1}},
                                              {"ratio", 0.25},
                                              {"Type", std::string()},
                                              {"Dims", std::string("2,3;\r\n4")}}));
  EXPECT_EQ(trace.slices[1].name, "Node@");
  EXPECT_EQ(trace.slices[1].depth, 1u);
  const auto& lane = trace.tracks.at(slice.track);
  EXPECT_EQ(lane.name, "Stream 2");
  EXPECT_EQ(trace.tracks.at(lane.parent).name, "Rank 0: Ascend Hardware (NPU 3)");
  EXPECT_TRUE(trace.tracks.at(lane.parent).is_process);
  EXPECT_EQ(trace.clocks,
            (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{6, kBegin}, {1, kBegin}}));
}

// Random slices of several lanes: nested, touching, overlapping, empty, in any order and from
// several calls. Every one must be there once, at its time, on a track of its lane.
struct RandomSlices {
  explicit RandomSlices(std::uint32_t seed, std::size_t count) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t start = kBegin + static_cast<std::int64_t>(random() % (count * 4));
      const std::int64_t length = random() % 5 == 0 ? 0 : static_cast<std::int64_t>(random() % 30);
      places.push_back({77, random() % 4, start, start + length});
    }
  }
  void write(PerfettoTimeline& timeline, std::size_t first, std::size_t last) const {
    timeline.slices(
        last - first, [this, first](std::size_t i) { return places[first + i]; },
        [first](auto& event, std::size_t i) {
          event.name("slice ", std::to_string((first + i) % 100));
          event.argument("row", first + i);
        });
  }
  std::vector<SlicePlace> places;
};

void expect_all_once(const RandomSlices& expected, const PerfettoTraceReader& trace) {
  ASSERT_EQ(trace.slices.size(), expected.places.size());
  std::vector<bool> seen(expected.places.size());
  for (const ReadSlice& slice : trace.slices) {
    const auto row = std::get<std::uint64_t>(slice.arguments.at("row"));
    ASSERT_LT(row, seen.size());
    ASSERT_FALSE(seen[row]);
    seen[row] = true;
    const SlicePlace& place = expected.places[row];
    ASSERT_EQ(slice.start_ns, place.start_ns);
    ASSERT_EQ(slice.end_ns, place.end_ns);
    ASSERT_EQ(slice.name, "slice " + std::to_string(row % 100));
    ASSERT_EQ(trace.tracks.at(slice.track).name, "Stream " + std::to_string(place.tid));
  }
}

// Children must lie inside their parents. (That begins and ends pair up is checked by reading.)
void expect_nested(const PerfettoTraceReader& trace) {
  std::map<std::uint64_t, std::vector<const ReadSlice*>> open;
  for (const ReadSlice& slice : trace.slices) {
    std::vector<const ReadSlice*>& stack = open[slice.track];
    ASSERT_LE(slice.depth, stack.size());
    stack.resize(slice.depth);
    if (!stack.empty()) {
      ASSERT_GE(slice.start_ns, stack.back()->start_ns);
      ASSERT_LE(slice.end_ns, stack.back()->end_ns);
    }
    stack.push_back(&slice);
  }
}

class PerfettoTimelineRandom : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(PerfettoTimelineRandom, EverySliceIsThereOnceAndNested) {
  const RandomSlices slices(GetParam(), 3000);
  const PerfettoTraceReader trace(written([&](auto& timeline) {
    timeline.layer(kLayer, 77, 0);
    for (std::uint64_t tid = 0; tid < 4; ++tid) {
      timeline.lane(77, tid, "Stream " + std::to_string(tid), tid);
    }
    slices.write(timeline, 0, 1000);
    slices.write(timeline, 1000, 1001);
    slices.write(timeline, 1001, 3000);
  }));
  expect_all_once(slices, trace);
  expect_nested(trace);
  // Tracks of one lane have one key, so that they are shown together.
  std::map<std::uint64_t, std::set<std::string>> names_by_key;
  std::size_t lanes = 0;
  for (const auto& [uuid, track] : trace.tracks) {
    if (track.is_process || uuid == 0) continue;
    names_by_key[track.merge_key].insert(track.name);
    ++lanes;
  }
  EXPECT_EQ(names_by_key.size(), 4u);
  for (const auto& [key, names] : names_by_key) EXPECT_EQ(names.size(), 1u);
  EXPECT_GT(lanes, 4u) << "some slices overlap";
}

INSTANTIATE_TEST_SUITE_P(Seed, PerfettoTimelineRandom, ::testing::Range(1u, 9u));

TEST(PerfettoTimeline, ParallelWritingGivesTheSameBytes) {
  const RandomSlices slices(5, 150000);
  const auto fill = [&](PerfettoTimeline& timeline) {
    timeline.layer(kLayer, 77, 0);
    slices.write(timeline, 0, slices.places.size());
  };
  const std::string one = written(fill, 3, 1);
  EXPECT_EQ(one, written(fill, 3, 4));
  const PerfettoTraceReader trace(one);
  EXPECT_EQ(trace.slices.size(), slices.places.size());
  EXPECT_GT(trace.chunks, 4u) << "a lane has several chunks";
  EXPECT_LT(trace.largest_packet, 512u * 1024u);
}

TEST(PerfettoTimeline, ALaneThatNobodyNamedIsShown) {
  const PerfettoTraceReader trace(written([](auto& timeline) {
    timeline.slices(
        1,
        [](std::size_t) {
          return SlicePlace{5, 6, kBegin, kBegin + 1};
        },
        [](auto& event, std::size_t) { event.name("x"); });
  }));
  ASSERT_EQ(trace.slices.size(), 1u);
  EXPECT_EQ(trace.tracks.at(trace.slices[0].track).name, "Thread 6");
}

TEST(PerfettoTimeline, DeepNestingIsNotLost) {
  constexpr std::size_t kDeep = 2000;
  const PerfettoTraceReader trace(written([](auto& timeline) {
    timeline.layer(kLayer, 1, 0);
    timeline.slices(
        kDeep,
        [](std::size_t i) {
          const auto depth = static_cast<std::int64_t>(i);
          return SlicePlace{1, 1, kBegin + depth, kBegin + 10000 - depth};
        },
        [](auto& event, std::size_t) { event.name("f"); });
  }));
  ASSERT_EQ(trace.slices.size(), kDeep);
  for (const ReadSlice& slice : trace.slices) EXPECT_LT(slice.depth, 512u);
}

TEST(PerfettoTimeline, EachArrowHasANumberOfItsOwn) {
  const PerfettoTraceReader trace(written([](auto& timeline) {
    timeline.layer(kLayer, 1, 0);
    timeline.slices(
        6,
        [](std::size_t i) {
          const auto time = static_cast<std::int64_t>(i);
          return SlicePlace{1, i % 2, kBegin + time, kBegin + time + 1};
        },
        [](auto& event, std::size_t i) {
          event.name("f");
          // Kinds with equal ids are different arrows.
          const ArrowKind kind = i < 4 ? ArrowKind::kQueue : ArrowKind::kBackward;
          if (i % 2 == 0) event.arrow_out(kind, i / 2 % 2);
          if (i % 2 == 1) event.arrow_in(kind, i / 2 % 2);
        });
  }));
  std::map<std::uint64_t, std::vector<std::int64_t>> ends;
  for (const ReadSlice& slice : trace.slices) {
    for (const std::uint64_t flow : slice.flows) ends[flow].push_back(slice.start_ns - kBegin);
  }
  std::set<std::vector<std::int64_t>> pairs;
  for (const auto& [flow, times] : ends) pairs.insert(times);
  EXPECT_EQ(pairs, (std::set<std::vector<std::int64_t>>{{0, 1}, {2, 3}, {4, 5}}));
}

TEST(PerfettoTimeline, CountersHaveATrackForEachSeries) {
  const PerfettoTraceReader trace(written([](auto& timeline) {
    timeline.layer(kLayer, 1, 0);
    const std::uint32_t first = timeline.counter(1, "AI Core Freq", {"MHz"});
    const std::uint32_t second = timeline.counter(1, "PCIe", {"Tx", "Rx"});
    timeline.samples(4, [&](std::size_t i) {
      if (i == 2) return CounterSample{};
      if (i == 3) return CounterSample{second, kBegin + 6, {std::nan(""), std::nan("")}};
      return CounterSample{i == 0 ? first : second, kBegin + 5, {1850.5, -2}};
    });
  }));
  std::map<std::string, double> values;
  for (const auto& sample : trace.samples) {
    EXPECT_EQ(sample.time_ns, kBegin + 5);
    EXPECT_TRUE(trace.tracks.at(sample.track).is_counter);
    values[trace.tracks.at(sample.track).name] = sample.value;
  }
  EXPECT_EQ(values, (std::map<std::string, double>{
                        {"AI Core Freq", 1850.5}, {"PCIe Tx", 1850.5}, {"PCIe Rx", -2}}));
}

TEST(PerfettoTimeline, FilesOfSeveralRanksCanBeJoined) {
  const auto fill = [](PerfettoTimeline& timeline) {
    timeline.layer(kLayer, 1, 0);
    timeline.slices(
        2,
        [](std::size_t i) {
          return SlicePlace{1, i, kBegin, kBegin + 1};
        },
        [](auto& event, std::size_t i) {
          event.name("f");
          if (i == 0) event.arrow_out(ArrowKind::kLaunch, 9);
          if (i == 1) event.arrow_in(ArrowKind::kLaunch, 9);
        });
  };
  const PerfettoTraceReader trace(written(fill, 0) + written(fill, 1));
  ASSERT_EQ(trace.slices.size(), 4u);
  std::set<std::uint64_t> flows;
  std::set<std::int64_t> pids;
  for (const ReadSlice& slice : trace.slices) {
    flows.insert(slice.flows.at(0));
    pids.insert(trace.tracks.at(trace.tracks.at(slice.track).parent).pid);
  }
  EXPECT_EQ(flows.size(), 2u);
  EXPECT_EQ(pids.size(), 2u);
}

TEST(PerfettoTimeline, LongTextsAreSplitIntoPackets) {
  const PerfettoTraceReader trace(written([](auto& timeline) {
    timeline.layer(kLayer, 1, 0);
    timeline.slices(
        200,
        [](std::size_t i) {
          const auto time = static_cast<std::int64_t>(i);
          return SlicePlace{1, 1, kBegin + time, kBegin + time + 1};
        },
        [](auto& event, std::size_t i) {
          // Text that does not compress.
          std::string stack(20000, ' ');
          std::mt19937 random(static_cast<std::uint32_t>(i));
          for (char& c : stack) c = static_cast<char>(random() % 256);
          event.name("f").argument("Call stack", std::string_view(stack));
        });
  }));
  ASSERT_EQ(trace.slices.size(), 200u);
  EXPECT_LT(trace.largest_packet, 512u * 1024u);
}

}  // namespace
}  // namespace npuprof::report
