#include "report/timeline/write_timeline.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "report/chrome_trace/json_timeline.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

using trace::kNone;

// A task on stream 3 whose contexts run side by side, launched by one call.
trace::Trace split_task() {
  trace::Trace trace;
  trace.session.pid = 77;
  trace.devices.push_back({.id = 1});
  trace::resize_rows(trace.api_calls(), 1);
  trace.api_calls().name[0] = trace.strings.intern("launch");
  trace.api_calls().end_ns[0] = 50;
  trace::resize_rows(trace.tasks(), 4);
  const std::int64_t times[][2] = {{100, 200}, {110, 150}, {120, 190}, {150, 160}};
  for (std::uint32_t i = 0; i < 4; ++i) {
    trace.tasks().start_ns[i] = times[i][0];
    trace.tasks().end_ns[i] = times[i][1];
    trace.tasks().device[i] = 1;
    trace.tasks().stream[i] = 3;
    trace.tasks().context[i] = i == 0 ? kNone : i;
    trace.tasks().api[i] = 0;
    trace.tasks().copy_direction[i] = kNone;
    trace.tasks().shown_type[i] = trace.strings.intern("KERNEL");
  }
  return trace;
}

nlohmann::json written_json(const trace::Trace& trace, const TimelineOptions& options) {
  const npuprof::testing::TemporaryDirectory directory;
  ThreadPool pool(1);
  auto timeline = JsonTimeline::create(directory / "t.json", pool).value();
  EXPECT_TRUE(write_timeline(trace, options, timeline).ok());
  return nlohmann::json::parse(read_file(directory / "t.json").value());
}

std::map<std::uint64_t, std::string> lanes_of(const nlohmann::json& events, std::uint64_t pid) {
  std::map<std::uint64_t, std::string> lanes;
  for (const nlohmann::json& event : events) {
    if (event["name"] == "thread_name" && event["pid"] == pid) {
      lanes[event["tid"]] = event["args"]["name"];
    }
  }
  return lanes;
}

TEST(WriteTimeline, ContextsSideBySideHaveLanesOfTheirOwn) {
  const nlohmann::json events = written_json(split_task(), {});
  const auto lanes = lanes_of(events, layer_pid(77, 14, 1));
  std::set<std::pair<std::string, std::string>> slices;
  for (const nlohmann::json& event : events) {
    if (event["ph"] == "X" && lanes.contains(event["tid"])) {
      slices.emplace(lanes.at(event["tid"]), event["ts"]);
    }
  }
  EXPECT_EQ(
      slices,
      (std::set<std::pair<std::string, std::string>>{
          {"Stream 3", "0.110"}, {"Stream 3", "0.150"}, {"Stream 3 (overlapping 1)", "0.120"}}))
      << "the task itself is represented by its contexts";
}

TEST(WriteTimeline, TheArrowOfACallGoesToTheFirstContext) {
  std::map<std::string, std::string> ends;
  for (const nlohmann::json& event : written_json(split_task(), {})) {
    if (event.contains("cat") && event["cat"] == "HostToDevice") ends[event["ph"]] = event["ts"];
  }
  EXPECT_EQ(ends, (std::map<std::string, std::string>{{"s", "0.000"}, {"f", "0.110"}}));
}

// Results of level 0 know no calls that tasks could share.
TEST(WriteTimeline, AnOperatorHasOneArrowToACollective) {
  trace::Trace trace = split_task();
  trace::resize_rows(trace.framework_ops(), 2);
  for (std::uint32_t op = 0; op < 2; ++op) {
    trace.framework_ops().start_ns[op] = 10 * op;
    trace.framework_ops().end_ns[op] = 10 * op + 5;
    trace.framework_ops().parent[op] = kNone;
  }
  trace.tasks().api.assign(4, kNone);
  trace.tasks().context.assign(4, kNone);
  trace::resize_rows(trace.collective_ops(), 2);
  trace::resize_rows(trace.collective_tasks(), 3);
  trace.collective_tasks().op = {0, 0, 1};
  trace.collective_tasks().task = {0, 2, 1};
  trace.collective_tasks().plane.assign(3, kNone);
  trace.kernel_ops().op = {0, 0, 0, 0, 1};
  trace.kernel_ops().task = {0, 1, 2, 3, 2};
  std::multiset<std::string> ends;
  for (const nlohmann::json& event : written_json(trace, {})) {
    if (event.contains("cat") && event["cat"] == "async_npu" && event["ph"] == "f") {
      ends.insert(event["ts"]);
    }
  }
  EXPECT_EQ(ends, (std::multiset<std::string>{"0.100", "0.110", "0.120", "0.150"}))
      << "of the first operator to each collective and to the other task, of the second to one";
}

TEST(WriteTimeline, HiddenLayersTakeTheirArrowsWithThem) {
  for (const char* hidden : {"CANN", "Ascend Hardware"}) {
    std::set<std::string> layers;
    for (const nlohmann::json& event : written_json(split_task(), {.hidden_layers = {hidden}})) {
      EXPECT_FALSE(event.contains("cat")) << hidden;
      if (event["name"] == "process_name") layers.insert(event["args"]["name"]);
    }
    EXPECT_EQ(layers.size(), 1u);
    EXPECT_FALSE(layers.contains(hidden));
  }
}

}  // namespace
}  // namespace npuprof::report
