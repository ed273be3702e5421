#include <map>

#include <gtest/gtest.h>

#include "format/device/ts_track.h"
#include "format/host/additional_model.h"
#include "format/host/additional_node.h"
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
  const auto node = [](const char* name, const KernelTemplate& kernel, std::size_t from,
                       std::uint32_t stream = 0) {
    return GraphOperator{.name = name,
                         .type = kernel.desc().type,
                         .inputs = {{.from = from}},
                         .stream = stream,
                         .kernel = &kernel};
  };
  GraphDesc graph{.name = "train_graph",
                  .nodes = {{.name = "x", .type = "Data"},
                            node("first", add, 0),
                            node("second", product, 1),
                            node("third", add, 1, 1),
                            node("fourth", product, 2),
                            {.name = "Node_Output", .type = std::string(kNetOutput)}}};
  graph.nodes.back().inputs = {{.from = 3}, {.from = 4}};
  return graph;
}

NpuOptions with_training_trace() {
  NpuOptions options;
  options.collection.training_trace = true;
  return options;
}

std::map<std::uint16_t, int> tags_of(const Recording& recording) {
  std::map<std::uint16_t, int> tags;
  for (const auto& trace : recording.device<device::StepTrace>("ts_track.data")) ++tags[trace.tag];
  return tags;
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
  Recording recording(with_training_trace());
  Npu& npu = recording.npu();
  std::int64_t now_ns = 0;
  const GraphId graph =
      *npu.graphs().load(kThread, two_stream_graph(npu), recording.begin_ns(), &now_ns);
  for (int i = 0; i < 3; ++i) {
    const TaskRun run = *npu.graphs().execute(kThread, graph, 0, now_ns + 1000);
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
  EXPECT_EQ(tags_of(recording),
            (std::map<std::uint16_t, int>{{0, 3}, {1, 3}, {2, 3}, {3, 3}, {4, 3}}));
  EXPECT_EQ(npu.truth().counted(TruthCount::kKernels), 12u);
  EXPECT_EQ(npu.truth().counted(TruthCount::kGraphReplays), 3u);
}

TEST(NpuGraphs, NodesWaitForTheirInputs) {
  Recording recording(with_training_trace());
  Npu& npu = recording.npu();
  std::int64_t now_ns = 0;
  const GraphId graph =
      *npu.graphs().load(kThread, two_stream_graph(npu), recording.begin_ns(), &now_ns);
  ASSERT_TRUE(npu.graphs().execute(kThread, graph, 0, now_ns).ok());
  recording.finish();
  std::map<std::uint16_t, std::int64_t> at;
  for (const auto& mark : npu.truth().graph_marks()) at[mark.tag] = mark.wall_ns;
  EXPECT_LE(at[0], at[2]);
  EXPECT_LT(at[2], at[3]);
  EXPECT_LT(at[3], at[4]);
  EXPECT_LT(at[4], at[1]);
}

TEST(NpuGraphs, ALoopHasTheMarksOfEachIteration) {
  Recording recording(with_training_trace());
  Npu& npu = recording.npu();
  GraphDesc desc = two_stream_graph(npu);
  desc.loops = 3;
  GraphOperator output = desc.nodes.back();
  desc.nodes.pop_back();
  for (const std::string_view name : {kLoopCountOn, kLoopBeginAnew}) {
    GraphOperator end = desc.nodes.back();
    end.name = name;
    desc.nodes.push_back(end);
  }
  desc.nodes.push_back(output);
  std::int64_t now_ns = 0;
  const GraphId graph = *npu.graphs().load(kThread, desc, recording.begin_ns(), &now_ns);
  ASSERT_TRUE(npu.graphs().execute(kThread, graph, 0, now_ns).ok());
  recording.finish();
  EXPECT_EQ(tags_of(recording),
            (std::map<std::uint16_t, int>{{0, 1}, {1, 1}, {2, 3}, {3, 3}, {4, 3}}));
}

TEST(NpuGraphs, AGraphThatWasLoadedBeforeHasNoMarksOfItsParts) {
  NpuOptions options = with_training_trace();
  Recording recording(options);
  Npu& npu = recording.npu();
  npu.detach(recording.begin_ns());
  std::int64_t now_ns = 0;
  const GraphId graph =
      *npu.graphs().load(kThread, two_stream_graph(npu), recording.begin_ns(), &now_ns);
  EXPECT_TRUE(npu.graphs().marks(graph).empty());
  recording.attach_again(now_ns);
  ASSERT_TRUE(npu.graphs().execute(kThread, graph, 0, now_ns).ok());
  recording.finish();
  EXPECT_EQ(tags_of(recording), (std::map<std::uint16_t, int>{{0, 1}, {1, 1}}));
  // Its operators have names all the same.
  EXPECT_EQ(recording.host<host::NodeBasicInfo>(Age::kUnaging).size(), 4u);
}

TEST(NpuGraphs, FusedOperatorsAreReportedWithAllTheirNames) {
  Recording recording;
  Npu& npu = recording.npu();
  GraphDesc desc = two_stream_graph(npu);
  for (int i = 0; i < 10; ++i) desc.nodes[1].original_names.push_back("op" + std::to_string(i));
  desc.nodes[2].original_names = {"alone"};
  ASSERT_TRUE(npu.graphs().load(kThread, desc, recording.begin_ns()).ok());
  recording.finish();
  const auto fused = recording.host<host::FusionOpInfo>(Age::kUnaging);
  ASSERT_EQ(fused.size(), 2u);
  EXPECT_EQ(fused[0].fused_count, 8u);
  EXPECT_EQ(fused[1].fused_count, 2u);
  EXPECT_EQ(fused[0].op_name, fused[1].op_name);
}

TEST(NpuGraphs, AGraphWhoseEdgesLeadForwardIsRefused) {
  Recording recording;
  GraphDesc desc = two_stream_graph(recording.npu());
  desc.nodes[1].inputs = {{.from = 1}};
  EXPECT_FALSE(recording.npu().graphs().load(kThread, desc, recording.begin_ns()).ok());
  recording.finish();
}

}  // namespace
}  // namespace npuprof::sim
