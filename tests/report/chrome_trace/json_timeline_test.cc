#include "report/chrome_trace/json_timeline.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

using nlohmann::json;

class JsonTimelineTest : public ::testing::Test {
 protected:
  json written() {
    EXPECT_TRUE(timeline_.close().ok());
    return json::parse(read_file(directory_.path() / "t.json").value());
  }

  npuprof::testing::TemporaryDirectory directory_;
  ThreadPool pool_{2};
  JsonTimeline timeline_ = JsonTimeline::create(directory_.path() / "t.json", pool_).value();
};

TEST_F(JsonTimelineTest, WritesSlicesWithTheirArrows) {
  timeline_.layer({"Ascend Hardware", 14, false}, 7, 3);
  timeline_.lane(7, 2, "Stream 2", 5);
  timeline_.slices(
      2,
      [](std::size_t i) {
        if (i == 1) return kNotShown;
        return SlicePlace{7, 2, 1736408883004219526, 1736408883004219999};
      },
      [](auto& event, std::size_t) {
        event.name("Mat\"Mul", "@x").category("c").argument("Task Id", 5u);
        event.argument("ratio", 0.5).argument("Type", std::string_view("A\\B"));
        event.arrow_in(ArrowKind::kLaunch, std::uint64_t{1} << 40);
        event.arrow_out(ArrowKind::kQueue, 12);
      });
  const json events = written();
  ASSERT_EQ(events.size(), 8u);
  EXPECT_EQ(events[1]["args"]["labels"], "NPU 3");
  EXPECT_EQ(events[4]["args"]["sort_index"], 5);
  EXPECT_EQ(events[5], json::parse(R"({"name": "Mat\"Mul@x", "pid": 7, "tid": 2, "ph": "X",
      "ts": "1736408883004219.526", "dur": 0.473, "cat": "c",
      "args": {"Task Id": 5, "ratio": 0.5, "Type": "A\\B"}})"));
  EXPECT_EQ(events[6], json::parse(R"({"name": "HostToDevice1099511627776", "pid": 7, "tid": 2,
      "ph": "f", "bp": "e", "cat": "HostToDevice", "ts": "1736408883004219.526",
      "id": "1099511627776"})"));
  EXPECT_EQ(events[7]["ph"], "s");
  EXPECT_EQ(events[7]["id"], 12);
  EXPECT_EQ(events[7]["name"], "enqueue_to_dequeue");
}

TEST_F(JsonTimelineTest, CountsTimesFromAnOrigin) {
  constexpr std::int64_t kOrigin = 1736408883004219000;
  auto timeline = JsonTimeline::create(directory_.path() / "zero.json", pool_, kOrigin).value();
  timeline.layer({"Ascend Hardware", 14, false}, 7, 3);
  timeline.slices(
      1,
      [](std::size_t) {
        return SlicePlace{7, 2, kOrigin + 526, kOrigin + 999};
      },
      [](auto& event, std::size_t) {
        event.name("Add", "");
        event.arrow_in(ArrowKind::kLaunch, 5);
      });
  const std::uint32_t counter = timeline.counter(7, "Memory", {"MB"});
  timeline.samples(1, [&](std::size_t) { return CounterSample{counter, kOrigin + 1500, {3}}; });
  ASSERT_TRUE(timeline.close().ok());
  const json file = json::parse(read_file(directory_.path() / "zero.json").value());
  EXPECT_EQ(file["displayTimeUnit"], "ns");
  EXPECT_EQ(file["baseTimeNanoseconds"], kOrigin);
  const json& events = file["traceEvents"];
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[3]["ts"], "0.526");
  EXPECT_EQ(events[3]["dur"], 0.473);
  EXPECT_EQ(events[4]["ts"], "0.526");
  EXPECT_EQ(events[5]["ts"], "1.500");
}

TEST_F(JsonTimelineTest, WritesCountersOfSeveralSeries) {
  timeline_.layer({"NIC", 21, false}, 9, 0);
  const std::uint32_t counter = timeline_.counter(9, "Port 0/Rx", {"Packets", "Errors"});
  timeline_.samples(2, [&](std::size_t i) {
    return i == 0 ? CounterSample{} : CounterSample{counter, 1500, {3, 0.25}};
  });
  const json events = written();
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[3], json::parse(R"({"name": "Port 0/Rx", "pid": 9, "tid": 0, "ph": "C",
      "ts": "1.500", "args": {"Packets": 3.0, "Errors": 0.25}})"));
}

TEST_F(JsonTimelineTest, ASliceWithoutArgumentsIsWhole) {
  timeline_.layer({"Overlap Analysis", 31, false}, 1, 0);
  timeline_.slices(
      1,
      [](std::size_t) {
        return SlicePlace{1, 0, 5, 5};
      },
      [](auto& event, std::size_t) { event.name("Free"); });
  const json events = written();
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[3]["dur"], 0.0);
  EXPECT_EQ(events[3]["args"], json::object());
}

}  // namespace
}  // namespace npuprof::report
