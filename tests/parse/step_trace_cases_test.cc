// Iterations of graphs, from records on the device to cells: six cases with known results.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "format/device/ts_track.h"
#include "link/device/step_trace.h"
#include "report/chrome_trace/json_timeline.h"
#include "report/csv/run_csv.h"
#include "report/timeline/write_timeline.h"
#include "temporary_directory.h"
#include "trace/device/step_marks.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"

namespace npuprof {
namespace {

using format::device::StepTrace;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kTicksPerMicrosecond = 50;

StepTrace record_of(std::string_view hex) {
  std::array<std::byte, sizeof(StepTrace)> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(parse_hex<std::uint8_t>(hex.substr(2 * i, 2)).value());
  }
  return format::load<StepTrace>(bytes.data());
}

TEST(StepTraceRecords, AreDecodedFromBytes) {
  // Microseconds, tag and stream of each.
  const std::tuple<const char*, std::uint64_t, int, int> cases[] = {
      {"010a28000000000050c3000000000000010000000000000005000000000000000300000000000000", 1000, 0,
       3},
      {"010a28000000000044c50000000000000100000000000000050000000000000003000000204e0000", 1010,
       20000, 3},
      {"010a28000000000014cd000000000000010000000000000005000000000000000300000002000000", 1050, 2,
       3},
      {"010a280000000000f824010000000000010000000000000005000000000000000700000010270000", 1500,
       10000, 7},
      {"010a2800000000001873010000000000010000000000000005000000000000000300000004000000", 1900, 4,
       3}};
  for (const auto& [hex, us, tag, stream] : cases) {
    const StepTrace record = record_of(hex);
    EXPECT_EQ(record.head.type, static_cast<std::uint8_t>(format::device::TrackType::kStepTrace));
    EXPECT_EQ(record.head.syscnt, us * kTicksPerMicrosecond);
    EXPECT_EQ(record.model_id, 5u);
    EXPECT_EQ(record.index_id, 1u);
    EXPECT_EQ(record.tag, tag);
    EXPECT_EQ(record.stream_id, stream);
  }
}

class StepTraceCases : public ::testing::Test {
 protected:
  void mark(std::int64_t us, std::uint16_t tag, std::uint64_t model = 5, std::uint16_t stream = 3) {
    trace::StepMarks& table = trace_.step_marks();
    trace::resize_rows(table, table.size() + 1);
    table.time_ns.back() = us * 1000;
    table.tag.back() = tag;
    table.model_id.back() = model;
    table.index.back() = 1;
    table.stream.back() = stream;
  }
  void marks(const std::vector<std::pair<std::int64_t, std::uint16_t>>& list,
             std::uint64_t model = 5) {
    for (const auto& [us, tag] : list) mark(us, tag, model);
  }

  // Rows of step_trace.csv without the header, cells joined by blanks, stamps without their TAB.
  std::vector<std::string> rows() {
    link::link_step_trace(trace_);
    const report::CsvTarget target{
        .directory = directory_.path(), .suffix = "_1", .line_end = "\n"};
    EXPECT_TRUE(report::write_step_trace(trace_, target, pool_).ok());
    const auto text = read_file(directory_ / "step_trace_1.csv");
    std::vector<std::string> lines;
    if (!text.ok()) return lines;
    for (const std::string_view line : split(*text, '\n')) {
      std::string plain;
      for (const char c : line) {
        if (c != '\t') plain += c == ',' ? ' ' : c;
      }
      if (!plain.empty()) lines.push_back(plain);
    }
    lines.erase(lines.begin());
    return lines;
  }

  npuprof::testing::TemporaryDirectory directory_;
  ThreadPool pool_{1};
  trace::Trace trace_;
};

TEST_F(StepTraceCases, ALoopOnTheDevice) {
  mark(1000, 0);
  for (const std::int64_t base : {1000, 2000}) {
    marks({{base + 10, 20000}, {base + 30, 20001}, {base + 50, 2}});
    mark(base + 500, 10000, 5, 7);
    mark(base + 650, 10001, 5, 7);
    mark(base + 700, 3);
    mark(base + 720, 10002, 5, 7);
    mark(base + 780, 10003, 5, 7);
    mark(base + 900, 4);
  }
  mark(3000, 1);
  EXPECT_THAT(rows(),
              ElementsAre("0 1 1050.000 1700.000 1900.000 900.000 650.000 200.000 N/A 5 "
                          "1500.000 150.000 1720.000 60.000",
                          "0 2 2050.000 2700.000 2900.000 1000.000 650.000 200.000 150.000 5 "
                          "2500.000 150.000 2720.000 60.000"));
  const trace::IterationRanges& ranges = trace_.iteration_ranges();
  std::vector<std::pair<std::int64_t, std::int64_t>> get_nexts;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges.is_get_next[i] != 0) {
      get_nexts.emplace_back(ranges.start_ns[i] / 1000, ranges.end_ns[i] / 1000);
    }
  }
  EXPECT_THAT(get_nexts, ElementsAre(std::pair(1010, 1030), std::pair(2010, 2030)));

  trace_.devices.push_back({.id = 0});
  auto timeline = report::JsonTimeline::create(directory_ / "t.json", pool_).value();
  ASSERT_TRUE(report::write_step_trace_timeline(trace_, timeline).ok());
  const auto events = nlohmann::json::parse(read_file(directory_ / "t.json").value());
  std::map<std::string, std::pair<double, double>> slices;
  for (const auto& event : events) {
    if (event["ph"] != "X" || event["name"] == "GetNext") continue;
    EXPECT_EQ(event["tid"], 70005);
    slices[event["name"]] = {std::stod(event["ts"].get<std::string>()), event["dur"].get<double>()};
  }
  using Slice = std::pair<double, double>;
  EXPECT_EQ(slices["Iteration 2"], Slice(1900, 1000));
  EXPECT_EQ(slices["FP_BP Time 2"], Slice(2050, 650));
  EXPECT_EQ(slices["Iteration Refresh 2"], Slice(2700, 200));
  EXPECT_EQ(slices["Reduce_2_0"], Slice(2500, 150));
  EXPECT_EQ(slices["Reduce_2_1"], Slice(2720, 60));
}

TEST_F(StepTraceCases, Inference) {
  marks({{1000, 0}, {1900, 1}, {2000, 0}, {2950, 1}});
  EXPECT_THAT(rows(), ElementsAre("0 1 N/A N/A 1900.000 900.000 N/A N/A N/A 5",
                                  "0 2 N/A N/A 2950.000 950.000 N/A N/A N/A 5"));
}

TEST_F(StepTraceCases, TheEndOfTheBackwardPassWasNotFound) {
  marks({{1000, 0}, {1650, 10001}, {1900, 4}, {2000, 1}});
  EXPECT_THAT(rows(), ElementsAre("0 1 N/A N/A 1900.000 900.000 N/A N/A N/A 5"));
  EXPECT_THAT(trace_.iteration_ranges().start_ns, IsEmpty());
}

TEST_F(StepTraceCases, OneExecutionForEachIteration) {
  marks({{1000, 0}, {1050, 2}, {1700, 3}, {1900, 4}, {1950, 1}});
  marks({{2000, 0}, {2050, 2}, {2700, 3}, {2900, 4}, {2950, 1}});
  EXPECT_THAT(rows(),
              ElementsAre("0 1 1050.000 1700.000 1900.000 900.000 650.000 200.000 N/A 5",
                          "0 2 2050.000 2700.000 2900.000 900.000 650.000 200.000 150.000 5"));
}

TEST_F(StepTraceCases, TwoModels) {
  marks({{1000, 0}, {1050, 2}, {1700, 3}, {1900, 4}}, 5);
  marks({{1500, 0}, {1600, 2}, {2000, 3}, {2100, 4}}, 6);
  EXPECT_THAT(rows(), ElementsAre("0 1 1050.000 1700.000 1900.000 900.000 650.000 200.000 N/A 5",
                                  "0 1 1600.000 2000.000 2100.000 600.000 400.000 100.000 N/A 6"));
}

TEST_F(StepTraceCases, WithoutTheStartOfAModelThereAreNoRows) {
  marks({{1050, 2}, {1700, 3}, {1900, 4}, {2050, 2}, {2700, 3}, {2900, 4}});
  EXPECT_THAT(rows(), IsEmpty());
}

}  // namespace
}  // namespace npuprof
