#include "link/host/host_calls.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/host/enumerations.h"
#include "format/host/levels.h"
#include "link/host_trace.h"
#include "trace/host/task_tracks.h"
#include "trace/launched/launched_collectives.h"
#include "trace/launched/launched_ops.h"
#include "trace/launched/launches.h"
#include "trace/linked/op_state.h"

namespace npuprof::link {
namespace {

using format::host::GeTaskType;
using format::host::kLevelHccl;
using format::host::kLevelNode;
using format::host::TaskType;
using ::testing::Each;
using ::testing::ElementsAre;
using trace::kNone;

std::uint32_t number(GeTaskType type) { return static_cast<std::uint32_t>(type); }

class HostCalls : public ::testing::Test, protected testing::HostTrace {
 protected:
  const trace::Launches& link() {
    link_host_calls(trace());
    return trace().launches();
  }
  const trace::LaunchedOps& ops() { return trace().launched_ops(); }
  const trace::LaunchedCollectives& collectives() { return trace().launched_collectives(); }
  // The operator name of each launch, "-" if it has none.
  std::vector<std::string> op_names() {
    std::vector<std::string> names;
    for (const std::uint32_t op : trace().launches().op) {
      names.emplace_back(op == kNone ? "-" : text(ops().name[op]));
    }
    return names;
  }
};

TEST_F(HostCalls, AKernelIsTheOperatorOfTheNodeAroundIt) {
  acl(100, 900);
  const auto launch_call = node(200, 800, "Add_1");
  const auto track_row = track(301, 2, 5, TaskType::kKernelAicore, "Add_kernel");
  node_info(800, "Add_1", "Add", 0, 20, 2);
  const auto tensor_row = tensors(800, "Add_1", "\"2,3\"");
  attributes(800, "Add_1", "{\"axis\":1}");

  const auto& launches = link();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches.stream[0], 2);
  EXPECT_EQ(launches.task[0], 5u);
  EXPECT_EQ(launches.batch[0], 0);
  EXPECT_EQ(launches.context[0], kNone);
  EXPECT_EQ(launches.track[0], track_row);
  EXPECT_EQ(launches.tid[0], 7u);
  EXPECT_EQ(launches.time_ns[0], 301);
  EXPECT_EQ(launches.api[0], launch_call);
  EXPECT_EQ(launches.model_id[0], kNone);
  EXPECT_EQ(launches.request_id[0], kNone);
  EXPECT_EQ(launches.collective[0], kNone);
  ASSERT_EQ(launches.op[0], 0u);
  EXPECT_EQ(text(ops().name[0]), "Add_1");
  EXPECT_EQ(text(ops().op_type[0]), "Add");
  EXPECT_EQ(ops().task_type[0], number(GeTaskType::kAiCore));
  EXPECT_EQ(ops().block_num[0], 20u);
  EXPECT_EQ(ops().mix_block_num[0], 40u);
  EXPECT_EQ(ops().hf32[0], 1);
  EXPECT_EQ(ops().op_state[0], static_cast<std::uint8_t>(trace::OpState::kDynamic));
  EXPECT_EQ(ops().tensors[0], tensor_row);
  EXPECT_EQ(text(ops().attributes[0]), "{\"axis\":1}");
}

TEST_F(HostCalls, TheTasksOwnBlockCountWins) {
  node(200, 800, "Add_1");
  const auto row = track(301, 2, 5, TaskType::kKernelAicore);
  trace().task_tracks().has_blocks[row] = 1;
  trace().task_tracks().block_num[row] = 24;
  trace().task_tracks().mix_ratio[row] = 2;
  node_info(800, "Add_1", "Add", 0, 20, 1);
  link();
  EXPECT_EQ(ops().block_num[0], 24u);
  EXPECT_EQ(ops().mix_block_num[0], 48u);
}

TEST_F(HostCalls, ThreadsDoNotMix) {
  tid = 1;
  node(100, 900, "OfOne");
  node_info(900, "OfOne", "T");
  tid = 2;
  track(500, 2, 1, TaskType::kKernelAicore, "kernel_of_two");
  EXPECT_EQ(link().api[0], kNone);
  EXPECT_THAT(op_names(), ElementsAre("kernel_of_two"));
}

TEST_F(HostCalls, ATimeOnTheBeginIsOutsideAndOnTheEndInside) {
  node(100, 200, "First");
  node(200, 300, "Second");
  track(100, 2, 1, TaskType::kKernelAicore, "outside");
  track(200, 2, 2, TaskType::kKernelAicore);
  track(300, 2, 3, TaskType::kKernelAicore);
  node_info(200, "First", "T");
  node_info(300, "Second", "T");
  link();
  EXPECT_THAT(op_names(), ElementsAre("outside", "First", "Second"));
}

TEST_F(HostCalls, EqualBeginsNestByLevel) {
  const auto outer = acl(100, 500);
  const auto inner = node(100, 400, "Op");
  track(150, 2, 1, TaskType::kKernelAicore);
  track(450, 2, 2, TaskType::kEventRecord);
  EXPECT_THAT(link().api, ElementsAre(inner, outer));
}

TEST_F(HostCalls, OnlyTheOutermostAclCallCounts) {
  const auto outer = acl(100, 900, "aclnnOuter");
  acl(200, 300, "aclrtInner");
  const auto next = acl(900, 950, "aclnnNext");  // Touches the end of the outer one.
  track(250, 2, 1, TaskType::kEventRecord);
  track(901, 2, 2, TaskType::kEventRecord);
  EXPECT_THAT(link().api, ElementsAre(outer, next));
}

TEST_F(HostCalls, RuntimeCallsAndEmptyCallsDoNotTakePart) {
  const auto launch_call = node(100, 900, "Op");
  call(format::host::kLevelRuntime, 200, 300, {}, "KernelLaunch");
  node(250, 250, "Empty");
  track(250, 2, 1, TaskType::kKernelAicore);
  EXPECT_THAT(link().api, ElementsAre(launch_call));
}

TEST_F(HostCalls, NestedNodesEachHaveTheirOwnDescription) {
  // A collective that launches kernels on the AI CPU.
  const auto outer = node(100, 1000, "hcom_allReduce_");
  const auto init = node(200, 300, "hcomAicpuInit");
  const auto kernel = node(400, 600, "allreduceAicpuKernel");
  hccl(700, 900, "Notify_Wait");
  track(250, 2, 1, TaskType::kKernelAicpu);
  track(450, 2, 2, TaskType::kKernelAicpu);
  track(800, 2, 3, TaskType::kNotifyWait);
  node_info(300, "hcomAicpuInit", "Init", number(GeTaskType::kAiCpu));
  node_info(600, "allreduceAicpuKernel", "Run", number(GeTaskType::kCommunication));
  node_info(1000, "hcom_allReduce_", "hcom_allReduce_", number(GeTaskType::kCommunication));
  const auto info = collective_info(1000, "group");

  const auto& launches = link();
  EXPECT_THAT(launches.api, ElementsAre(init, kernel, outer));
  EXPECT_THAT(op_names(), ElementsAre("hcomAicpuInit", "allreduceAicpuKernel", "-"));
  // Communication that runs on the AI CPU without a collective-level call is shown as AI_CPU.
  EXPECT_EQ(ops().task_type[launches.op[1]], number(GeTaskType::kAiCpu));
  ASSERT_EQ(collectives().size(), 1u);
  EXPECT_EQ(collectives().api[0], outer);
  EXPECT_EQ(collectives().kfc_api[0], kernel);
  EXPECT_EQ(collectives().info[0], info);
  EXPECT_EQ(text(collectives().op_type[0]), "hcom_allReduce_");
  EXPECT_THAT(launches.collective, ElementsAre(kNone, kNone, 0));
}

TEST_F(HostCalls, ContextsBecomeRowsOfTheirOwnBesideTheWholeTask) {
  node(100, 500, "MatMul_MIX");
  track(200, 2, 1, TaskType::kKernelMixAic);
  node_info(500, "MatMul_MIX", "MatMul", number(GeTaskType::kMixAic));
  context(500, kLevelNode, "MatMul_MIX", 3);
  context(500, kLevelNode, "MatMul_MIX", 0);
  context(500, kLevelNode, "MatMul_MIX", 3);
  const auto& launches = link();
  EXPECT_THAT(launches.context, ElementsAre(0, 3, kNone));
  EXPECT_THAT(op_names(), ElementsAre("MatMul_MIX", "MatMul_MIX", "-"));
  EXPECT_EQ(launches.op[0], launches.op[1]) << "contexts share their operator";
}

TEST_F(HostCalls, AGraphOfOperatorsIsMatchedByName) {
  node(100, 900, "graph");
  track(200, 2, 1, TaskType::kFftsPlus);
  node_info(800, "graph", "Graph", number(GeTaskType::kFftsPlus));  // Only marks the graph.
  node_info(810, "A", "TypeA");
  node_info(820, "B", "TypeB");
  const auto tensors_a = tensors(830, "A", "1");
  const auto tensors_b = tensors(840, "B", "2");
  context(850, kLevelNode, "A", 0);
  context(850, kLevelNode, "A", 2);
  context(860, kLevelNode, "B", 1);
  const auto& launches = link();
  EXPECT_THAT(launches.context, ElementsAre(0, 1, 2, kNone));
  EXPECT_THAT(op_names(), ElementsAre("A", "B", "A", "-"));
  EXPECT_EQ(ops().tensors[launches.op[0]], tensors_a);
  EXPECT_EQ(ops().tensors[launches.op[1]], tensors_b);
  EXPECT_EQ(text(ops().op_type[launches.op[1]]), "TypeB");
}

TEST_F(HostCalls, AiCpuKernelsAndNewChipsHaveNoContexts) {
  node(100, 500, "Op");
  track(200, 2, 1, TaskType::kKernelAicpu);
  track(300, 2, 2, TaskType::kKernelMixAic);
  node_info(500, "Op", "Type");
  context(500, kLevelNode, "Op", 0);
  EXPECT_THAT(link().context, ElementsAre(kNone, 0, kNone));
  trace().session.chip = 15;
  EXPECT_THAT(link().context, ElementsAre(kNone, kNone));
}

TEST_F(HostCalls, LongContextListsDoNotMultiply) {
  node(0, 1'000'000, "Op");
  constexpr std::uint32_t kMany = 1000;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    track(10 + i, 2, i, TaskType::kKernelMixAic);
    context(500'000, kLevelNode, "Op", i);
  }
  EXPECT_EQ(link().size(), 2 * kMany);
}

TEST_F(HostCalls, TasksOfACollectiveKeepTheirDetails) {
  acl(50, 1100, "hcom_allReduce_");
  const auto op_call = node(100, 1000, "hcom_allReduce_");
  hccl(200, 300, "Memcpy", "master");
  hccl(400, 500, "Notify_Wait", "slave");
  track(250, 10, 1, TaskType::kMemcpyAsync);
  track(450, 11, 1, TaskType::kNotifyWait);
  const auto copy_task = collective_task(300, "Memcpy");
  const auto wait_task = collective_task(500, "Notify_Wait");
  const auto info = collective_info(1000, "group");
  node_info(1000, "hcom_allReduce_", "hcom_allReduce_", number(GeTaskType::kCommunication));

  const auto& launches = link();
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_THAT(launches.collective, Each(0u));
  EXPECT_THAT(launches.collective_task, ElementsAre(copy_task, wait_task));
  EXPECT_THAT(launches.is_master, ElementsAre(1, 0));
  EXPECT_THAT(launches.op, Each(kNone));
  EXPECT_THAT(launches.api, Each(op_call));
  ASSERT_EQ(collectives().size(), 1u);
  EXPECT_EQ(text(collectives().name[0]), "hcom_allReduce_");
  EXPECT_EQ(collectives().info[0], info);
  EXPECT_EQ(collectives().kfc_api[0], kNone);
}

TEST_F(HostCalls, KernelsOfACollectiveAreOperatorsAndTasksOfIt) {
  node(100, 1000, "hcom_allReduce_");
  hccl(200, 300, "Reduce_TBE", "slave");
  hccl(400, 500, "AicpuKernel", "master");
  track(250, 10, 1, TaskType::kKernelAicore);
  track(450, 10, 2, TaskType::kKernelAicpu);
  const auto task_info = collective_task(300, "Reduce_TBE");
  node_info(1000, "hcom_allReduce_", "hcom_allReduce_", number(GeTaskType::kAiVectorCore));
  const auto& launches = link();
  EXPECT_THAT(op_names(), ElementsAre("Reduce_TBE", "AicpuKernel"));
  EXPECT_EQ(ops().task_type[launches.op[0]], number(GeTaskType::kCommunication));
  EXPECT_EQ(ops().task_type[launches.op[1]], number(GeTaskType::kHcclAiCpu));
  EXPECT_THAT(launches.collective, Each(0u));
  EXPECT_THAT(launches.collective_task, ElementsAre(task_info, kNone));
  EXPECT_THAT(launches.is_master, ElementsAre(0, 1));
}

TEST_F(HostCalls, ContextsOfACollectiveTakeTheirDetailsByNumber) {
  node(100, 1000, "hcom_allReduce_");
  hccl(200, 300, "Launch_Ffts", "master");
  track(250, 10, 1, TaskType::kFftsPlus);
  for (const std::uint32_t id : {4u, 5u, 6u}) context(300, kLevelHccl, "hcom_allReduce_", id);
  const auto five = collective_task(260, "Memcpy", 5);
  const auto four = collective_task(270, "Notify_Wait", 4);
  const auto& launches = link();
  EXPECT_THAT(launches.context, ElementsAre(4, 5, 6, kNone));
  EXPECT_THAT(launches.collective_task, ElementsAre(four, five, kNone, kNone));
  EXPECT_THAT(launches.collective, ElementsAre(0, 0, 0, kNone));
  EXPECT_THAT(op_names(), Each("-")) << "an FFTS+ task of a collective is no operator";
}

TEST_F(HostCalls, CollectivesComeInOrderOfTime) {
  tid = 1;
  const auto early = node(100, 200, "early");
  hccl(110, 190, "Memcpy");
  track(150, 20, 1, TaskType::kMemcpyAsync);
  tid = 2;
  const auto late = node(300, 400, "late");
  hccl(310, 390, "Memcpy");
  track(350, 10, 1, TaskType::kMemcpyAsync);
  const auto& launches = link();
  EXPECT_THAT(collectives().api, ElementsAre(early, late));
  EXPECT_THAT(launches.stream, ElementsAre(10, 20));
  EXPECT_THAT(launches.collective, ElementsAre(1, 0));
}

TEST_F(HostCalls, WithoutANodeACollectiveLevelCallIsJustTheCaller) {
  const auto caller = hccl(100, 200, "Memcpy");
  track(150, 10, 1, TaskType::kMemcpyAsync);
  const auto& launches = link();
  EXPECT_THAT(launches.api, ElementsAre(caller));
  EXPECT_THAT(launches.collective, ElementsAre(kNone));
  EXPECT_EQ(collectives().size(), 0u);
}

TEST_F(HostCalls, AtLevelZeroTheNodeNamesTheOperator) {
  trace().session.level = trace::Level::kLevel0;
  node(100, 200, "Add_1");
  const auto row = track(150, 2, 1, TaskType::kKernelAicore, "Add_kernel");
  trace().task_tracks().has_blocks[row] = 1;
  trace().task_tracks().block_num[row] = 12;
  track(300, 2, 2, TaskType::kKernelAivec, "loose_kernel");
  link();
  EXPECT_THAT(op_names(), ElementsAre("Add_1", "loose_kernel"));
  EXPECT_THAT(ops().op_type, Each(kEmptyString));
  EXPECT_THAT(ops().task_type, Each(kNone));
  EXPECT_THAT(ops().hf32, Each(2));
  EXPECT_THAT(ops().op_state, Each(static_cast<std::uint8_t>(trace::OpState::kUnknown)));
  EXPECT_THAT(ops().block_num, ElementsAre(12, 0));
}

TEST_F(HostCalls, AKernelWhoseDescriptionWasLostKeepsItsName) {
  node(100, 200, "Add_1");
  track(150, 2, 1, TaskType::kKernelAicore);
  link();
  EXPECT_THAT(op_names(), ElementsAre("Add_1"));
  EXPECT_EQ(ops().op_type[0], kEmptyString);
}

TEST_F(HostCalls, OtherTasksBelongToTheirDirectCaller) {
  const auto record_call = acl(100, 200, "aclrtRecordEvent");
  track(150, 2, 1, TaskType::kEventRecord);
  track(300, 2, 2, TaskType::kEventWait);
  const auto& launches = link();
  EXPECT_THAT(launches.api, ElementsAre(record_call, kNone));
  EXPECT_THAT(launches.op, Each(kNone));
}

TEST_F(HostCalls, KernelsWithoutANodeGoByTheirKernelName) {
  acl(100, 900);
  track(150, 2, 1, TaskType::kKernelAivec, "my_kernel");
  track(250, 2, 2, TaskType::kKernelMixAic, "mix_kernel");
  track(350, 2, 3, TaskType::kKernelSimt, "simt_kernel");
  track(450, 2, 4, TaskType::kKernelAicore);
  track(550, 2, 5, TaskType::kStarsCommon, "dsa");
  const auto& launches = link();
  EXPECT_THAT(op_names(), ElementsAre("my_kernel", "mix_kernel", "simt_kernel", "-", "-"));
  EXPECT_THAT(launches.context, ElementsAre(kNone, 0, kNone, kNone, kNone));
  EXPECT_THAT(ops().task_type,
              ElementsAre(number(GeTaskType::kAiVectorCore), number(GeTaskType::kMixAic),
                          number(GeTaskType::kAiVectorCore)));
  EXPECT_EQ(text(ops().op_type[0]), "my_kernel");
}

TEST_F(HostCalls, StepMarksAndLcclKernelsAreNoOperators) {
  node(100, 200, "1", "step_info");
  node(300, 400, "LcclAllReduce");
  track(150, 2, 1, TaskType::kKernelAicpu);
  track(350, 2, 2, TaskType::kKernelAicpu);
  EXPECT_THAT(link().op, Each(kNone));
}

TEST_F(HostCalls, TasksUnderAModelHaveItsIdAndIteration) {
  model(100, 900, 42, 3);
  node(200, 300, "Op");
  track(250, 2, 1, TaskType::kKernelAicore);
  track(500, 2, 2, TaskType::kModelExecute);
  const auto& launches = link();
  EXPECT_THAT(launches.model_id, Each(42u));
  EXPECT_THAT(launches.request_id, Each(3u));
}

TEST_F(HostCalls, CapturedTasksTakeModelAndOperatorFromTheCapture) {
  captured_stream(100, 9, 77, 0);
  captured_stream(500, 9, 77, 1);
  captured_stream(600, 9, 78, 0);
  const auto op_row = captured_op(9, 1, "CapturedAdd");
  track(50, 9, 0, TaskType::kEventRecord);
  track(150, 9, 1, TaskType::kKernelAicore, "raw_kernel");
  track(550, 9, 2, TaskType::kEventRecord);
  track(650, 9, 3, TaskType::kEventRecord);
  track(650, 8, 3, TaskType::kEventRecord);
  const auto& launches = link();
  EXPECT_THAT(launches.stream, ElementsAre(8, 9, 9, 9, 9));
  EXPECT_THAT(launches.model_id, ElementsAre(kNone, kNone, 77, kNone, 78));
  EXPECT_THAT(op_names(), ElementsAre("-", "-", "CapturedAdd", "-", "-"));
  const std::uint32_t op = launches.op[2];
  EXPECT_EQ(ops().captured_op[op], op_row);
  EXPECT_EQ(ops().block_num[op], 4u);
  EXPECT_EQ(text(ops().op_type[op]), "Captured");
}

TEST_F(HostCalls, DestroyingAModelFreesAllItsStreams) {
  captured_stream(100, 9, 77, 0);
  captured_stream(110, 10, 77, 0);
  captured_stream(120, 11, 78, 0);
  captured_stream(500, 0xFFFF, 77, 1);
  for (const std::uint16_t stream : {9, 10, 11}) track(600, stream, 1, TaskType::kEventRecord);
  EXPECT_THAT(link().model_id, ElementsAre(kNone, kNone, 78));
}

TEST_F(HostCalls, ACopyIsSharedByItsTasks) {
  acl(100, 900, "aclrtMemcpyAsync");
  copy(201, 100, 64, 1);
  copy(301, 7, 64, 2);
  track(201, 2, 1, TaskType::kMemcpyAsync);
  track(201, 2, 2, TaskType::kMemcpyAsync);
  track(250, 2, 3, TaskType::kMemcpyAsync);
  track(301, 2, 4, TaskType::kMemcpyAsync);
  track(301, 2, 5, TaskType::kEventRecord);
  const auto& launches = link();
  EXPECT_THAT(launches.copy_bytes, ElementsAre(64, 36, 0, 7, 0));
  EXPECT_THAT(launches.copy_direction, ElementsAre(1, 1, kNone, 2, kNone));
}

TEST_F(HostCalls, RowsAreSortedByTheDeviceKeyAndHoldNoMaintenance) {
  track(100, 3, 1, TaskType::kEventRecord);
  track(110, 2, 9, TaskType::kEventRecord);
  track(120, 2, 4, TaskType::kEventRecord);
  track(130, 2, 5, TaskType::kMaintenance);
  track(140, 2, 3, TaskType::kEventRecord);
  trace().task_tracks().device[4] = 1;
  const auto& launches = link();
  EXPECT_THAT(launches.device, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(launches.stream, ElementsAre(2, 2, 3, 2));
  EXPECT_THAT(launches.task, ElementsAre(4, 9, 1, 3));
  link();
  EXPECT_EQ(trace().launches().size(), 4u) << "linking again starts afresh";
}

TEST_F(HostCalls, AnEmptyProfileHasNoLaunches) { EXPECT_EQ(link().size(), 0u); }

}  // namespace
}  // namespace npuprof::link
