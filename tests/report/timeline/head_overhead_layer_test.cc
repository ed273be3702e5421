#include "report/timeline/head_overhead_layer.h"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "link/framework/op_tree.h"
#include "report/chrome_trace/json_timeline.h"
#include "report/timeline/write_timeline.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::report {
namespace {

class HeadOverheadLayerTest : public ::testing::Test {
 protected:
  void op(std::int64_t start_us, std::int64_t end_us, std::string_view name) {
    auto& ops = trace_.framework_ops();
    const std::size_t row = ops.size();
    trace::resize_rows(ops, row + 1);
    ops.start_ns[row] = 1'000'000 + start_us * 1000;
    ops.end_ns[row] = 1'000'000 + end_us * 1000;
    ops.tid[row] = 7;
    ops.name[row] = trace_.strings.intern(name);
    ops.sequence[row] = -1;
  }

  nlohmann::json events(const LayerNames& hidden = {}) {
    link::link_op_tree(trace_, link::ops_by_thread(trace_.framework_ops()));
    ThreadPool pool(1);
    JsonTimeline timeline = JsonTimeline::create(directory_ / "t.json", pool).value();
    EXPECT_TRUE(write_timeline(trace_, {.hidden_layers = hidden}, timeline).ok());
    return nlohmann::json::parse(read_file(directory_ / "t.json").value());
  }

  trace::Trace trace_;
  npuprof::testing::TemporaryDirectory directory_;
};

TEST_F(HeadOverheadLayerTest, ShowsThePartsOfEachExecution) {
  op(0, 180, "TorchDynamo Cache Lookup");
  op(190, 1900, "Torch-Compiled Region: 0/0");
  op(210, 1880, "npu_fx_compiler inference");
  op(1023, 1840, "TorchNpuGraphBase::Run");
  op(1168, 1420, "ExecuteGraph");
  std::map<std::string, std::pair<double, double>> slices;  // Begin and duration in us.
  std::string layer;
  for (const nlohmann::json& event : events()) {
    if (event["name"] == "process_name" && event["args"]["name"] == kHeadOverheadLayerName) {
      layer = event["args"]["name"];
    }
    if (event["ph"] != "X" || event["cat"] != "head_overhead") continue;
    slices[event["name"]] = {std::stod(event["ts"].get<std::string>()) - 1000,
                             event["dur"].get<double>()};
    EXPECT_EQ(event["tid"], 7);
  }
  EXPECT_EQ(layer, kHeadOverheadLayerName);
  const std::map<std::string, std::pair<double, double>> expected = {
      {"Graph 0/0", {0, 1880}},         {"Front end", {0, 210}},    {"TorchAir Python", {210, 813}},
      {"TorchAir C++", {1023, 145}},    {"GE launch", {1168, 252}}, {"Outputs in C++", {1420, 420}},
      {"Outputs in Python", {1840, 40}}};
  EXPECT_EQ(slices, expected);
}

TEST_F(HeadOverheadLayerTest, IsNotThereIfHiddenOrWithoutGraphs) {
  const auto count = [](const nlohmann::json& events) {
    return std::count_if(events.begin(), events.end(), [](const nlohmann::json& event) {
      return event["name"] == "process_name" && event["args"]["name"] == kHeadOverheadLayerName;
    });
  };
  op(0, 10, "aten::mm");
  EXPECT_EQ(count(events()), 0);
  op(20, 90, "npu_fx_compiler inference");
  op(30, 80, "TorchNpuGraphBase::Run");
  op(40, 50, "ExecuteGraph");
  EXPECT_EQ(count(events()), 1);
  EXPECT_EQ(count(events({std::string(kHeadOverheadLayerName)})), 0);
}

}  // namespace
}  // namespace npuprof::report
