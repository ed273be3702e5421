#include <map>

#include <gtest/gtest.h>

#include "format/device/ts_track.h"
#include "format/host/additional_model.h"
#include "format/host/compact_stream.h"
#include "sim/model/sample_kernels.h"
#include "sim/npu/npu.h"
#include "sim/npu/npu_fixture.h"
#include "sim/simulated.h"

namespace npuprof::sim {
namespace {

namespace device = format::device;
namespace host = format::host;
using host::Age;
using testing::enclosing;
using testing::Recording;

using testing::kThread;

GraphDesc two_stream_graph(Npu& npu) {
  KernelDesc desc = testing::elementwise(1e6);
  desc.tensors = {{.shape = {8}},
                  {.shape = {8}},
                  {.shape = {8}},
                  {.shape = {8}},
                  {.is_output = true, .shape = {8}}};
  const KernelTemplate& add = npu.kernels().add(desc);
  const KernelTemplate& product = npu.kernels().add(testing::matmul(1024, 1024, 1024));
  return {.name = "train_graph",
          .kernels = {{&add, 0}, {&product, 0}, {&add, 1}, {&product, 0}},
          .forward_end = 2};
}

// How often each (stream, task) ran.
std::map<std::pair<int, int>, int> runs(const Recording& recording) {
  std::map<std::pair<int, int>, int> counts;
  for (const auto& log : recording.task_log()) {
    if (log.head.function() == device::StarsFunction::kTaskStart)
      ++counts[{log.raw_stream, log.raw_task}];
  }
  return counts;
}

TEST(NpuGraphs, AStaticGraphIsReportedOnceAndRunOften) {
  Recording recording;
  Npu& npu = recording.npu();
  std::int64_t now_ns = 0;
  const GraphId graph =
      *npu.graphs().load(kThread, two_stream_graph(npu), recording.begin_ns(), &now_ns);
  for (int i = 0; i < 3; ++i) {
    const TaskRun run = npu.graphs().execute(kThread, graph, 0, now_ns + 1000);
    now_ns = npu.streams().synchronize_stream(kThread, 0, run.host_end_ns + 100);
    EXPECT_GT(now_ns, run.device_end_ns);
  }
  recording.finish();

  const auto tracks = recording.host<host::TaskTrack>(Age::kUnaging);
  const auto calls = recording.calls(Age::kUnaging);
  ASSERT_EQ(tracks.size(), 4u);
  EXPECT_EQ(recording.host<host::NodeBasicInfo>(Age::kUnaging).size(), 4u);
  const auto counts = runs(recording);
  // ModelLoad is a pair of events around the launches.
  std::vector<std::uint64_t> load;
  for (const auto& call : calls) {
    if (call.is_event()) load.push_back(call.begin);
  }
  ASSERT_EQ(load.size(), 2u);
  for (const auto& track : tracks) {
    EXPECT_EQ(counts.at({track.stream, track.short_task_id()}), 3);
    EXPECT_GT(track.header.timestamp, load[0]);
    EXPECT_LT(track.header.timestamp, load[1]);
    EXPECT_NE(enclosing(calls, host::kLevelNode, kThread, track.header.timestamp), nullptr);
  }
  EXPECT_EQ(recording.host<host::GraphIdMap>(Age::kUnaging).size(), 1u);
  EXPECT_EQ(recording.host<host::LogicStreamInfo>(Age::kUnaging).at(0).physical_count, 2u);

  std::size_t executions = 0;
  for (const auto& call : recording.calls()) {
    executions += call.is_event() && call.type == host::kTypeModelExecute;
  }
  EXPECT_EQ(executions, 6u) << "a begin and an end each";
  std::map<std::uint16_t, int> tags;
  for (const auto& trace : recording.device<device::StepTrace>("ts_track.data")) ++tags[trace.tag];
  EXPECT_EQ(tags, (std::map<std::uint16_t, int>{{0, 3}, {1, 3}, {2, 3}, {3, 3}, {4, 3}}));
  EXPECT_EQ(npu.truth().counted(TruthCount::kKernels), 12u);
  EXPECT_EQ(npu.truth().counted(TruthCount::kGraphReplays), 3u);
}

}  // namespace
}  // namespace npuprof::sim
