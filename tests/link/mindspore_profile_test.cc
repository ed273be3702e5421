#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/thread_pool.h"
#include "format/mindspore/host_info.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "load/mindspore/load_mindspore.h"
#include "load/mindspore/raw_mindspore.h"
#include "trace/framework/allocations.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/launch_shapes.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/mindspore_ops.h"
#include "trace/framework/pipeline_ops.h"
#include "trace/framework/pool_totals.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/steps.h"

namespace npuprof::load {
namespace {

using format::mindspore::OpRange;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::RawBytes;
using testing::RawMindSpore;

constexpr std::int64_t kBeginNs = RawMindSpore::kBeginNs;

trace::Trace load_directory(const std::filesystem::path& path, trace::Losses& losses) {
  auto found = discover(path);
  EXPECT_TRUE(found.ok());
  EXPECT_EQ(found->profiles.size(), 1u);
  EXPECT_EQ(found->profiles[0].kind, ProfileKind::kMindSpore);
  ThreadPool pool(2);
  auto trace = load_profile(found->profiles[0], pool, losses);
  EXPECT_TRUE(trace.ok());
  return std::move(trace).value();
}

std::vector<std::string> names_of(const trace::Trace& trace, const std::vector<StringId>& ids) {
  std::vector<std::string> names;
  for (const StringId id : ids) names.emplace_back(trace.strings.view(id));
  return names;
}

TEST(MindSporeProfile, TellsRangesFramesAndFlowsApart) {
  RawMindSpore raw;
  OpRange frame = RawMindSpore::range(78, 10, 20, "Default", "Default", "train.py(3):main");
  frame.fixed.is_stack = 1;
  frame.fixed.flow_id = 0;
  OpRange flow = RawMindSpore::range(78, 12, 13, "Default", "Default", "flow");
  flow.fixed.flow_id = 7;
  OpRange task = RawMindSpore::range(79, 30, 40, "PynativeFramework", "PyNativeLaunchTask", "Add");
  task.fixed.flow_id = 7;
  OpRange unbegun = RawMindSpore::range(78, 0, 5, "Python", "PythonObserved", "ProfilerStep#1");
  unbegun.fixed.start = 0;
  RawBytes bytes;
  bytes.add(frame).add(flow).add(task).add(unbegun);
  bytes.add(RawMindSpore::range(78, 0, 50, "Python", "PythonObserved", "ProfilerStep#5"));
  raw.put_framework(format::mindspore::kOpRangeFile, bytes.text());
  raw.put_info({.rank_id = 3});

  trace::Losses losses;
  trace::Trace trace = load_directory(raw.path, losses);
  EXPECT_EQ(trace.session.framework, trace::Framework::kMindSpore);
  EXPECT_EQ(trace.session.rank, 3);
  EXPECT_THAT(names_of(trace, trace.framework_ops().name),
              ElementsAre("PynativeFramework::PyNativeLaunchTask::Add",
                          "Python::PythonObserved::ProfilerStep#5"));
  EXPECT_THAT(trace.framework_ops().start_ns, ElementsAre(kBeginNs + 30'000, kBeginNs));
  EXPECT_THAT(names_of(trace, trace.python_calls().name), ElementsAre("train.py(3):main"));
  EXPECT_THAT(names_of(trace, trace.mindspore_ops().brief_name),
              ElementsAre("Add", "ProfilerStep#5"));
  ASSERT_EQ(trace.flow_marks().size(), 1u);

  link::link_all(trace, nullptr);
  EXPECT_EQ(trace.flow_marks().from[0], 1u);
  EXPECT_EQ(trace.flow_marks().to[0], 0u);
  EXPECT_THAT(trace.steps().id, ElementsAre(5));
  EXPECT_EQ(trace.steps().host_end_ns[0], kBeginNs + 50'000);
  EXPECT_EQ(trace.python_calls().id[0], 0u);
}

TEST(MindSporeProfile, FlowsOfSeveralRangesAreNotJoined) {
  RawMindSpore raw;
  OpRange flow = RawMindSpore::range(78, 12, 13, "Default", "Default", "flow");
  flow.fixed.flow_id = 7;
  OpRange task = RawMindSpore::range(79, 30, 40, "Other", "Execute", "Add");
  task.fixed.flow_id = 7;
  RawBytes bytes;
  bytes.add(flow).add(task).add(task);
  raw.put_framework(format::mindspore::kOpRangeFile, bytes.text());
  trace::Losses losses;
  trace::Trace trace = load_directory(raw.path, losses);
  link::link_all(trace, nullptr);
  EXPECT_EQ(trace.flow_marks().to[0], trace::kNone);
}

// Two queues count their work each for itself: number 7 is the second work of thread 79, and the
// second of thread 80. Both threads are busy with something else first.
TEST(MindSporeProfile, FlowsOfOneNumberAreToldApartByTheOrderOfWorkOnTheirThread) {
  RawMindSpore raw;
  RawBytes bytes;
  const auto hand_on = [&](std::uint64_t number, std::uint64_t time_us) {
    OpRange flow = RawMindSpore::range(78, time_us, time_us + 1, "Default", "Default", "flow");
    flow.fixed.flow_id = number;
    bytes.add(flow);
  };
  const auto take_up = [&](std::uint64_t number, std::uint64_t tid, std::uint64_t time_us) {
    OpRange task = RawMindSpore::range(tid, time_us, time_us + 5, "PynativeFramework",
                                       "PyNativeDeviceTask", "pyboost");
    task.fixed.flow_id = number;
    bytes.add(task);
  };
  hand_on(6, 10);
  hand_on(7, 12);
  hand_on(8, 14);
  take_up(6, 79, 110);
  take_up(7, 79, 120);
  take_up(8, 79, 130);
  hand_on(16, 50);
  hand_on(7, 52);
  hand_on(18, 54);
  take_up(16, 80, 60);
  take_up(7, 80, 70);
  take_up(18, 80, 80);
  raw.put_framework(format::mindspore::kOpRangeFile, bytes.text());
  trace::Losses losses;
  trace::Trace trace = load_directory(raw.path, losses);
  link::link_all(trace, nullptr);
  ASSERT_EQ(trace.flow_marks().size(), 6u);
  EXPECT_EQ(trace.framework_ops().tid[trace.flow_marks().to[1]], 79u);
  EXPECT_EQ(trace.framework_ops().tid[trace.flow_marks().to[4]], 80u);
}

// MindSpore records calls of Python, and no stacks of operators.
TEST(MindSporeProfile, StacksAreTheCallsInWhichOperatorsWereAskedFor) {
  RawMindSpore raw;
  RawBytes bytes;
  const auto call = [&](std::uint64_t begin_us, std::uint64_t end_us, std::string_view name) {
    OpRange frame = RawMindSpore::range(78, begin_us, end_us, "Default", "Default", name);
    frame.fixed.is_stack = 1;
    frame.fixed.flow_id = 0;
    bytes.add(frame);
  };
  call(20, 30, "<built-in method add of Tensor object at 0x7f00>");
  call(10, 40, "net.py(7):nn.Cell.Net.construct");
  call(0, 100, "train.py(3):main");
  const auto range = [&](std::uint64_t tid, std::uint64_t begin_us, std::uint64_t end_us,
                         std::uint64_t flow = format::mindspore::kNoFlow) {
    OpRange task = RawMindSpore::range(tid, begin_us, end_us, "PynativeFramework",
                                       "PyNativeLaunchTask", "Add");
    task.fixed.flow_id = flow;
    bytes.add(task);
  };
  range(78, 20, 25);
  range(78, 40, 45);
  range(78, 100, 105);
  range(79, 200, 210, 7);  // Handed on at 12, outside of operators.
  range(80, 300, 310);
  OpRange flow = RawMindSpore::range(78, 12, 13, "Default", "Default", "flow");
  flow.fixed.flow_id = 7;
  bytes.add(flow);
  raw.put_framework(format::mindspore::kOpRangeFile, bytes.text());
  trace::Losses losses;
  trace::Trace trace = load_directory(raw.path, losses);
  link::link_all(trace, nullptr);
  const std::string construct = "net.py(7):nn.Cell.Net.construct;train.py(3):main";
  EXPECT_THAT(names_of(trace, trace.framework_ops().stack),
              ElementsAre("built-in method add of Tensor object;" + construct, "train.py(3):main",
                          "", construct, ""));

  trace = load_directory(raw.path, losses);
  link::link_all(trace, nullptr, {});
  EXPECT_THAT(names_of(trace, trace.framework_ops().stack), Each(""));
}

TEST(MindSporeProfile, ReleasesHaveTheSizeOfTheirBlock) {
  RawMindSpore raw;
  RawBytes bytes;
  bytes.add(RawMindSpore::block(100, 0x1000, 2048, 2048, "Default/MatMul-op0"));
  bytes.add(RawMindSpore::block(150, 0x1000, format::mindspore::kReleased, 0, ""));
  bytes.add(RawMindSpore::block(160, 0x1000, 512, 512, "Add"));
  raw.put_framework(format::mindspore::kMemoryUsageFile, bytes.text());
  trace::Losses losses;
  trace::Trace trace = load_directory(raw.path, losses);
  EXPECT_THAT(trace.memory_events().size_bytes, ElementsAre(2048, -2048, 512));
  EXPECT_EQ(trace.session.pid, 77u);
  link::link_all(trace, nullptr);
  EXPECT_THAT(names_of(trace, trace.allocations().owner_name),
              ElementsAre("Default/MatMul-op0", "Add"));
  EXPECT_EQ(trace.allocations().free_event[0], 1u);
  EXPECT_EQ(trace.allocations().free_event[1], trace::kNone);
}

TEST(MindSporeProfile, ShapesGoToTheLaunchesOfTheirName) {
  RawMindSpore raw;
  RawBytes ranges;
  ranges.add(RawMindSpore::range(79, 10, 20, "Kernel", "KernelLaunch", "Default/a/MatMul-op0"));
  ranges.add(RawMindSpore::range(79, 30, 40, "Kernel", "KernelLaunch", "Default/b/MatMul-op1"));
  ranges.add(RawMindSpore::range(79, 50, 60, "Kernel", "KernelLaunch", "Default/Add-op2"));
  raw.put_framework(format::mindspore::kOpRangeFile, ranges.text());
  RawBytes shapes;
  using format::mindspore::RecordShapes;
  shapes.add(RecordShapes{{}, "MatMul", "2,2;", "Tensor[Float32];Int64"});
  shapes.add(RecordShapes{{}, "MatMul", "3,3;4,4", "Tensor[Float32];Tensor[Float32]"});
  shapes.add(RecordShapes{{}, "Add", "1", "Tensor[Float32]"});
  shapes.add(RecordShapes{{}, "Add", "1", "Tensor[Float32]"});
  raw.put_framework(format::mindspore::kRecordShapesFile, shapes.text());
  trace::Losses losses;
  trace::Trace trace = load_directory(raw.path, losses);
  link::link_all(trace, nullptr);
  EXPECT_THAT(names_of(trace, trace.framework_ops().input_shapes),
              ElementsAre("2,2;", "3,3;4,4", ""));
  EXPECT_EQ(trace.launch_shapes().op[1], 1u);
  EXPECT_EQ(trace.launch_shapes().op[2], trace::kNone);
}

TEST(MindSporeProfile, ReadsADirectoryOfAProgramOnTheCpu) {
  npuprof::testing::TemporaryDirectory directory;
  const auto framework = directory / "machine_77_20251118150000000_ascend_ms" / "FRAMEWORK";
  ASSERT_TRUE(make_directories(framework).ok());
  ASSERT_TRUE(write_file(framework / "cpu_op_execute_timestamp_0.txt",
                         "Default/BiasAdd-op0;HostCpuOps;1700000000000000000,0.05,3 "
                         "1700000000000100000,0.1,4 \nMatMul;HostCpuOps;1700000000000200000,x,3 \n")
                  .ok());
  ASSERT_TRUE(write_file(framework / "cpu_ms_memory_record_0.txt",
                         "Timestamp(ns),Total Allocated(Byte),Total Reserved(Byte),Total "
                         "Active(Byte)\n1700000000000000000,2048,1048576,2048\n")
                  .ok());
  trace::Losses losses;
  const trace::Trace trace = load_directory(framework.parent_path(), losses);
  EXPECT_THAT(names_of(trace, trace.cpu_ops().name),
              ElementsAre("Default/BiasAdd-op0", "Default/BiasAdd-op0"));
  EXPECT_THAT(trace.cpu_ops().end_ns, ElementsAre(1700000000000050000, 1700000000000200000));
  EXPECT_THAT(trace.pool_totals().reserved_bytes, ElementsAre(1048576));
  ASSERT_EQ(losses.items().size(), 1u);
  EXPECT_EQ(losses.items()[0].records, 1u);
}

TEST(MindSporeProfile, ReadsTheTableThatOlderVersionsWrote) {
  npuprof::testing::TemporaryDirectory directory;
  const auto path = directory / "data" / "profiler";
  ASSERT_TRUE(make_directories(path / "host_info").ok());
  std::string text(format::mindspore::HostInfo::kHeader);
  text +=
      "79,77,1,Dataset,Batch,WorkerProcess,1,0,,0,1700000000000100\n"
      "79,77,1,Dataset,Batch,WorkerProcess,1,1,,0,1700000000000150\n"
      "79,77,1,GE,Compile,Default,0,2,,0,1700000000000160\n"
      "79,77,1,GE,Run,Default,0,0,,0,1700000000000170\n"
      "nonsense\n";
  ASSERT_TRUE(write_file(path / "host_info" / "host_info_3.csv", text).ok());
  trace::Losses losses;
  const trace::Trace trace = load_directory(directory.path(), losses);
  EXPECT_THAT(names_of(trace, trace.framework_ops().name),
              ElementsAre("Dataset::Batch::WorkerProcess", "GE::Compile::Default"));
  EXPECT_EQ(trace.framework_ops().end_ns[0] - trace.framework_ops().start_ns[0], 50'000);
  EXPECT_EQ(trace.session.rank, 3);
  EXPECT_EQ(losses.items().size(), 2u);
}

TEST(MindSporeProfile, ReadsTheDataPipeline) {
  RawMindSpore raw;
  raw.put_framework("pipeline_profiling_0.json",
                    R"({"op_info":[{"op_id":1,"op_type":"MapOp","num_workers":2,"metrics":)"
                    R"({"output_queue":{"length":16,"size":[8,8]}}},{"op_id":0,"children":[1],)"
                    R"("op_type":"BatchOp","num_workers":2,"metrics":null}],)"
                    R"("sampling_interval":20})");
  raw.put_framework(
      "minddata_cpu_utilization_0.json",
      R"({"cpu_processor_num":2,"op_info":[{"op_id":-1,"metrics":{}},)"
      R"({"op_id":1,"metrics":{"sys_utilization":[1,2],"user_utilization":[3,4]}}]})");
  raw.put_framework("dataset_iterator_profiling_0.txt", "0 0 1 9 100\nbad\n1 16 2 3 114\n");
  trace::Losses losses;
  const trace::Trace trace = load_directory(raw.path, losses);
  EXPECT_THAT(trace.pipeline_ops().id, ElementsAre(0, 1));
  EXPECT_EQ(trace.pipeline_ops().parent[1], 0u);
  EXPECT_THAT(trace.pipeline_queues().items, ElementsAre(8, 8));
  EXPECT_THAT(trace.pipeline_cpus().user_percent, ElementsAre(3, 4));
  EXPECT_THAT(trace.pipeline_batches().stamp_ms, ElementsAre(100, 114));
}

TEST(MindSporeProfile, SaysWhichFilesOfTheDataPipelineAreMissing) {
  RawMindSpore raw;
  raw.put_framework("minddata_cpu_utilization_0.json",
                    R"({"op_info":[{"op_id":0,"metrics":{"sys_utilization":[1,2],)"
                    R"("user_utilization":[3]}}]})");
  raw.put_framework("pipeline_profiling_0.json",
                    R"({"op_info":[{"op_id":0,"op_type":"BatchOp","num_workers":1}],)"
                    R"("sampling_interval":20})");
  trace::Losses losses;
  const trace::Trace trace = load_directory(raw.path, losses);
  std::vector<std::string> said;
  for (const trace::Loss& loss : losses.items()) said.push_back(loss.what);
  EXPECT_THAT(said, ::testing::Contains(::testing::HasSubstr("dataset_iterator_profiling")));
  EXPECT_THAT(said, ::testing::Contains(::testing::StartsWith("1 sample(s) of operator 0")));
  EXPECT_EQ(trace.pipeline_cpus().size(), 1u);
}

TEST(MindSporeProfile, MissesTheRunsOfOperatorsThatItsOtherFileCounts) {
  npuprof::testing::TemporaryDirectory directory;
  const auto framework = directory / "machine_77_20251118150000000_ascend_ms" / "FRAMEWORK";
  ASSERT_TRUE(make_directories(framework).ok());
  ASSERT_TRUE(write_file(framework / "cpu_op_detail_info_0.csv", "op_side\nHost\n").ok());
  const auto losses_of = [&] {
    trace::Losses losses;
    (void)load_directory(framework.parent_path(), losses);
    std::vector<std::string> found;
    for (const trace::Loss& loss : losses.items()) found.push_back(loss.what);
    return found;
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(losses_of(), ElementsAre(HasSubstr("cpu_op_execute_timestamp")));
  const auto runs = framework / "cpu_op_execute_timestamp_0.txt";
  ASSERT_TRUE(write_file(runs, "").ok());
  EXPECT_THAT(losses_of(), ElementsAre(HasSubstr("cpu_op_execute_timestamp")));
  ASSERT_TRUE(write_file(runs, "BiasAdd;HostCpuOps;1700000000001200000,0.05,3 \n").ok());
  EXPECT_THAT(losses_of(), IsEmpty());
}

TEST(MindSporeProfile, SaysThatTheDeviceIsMissingIfItWasRecorded) {
  RawMindSpore raw;
  std::filesystem::remove_all(raw.path / "PROF_1");
  RawBytes bytes;
  bytes.add(RawMindSpore::range(79, 10, 20, "Kernel", "KernelLaunch", "Default/MatMul-op0"));
  raw.put_framework(format::mindspore::kOpRangeFile, bytes.text());
  raw.put_framework("cpu_op_execute_timestamp_0.txt",
                    "BiasAdd;HostCpuOps;1700000000001200000,0.05,3 \n");
  raw.put_info({.rank_id = 3});
  trace::Losses losses;
  const trace::Trace trace = load_directory(raw.path, losses);
  ASSERT_EQ(losses.items().size(), 1u);
  EXPECT_THAT(losses.items()[0].what, ::testing::HasSubstr("CANN"));
  // Ticks alone are no time of the day: ranges go to where the operators of the host are.
  EXPECT_EQ(trace.framework_ops().start_ns[0], 1'700'000'000'001'200'000);
}

TEST(MindSporeProfile, ZerosBehindInputsAreNoInputs) {
  RawMindSpore raw;
  RawBytes shapes;
  shapes.add(format::mindspore::RecordShapes{{}, "MatMul", "2,2", "Tensor[Float32]"});
  raw.put_framework(format::mindspore::kRecordShapesFile,
                    std::string(shapes.text()) + std::string(12, '\0'));
  trace::Losses losses;
  const trace::Trace trace = load_directory(raw.path, losses);
  EXPECT_EQ(trace.launch_shapes().size(), 1u);
  EXPECT_FALSE(losses.empty());
}

TEST(MindSporeProfile, KeepsWhatIsWholeOfACutFile) {
  RawMindSpore raw;
  RawBytes bytes;
  bytes.add(RawMindSpore::range(79, 10, 20, "Kernel", "KernelLaunch", "Default/MatMul-op0"));
  bytes.add(RawMindSpore::range(79, 30, 40, "Kernel", "KernelLaunch", "Default/MatMul-op0"));
  bytes.cut(5);
  raw.put_framework(format::mindspore::kOpRangeFile, bytes.text());
  raw.put_info({});
  trace::Losses losses;
  const trace::Trace trace = load_directory(raw.path, losses);
  EXPECT_EQ(trace.framework_ops().size(), 1u);
  EXPECT_FALSE(losses.items().empty());
}

}  // namespace
}  // namespace npuprof::load
