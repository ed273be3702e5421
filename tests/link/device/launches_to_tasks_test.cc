#include "link/device/launches_to_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "link/device_trace.h"
#include "trace/device/block_numbers.h"
#include "trace/device/device_collectives.h"
#include "trace/device/pmu_counters.h"
#include "trace/device/unknown_stream.h"
#include "trace/host/captured_ops.h"
#include "trace/host/node_tensors.h"
#include "trace/launched/launched_ops.h"
#include "trace/launched/launches.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::link {
namespace {

using testing::DeviceTrace;
using ::testing::ElementsAre;
using trace::kNone;
using trace::PmuCore;

constexpr std::uint16_t kFftsPlus = 52;

TEST(LinkTasksTest, JoinsByIdentity) {
  DeviceTrace host;
  host.stream = 1;
  host.launch(10, 7);
  host.op("first");
  host.batch = 1;
  host.launch(30, 7);
  host.op("second");
  host.batch = 0;
  host.stream = 2;
  host.launch(12, 7, kNone, 5, "MEMCPY_ASYNC");
  host.trace().launches().copy_bytes.back() = 4096;
  host.trace().launches().copy_direction.back() = 1;
  host.trace().launches().api.back() = 9;
  host.trace().launches().tid.back() = 77;

  host.task(120, 130, 7);  // Stream 2.
  host.stream = 1;
  host.task(100, 110, 7);
  host.batch = 1;
  host.task(140, 150, 7);

  trace::Trace& trace = host.trace();
  const TaskJoin join = link_tasks(trace);
  EXPECT_EQ(join.matched_tasks, 3u);
  EXPECT_EQ(join.unmatched_tasks, 0u);
  EXPECT_EQ(join.unused_launches, 0u);
  EXPECT_THAT(trace.tasks().start_ns, ElementsAre(100, 120, 140));
  EXPECT_THAT(trace.tasks().launch, ElementsAre(0, 2, 1));
  EXPECT_THAT(trace.tasks().launch_ns, ElementsAre(10, 12, 30));
  EXPECT_EQ(trace.tasks().copy_bytes[1], 4096u);
  EXPECT_EQ(trace.tasks().copy_direction[1], 1u);
  EXPECT_EQ(trace.tasks().api[1], 9u);
  EXPECT_EQ(trace.tasks().tid[1], 77u);
  EXPECT_EQ(host.text(trace.tasks().shown_type[1]), "MEMCPY_ASYNC");
  EXPECT_EQ(host.text(trace.tasks().kernel_name[1]), "kernel_name");
  EXPECT_THAT(trace.kernels().task, ElementsAre(0, 2));
  EXPECT_EQ(host.text(trace.kernels().name[1]), "second");
  EXPECT_THAT(trace.tasks().kernel, ElementsAre(0, kNone, 1));
}

TEST(LinkTasksTest, UnmatchedOnBothSides) {
  DeviceTrace host;
  host.launch(10, 1);
  host.task(100, 110, 2, kNone, 11);
  trace::Trace& trace = host.trace();
  const TaskJoin join = link_tasks(trace);
  EXPECT_EQ(join.unmatched_tasks, 1u);
  EXPECT_EQ(join.unused_launches, 1u);
  ASSERT_EQ(trace.tasks().size(), 1u);
  EXPECT_EQ(trace.tasks().host_type[0], trace::kNoHostType);
  EXPECT_EQ(trace.tasks().launch[0], kNone);
  EXPECT_EQ(trace.tasks().model_id[0], kNone);
  EXPECT_EQ(host.text(trace.tasks().shown_type[0]), "SDMA_SQE");
}

TEST(LinkTasksTest, AGraphThatIsReplayedHasManyTasksPerLaunch) {
  DeviceTrace host;
  host.launch(10, 1);
  host.op("replayed");
  host.task(100, 110, 1);
  host.task(200, 210, 1);
  host.task(300, 310, 1);
  trace::Trace& trace = host.trace();
  EXPECT_EQ(link_tasks(trace).matched_tasks, 3u);
  EXPECT_THAT(trace.tasks().launch, ElementsAre(0, 0, 0));
  EXPECT_THAT(trace.kernels().task, ElementsAre(0, 1, 2));
}

TEST(LinkTasksTest, EqualNumbersOfEqualIdentitiesGoInOrder) {
  DeviceTrace host;
  host.launch(10, 1);
  host.launch(20, 1);
  host.task(200, 210, 1);
  host.task(100, 110, 1);
  trace::Trace& trace = host.trace();
  EXPECT_EQ(link_tasks(trace).ambiguous_tasks, 2u);
  EXPECT_THAT(trace.tasks().launch, ElementsAre(0, 1));
}

TEST(LinkTasksTest, OtherwiseTheLastLaunchBeforeTheTaskCounts) {
  DeviceTrace host;
  host.launch(10, 1);
  host.launch(150, 1);
  host.task(100, 110, 1);
  host.task(120, 130, 1);
  host.task(200, 210, 1);
  trace::Trace& trace = host.trace();
  link_tasks(trace);
  EXPECT_THAT(trace.tasks().launch, ElementsAre(0, 0, 1));
}

// The host reports which wrap of the task ids a task is from, the device does not.
TEST(LinkTasksTest, OldDriversLeaveItToTheOrderInTime) {
  DeviceTrace host;
  host.trace().session.driver_version = 0x072210;
  host.launch(10, 1);
  host.launch(20, 2);
  host.batch = 1;
  host.launch(30, 1);
  host.batch = 0;
  host.task(100, 110, 1);
  host.task(120, 130, 2);
  host.task(140, 150, 1);
  trace::Trace& trace = host.trace();
  EXPECT_EQ(link_tasks(trace).matched_tasks, 3u);
  EXPECT_THAT(trace.tasks().launch, ElementsAre(0, 1, 2));
}

TEST(LinkTasksTest, TheContextOfAMixKernelIsTheKernel) {
  DeviceTrace host;
  host.launch(10, 8, 0, kFftsPlus, "FFTS_PLUS");
  host.op("mix", 4, 20, 40);
  host.launch(10, 8, kNone, kFftsPlus, "FFTS_PLUS");
  host.task(100, 200, 8);
  host.task(105, 195, 8, 0, 6);
  trace::Trace& trace = host.trace();
  EXPECT_EQ(link_tasks(trace).matched_tasks, 2u);
  EXPECT_THAT(trace.tasks().kernel, ElementsAre(kNone, 0));
  EXPECT_EQ(host.text(trace.tasks().shown_type[0]), "AI_CORE");
  EXPECT_EQ(host.text(trace.tasks().shown_type[1]), "MIX_AIC");
  EXPECT_EQ(host.text(trace.kernels().task_type[0]), "MIX_AIC");
  EXPECT_EQ(trace.kernels().mix_block_num[0], 40u);
}

// Level 0: the host says nothing about contexts.
TEST(LinkTasksTest, AMixKernelIsItsContextEvenIfTheHostDoesNotSaySo) {
  DeviceTrace host;
  host.launch(10, 8, kNone, kFftsPlus, "FFTS_PLUS");
  host.op("mix", kNone);
  host.task(100, 200, 8);
  host.task(105, 195, 8, 0, 6);
  host.task(300, 400, 8);
  host.task(305, 395, 8, 0, 6);
  trace::Trace& trace = host.trace();
  EXPECT_EQ(link_tasks(trace).matched_tasks, 4u);
  EXPECT_THAT(trace.tasks().launch, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(trace.tasks().kernel, ElementsAre(kNone, 0, kNone, 1));
  EXPECT_EQ(host.text(trace.kernels().task_type[0]), "");
}

TEST(LinkTasksTest, AnFftsPlusTaskWithManyContextsKeepsItsOperator) {
  DeviceTrace host;
  host.launch(10, 8, kNone, kFftsPlus, "FFTS_PLUS");
  host.op("graph");
  host.task(100, 200, 8);
  host.task(105, 120, 8, 0, 0);
  host.task(120, 195, 8, 1, 1);
  trace::Trace& trace = host.trace();
  EXPECT_EQ(link_tasks(trace).matched_tasks, 3u);
  EXPECT_THAT(trace.tasks().kernel, ElementsAre(0, kNone, kNone));
  EXPECT_EQ(host.text(trace.tasks().shown_type[2]), "AIV");
}

TEST(LinkTasksTest, FindsTheStreamsOfChip15) {
  DeviceTrace host(15);
  host.stream = 4;
  host.launch(10, 0x12345);
  host.op("wide");
  host.stream = trace::kUnknownStream;
  host.task(100, 110, 0x12345);
  host.task(120, 130, 0x54321);
  host.pmu(109, 0x12345, kNone, PmuCore::kMixAic);
  host.pmu(108, 0x12345, kNone, PmuCore::kAiv, true);
  trace::DeviceCollectives& collectives = host.trace().device_collectives();
  DeviceTrace::add_row(collectives);
  collectives.kind[0] = 13;
  collectives.stream[0] = 6;
  collectives.task[0] = 0x54321;
  trace::Trace& trace = host.trace();
  link_tasks(trace);
  EXPECT_THAT(trace.tasks().stream, ElementsAre(4, 6));
  EXPECT_THAT(trace.tasks().launch, ElementsAre(0, kNone));
  EXPECT_THAT(trace.kernels().pmu, ElementsAre(0));
  EXPECT_THAT(trace.kernels().slave_pmu, ElementsAre(1));
}

TEST(LinkTasksTest, CountersBelongToTheExecutionInWhichTheyEnd) {
  DeviceTrace host;
  host.launch(10, 1);
  host.op("replayed");
  host.task(100, 200, 1);
  host.task(300, 400, 1);
  host.task(500, 600, 1);
  host.pmu(595, 1);
  host.pmu(250, 1);  // Between two executions.
  host.pmu(200, 1);
  trace::Trace& trace = host.trace();
  link_tasks(trace);
  EXPECT_THAT(trace.kernels().pmu, ElementsAre(2, kNone, 0));
}

TEST(LinkTasksTest, CountersHaveContextsAndBatches) {
  DeviceTrace host;
  host.launch(10, 8, 0, kFftsPlus);
  host.op("mix", 4);
  host.launch(10, 8, kNone, kFftsPlus);
  host.batch = 1;
  host.launch(20, 8);
  host.op("plain");
  host.batch = 0;
  host.task(100, 200, 8);
  host.task(105, 195, 8, 0, 6);
  host.batch = 1;
  host.task(300, 400, 8);
  host.pmu(390, 8);
  host.batch = 0;
  host.pmu(190, 8, 0, PmuCore::kMixAic);
  host.pmu(195, 8, 0, PmuCore::kAiv, true);
  trace::Trace& trace = host.trace();
  link_tasks(trace);
  EXPECT_THAT(trace.kernels().pmu, ElementsAre(1, 0));
  EXPECT_THAT(trace.kernels().slave_pmu, ElementsAre(2, kNone));
}

TEST(LinkTasksTest, BlockCountsOfTheDeviceWin) {
  DeviceTrace host;
  host.launch(10, 1);
  host.op("tiling", 4, 1, 2);
  host.launch(10, 2);
  host.op("other", 4, 1, 2);
  host.task(100, 200, 1);
  host.task(300, 400, 2);
  trace::BlockNumbers& blocks = host.trace().block_numbers();
  DeviceTrace::add_row(blocks);
  blocks.stream[0] = 1;
  blocks.task[0] = 1;
  blocks.block_num[0] = 20;
  blocks.mix_ratio[0] = 2;
  trace::Trace& trace = host.trace();
  link_tasks(trace);
  EXPECT_THAT(trace.kernels().block_num, ElementsAre(20, 1));
  EXPECT_THAT(trace.kernels().mix_block_num, ElementsAre(40, 2));
}

TEST(LinkTasksTest, TellsWhereKernelsAreListed) {
  DeviceTrace host;
  host.launch(10, 1);
  host.op("compute", 0);
  host.launch(10, 2);
  host.op("reduce", 9);
  host.launch(10, 3);
  host.op("driver", 256);
  host.launch(10, 4);
  host.op("flush", 3);
  host.launch(10, 5);
  host.op("level 0 reduce", kNone);
  host.trace().launches().collective.back() = 0;
  host.launch(10, 6);
  host.op("allReduceAivKernel", 9);
  for (std::uint32_t task = 1; task <= 6; ++task) host.task(task * 100, task * 100 + 50, task);
  trace::Trace& trace = host.trace();
  link_tasks(trace);
  using trace::KernelKind;
  EXPECT_THAT(trace.kernels().kind, ElementsAre(static_cast<int>(KernelKind::kCompute),
                                                static_cast<int>(KernelKind::kCommunication),
                                                static_cast<int>(KernelKind::kSchedule),
                                                static_cast<int>(KernelKind::kHidden),
                                                static_cast<int>(KernelKind::kCommunication),
                                                static_cast<int>(KernelKind::kCompute)));
}

TEST(LinkTasksTest, TensorsComeFromTheLaunchOrTheCapture) {
  DeviceTrace host;
  trace::Trace& trace = host.trace();
  DeviceTrace::add_row(trace.node_tensors());
  trace.node_tensors().input_shapes[0] = host.text("2,3");
  DeviceTrace::add_row(trace.captured_ops());
  trace.captured_ops().input_shapes[0] = host.text("4,5");
  host.launch(10, 1);
  host.op("a");
  trace.launched_ops().tensors[0] = 0;
  host.launch(10, 2);
  host.op("b");
  trace.launched_ops().captured_op[1] = 0;
  host.launch(10, 3);
  host.op("c");
  for (std::uint32_t task = 1; task <= 3; ++task) host.task(task * 100, task * 100 + 50, task);
  link_tasks(trace);
  EXPECT_EQ(host.text(trace.kernels().input_shapes[0]), "2,3");
  EXPECT_EQ(host.text(trace.kernels().input_shapes[1]), "4,5");
  EXPECT_EQ(host.text(trace.kernels().input_shapes[2]), "");
  EXPECT_EQ(host.text(trace.kernels().attributes[2]), "");
}

TEST(LinkTasksTest, ADirectionWithoutTensorsIsNotAvailable) {
  DeviceTrace host;
  trace::Trace& trace = host.trace();
  DeviceTrace::add_row(trace.node_tensors());
  trace.node_tensors().output_shapes[0] = host.text("\"36864\"");
  trace.node_tensors().output_dtypes[0] = host.text("UINT8");
  trace.node_tensors().output_formats[0] = host.text("ND");
  host.launch(10, 1);
  host.op("DSAGenBitMask");
  trace.launched_ops().tensors[0] = 0;
  host.task(100, 150, 1);
  link_tasks(trace);
  EXPECT_EQ(host.text(trace.kernels().input_shapes[0]), "");
  EXPECT_EQ(host.text(trace.kernels().input_dtypes[0]), "");
  EXPECT_EQ(host.text(trace.kernels().input_formats[0]), "");
  EXPECT_EQ(host.text(trace.kernels().output_shapes[0]), "\"36864\"");
  EXPECT_EQ(host.text(trace.kernels().output_dtypes[0]), "UINT8");
  EXPECT_EQ(host.text(trace.kernels().output_formats[0]), "ND");
}

TEST(LinkTasksTest, DevicesAreApart) {
  DeviceTrace host;
  host.device = 1;
  host.task(50, 60, 1);
  host.device = 0;
  host.task(100, 110, 1);
  host.launch(10, 1);
  host.device = 1;
  host.launch(11, 1);
  trace::Trace& trace = host.trace();
  link_tasks(trace);
  EXPECT_THAT(trace.tasks().device, ElementsAre(0, 1));
  EXPECT_THAT(trace.tasks().launch, ElementsAre(0, 1));
}

}  // namespace
}  // namespace npuprof::link
