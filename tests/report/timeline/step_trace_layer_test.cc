#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "report/chrome_trace/json_timeline.h"
#include "report/timeline/write_timeline.h"
#include "temporary_directory.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"

namespace npuprof::report {
namespace {

TEST(StepTraceLayerTest, ShowsIterationsWithTheirPartsAndTheWaitBetweenThem) {
  trace::Trace trace;
  trace.devices.push_back({.id = 2});
  auto& iterations = trace.iterations();
  trace::resize_rows(iterations, 2);
  iterations.device = {2, 2};
  iterations.model_id = {7, 7};
  iterations.index = {1, 2};
  iterations.start_ns = {1000, 9000};
  iterations.forward_start_ns = {2000, 11'000};
  iterations.backward_end_ns = {5000, 15'000};
  iterations.end_ns = {9000, 20'000};
  iterations.previous_end_ns = {0, 9000};
  auto& ranges = trace.iteration_ranges();
  trace::resize_rows(ranges, 1);
  ranges.device = {2};
  ranges.model_id = {7};
  ranges.index = {2};
  ranges.start_ns = {12'000};
  ranges.end_ns = {13'000};

  const npuprof::testing::TemporaryDirectory directory;
  ThreadPool pool(1);
  JsonTimeline timeline = JsonTimeline::create(directory / "t.json", pool).value();
  ASSERT_TRUE(write_step_trace_timeline(trace, timeline).ok());
  const nlohmann::json events = nlohmann::json::parse(read_file(directory / "t.json").value());

  std::map<std::string, nlohmann::json> slices;
  std::vector<nlohmann::json> arrows;
  std::string lane;
  for (const nlohmann::json& event : events) {
    if (event["ph"] == "X") slices[event["name"]] = event;
    if (event["ph"] == "s" || event["ph"] == "f") arrows.push_back(event);
    if (event["name"] == "thread_name") lane = event["args"]["name"];
  }
  EXPECT_EQ(lane, "Step Trace(Model ID:7)");
  ASSERT_EQ(slices.size(), 7u);
  EXPECT_EQ(slices["Iteration 2"]["cat"], "Iteration Time");
  EXPECT_EQ(slices["Iteration 2"]["tid"], 70007);
  EXPECT_EQ(slices["Iteration 2"]["args"]["Iteration Time(us)"], 11.0);
  EXPECT_EQ(slices["FP_BP Time 1"]["args"]["FP Start"], "2.000");
  EXPECT_EQ(slices["FP_BP Time 2"]["args"]["Data_aug Bound(us)"], 2.0);
  EXPECT_EQ(slices["Iteration Refresh 1"]["args"]["Iteration Refresh(us)"], 4.0);
  EXPECT_EQ(slices["Reduce_2_0"]["args"]["Reduce End 0"], "13.000");
  ASSERT_EQ(arrows.size(), 2u);  // From the first iteration to the second one's computation.
  EXPECT_EQ(arrows[0]["cat"], "Data_aug Bound");
  EXPECT_EQ(arrows[0]["id"], arrows[1]["id"]);
  EXPECT_EQ(arrows[0]["ts"], "1.000");
  EXPECT_EQ(arrows[1]["ts"], "11.000");
}

}  // namespace
}  // namespace npuprof::report
