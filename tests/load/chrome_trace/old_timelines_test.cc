// Timelines as earlier releases wrote them.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "format/host/levels.h"
#include "load/chrome_trace/chrome_trace.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::kNone;

class OldTimelines : public ::testing::Test {
 protected:
  void load(const std::string& text, const std::string& name = "trace_view.json") {
    ASSERT_TRUE(make_directories((directory_ / name).parent_path()).ok());
    ASSERT_TRUE(write_file(directory_ / name, text).ok());
    ThreadPool pool(2);
    trace_ = {};
    losses_ = {};
    const std::vector paths{directory_ / name};
    const TimelineOrigin origin = find_timeline_origin(paths[0], trace_.session);
    const Status status = load_chrome_trace(paths, trace_, losses_, pool, origin);
    ASSERT_TRUE(status.ok()) << status.error().message;
    for (const trace::Loss& loss : losses_.items()) ADD_FAILURE() << loss.what;
    for (const trace::Note& note : losses_.notes()) {
      EXPECT_TRUE(note.what.starts_with("times count from")) << note.what;
    }
  }
  std::string_view text(StringId id) const { return trace_.strings.view(id); }

  npuprof::testing::TemporaryDirectory directory_;
  trace::Trace trace_;
  trace::Losses losses_;
};

// A layer of CANN: its name, label and index.
std::string layer(const std::string& pid, const std::string& name, const std::string& label,
                  const std::string& index) {
  const auto fact = [&](const std::string& what, const std::string& key, const std::string& value) {
    return R"({"ph":"M","name":")" + what + R"(","pid":)" + pid + R"(,"tid":0,"args":{")" + key +
           R"(":)" + value + "}},\n";
  };
  return fact("process_name", "name", '"' + name + '"') +
         fact("process_labels", "labels", '"' + label + '"') +
         fact("process_sort_index", "sort_index", index);
}

std::string lane(const std::string& pid, const std::string& tid, const std::string& name) {
  return R"({"ph":"M","name":"thread_name","pid":)" + pid + R"(,"tid":)" + tid +
         R"(,"args":{"name":")" + name + "\"}},\n";
}

// PyTorch, January 2024: process ids are decimal and hold the device, level 0 shows the calls that
// programs make, but not those that launch.
const std::string kJanuary2024 =
    "[" + layer("4376", "Python", "CPU", "0") + layer("1300", "Ascend Hardware", "NPU", "13") +
    layer("437602", "CANN", "CPU", "2") + layer("43761100", "Overlap Analysis", "NPU", "11") +
    R"json({"ph":"X","name":"aten::zero_","pid":4376,"tid":43,"ts":"1704161511000001.000","dur":9,"cat":"cpu_op","args":{}},
{"ph":"X","name":"AscendCL@aclnnInplaceZero","pid":437602,"tid":43,"ts":"1704161511000002.000","dur":6.25001,
 "args":{"Thread Id":43,"Mode":"ACL_NN","level":"acl","id":"aclnnInplaceZero","item_id":"0","connection_id":3}},
{"ph":"X","name":"AscendCL@aclrtMalloc","pid":437602,"tid":43,"ts":"1704161511000003.000","dur":0.5,
 "args":{"Thread Id":43,"Mode":"ACL_RTS","level":"acl","id":"aclrtMalloc","item_id":"0","connection_id":4}},
{"ph":"X","name":"Zeros_1","pid":1300,"tid":3,"ts":"1704161511000011.000","dur":1.5,"args":{"Model Id":4294967295,
 "Task Type":"Other","Stream Id":3,"Task Id":9,"Batch Id":0,"Subtask Id":4294967295,"connection_id":8}},
{"ph":"X","name":"MEMCPY_ASYNC","pid":1300,"tid":3,"ts":"1704161511000013.000","dur":1,"args":{"Model Id":4294967295,
 "Task Type":"Other","Stream Id":3,"Task Id":10,"Batch Id":0,"Subtask Id":4294967295,"connection_id":-1}},
{"ph":"X","name":"Computing","pid":43761100,"tid":0,"ts":"1704161511000011.000","dur":1.5},
{"ph":"s","name":"HostToDevice38654705663","cat":"HostToDevice","id":"38654705663","pid":437602,"tid":43,"ts":"1704161511000005.000"},
{"ph":"f","name":"HostToDevice38654705663","cat":"HostToDevice","id":"38654705663","pid":1300,"tid":3,"ts":"1704161511000011.000","bp":"e"},
{"ph":"s","name":"torch_to_npu","cat":"async_npu","id":1704161511000011000,"pid":4376,"tid":43,"ts":"1704161511000001.000"},
{"ph":"f","name":"torch_to_npu","cat":"async_npu","id":1704161511000011000,"pid":1300,"tid":3,"ts":"1704161511000011.000","bp":"e"}]
)json";

TEST_F(OldTimelines, OfJanuary2024HaveTheDeviceInDecimalProcessIds) {
  load(kJanuary2024);
  ASSERT_EQ(trace_.devices.size(), 1u);
  EXPECT_EQ(trace_.devices[0].id, 0u);
  EXPECT_THAT(trace_.overlap_intervals().device, ElementsAre(0));
  EXPECT_EQ(trace_.session.pid, 4376u);
}

TEST_F(OldTimelines, OfJanuary2024JoinCallsAndTasksByArrows) {
  load(kJanuary2024);
  ASSERT_EQ(trace_.api_calls().size(), 2u);
  EXPECT_EQ(text(trace_.api_calls().name[0]), "aclnnInplaceZero");
  EXPECT_THAT(trace_.tasks().api, ElementsAre(0, kNone)) << "the call around the arrow's begin";
  EXPECT_THAT(trace_.tasks().tid, ElementsAre(43, 0));
  EXPECT_THAT(trace_.kernel_ops().task, ElementsAre(0));
  ASSERT_EQ(trace_.kernels().size(), 1u);
  EXPECT_EQ(text(trace_.kernels().task_type[0]), "") << "Other is no core";
}

// MindSpore, August 2023: process ids hold no device, one of them not even the program; planes come
// before the lane of collectives, which has no group; iterations are in the layer of the hardware.
const std::string kAugust2023 =
    "[" + layer("3", "Ascend Hardware", "NPU", "3") + layer("1003602", "CANN", "CPU", "2") +
    layer("1003611", "HCCL", "NPU", "11") + layer("1003612", "Overlap Analysis", "NPU", "12") +
    lane("3", "10036", "Step Trace(Model ID:2)") + lane("1003611", "0", "Plane 0") +
    lane("1003611", "1", "Plane 1") + lane("1003611", "70000", "Communication Kernel") +
    R"json({"ph":"X","name":"Iteration 5","cat":"Iteration Time","pid":3,"tid":10036,"ts":1000.0,"dur":90.0,
 "args":{"Iteration ID":5,"FP Start":1010.25,"BP End":1080.5,"Iteration End":1090.0,"Iteration Time(ns)":90000.0}},
{"ph":"X","name":"FP_BP Time 5","cat":"FP_BP Time","pid":3,"tid":10036,"ts":1010.25,"dur":70.25,"args":{"Iteration ID":5}},
{"ph":"X","name":"Iteration Refresh 5","cat":"Iteration Refresh","pid":3,"tid":10036,"ts":1080.5,"dur":9.5,"args":{"Iteration ID":5}},
{"ph":"X","name":"Reduce_5_0","cat":"Reduce","pid":3,"tid":10036,"ts":1030.0,"dur":20.0,
 "args":{"Iteration ID":5,"Reduce Start 0":1030.0,"Reduce End 0":1050.0}},
{"ph":"s","name":"Data_aug Bound 5","cat":"Data_aug Bound","pid":3,"tid":10036,"ts":1000.0,"id":"Data_aug Bound 5","args":{}},
{"ph":"t","name":"Data_aug Bound 5","cat":"Data_aug Bound","pid":3,"tid":10036,"ts":1000.0,"id":"Data_aug Bound 5","args":{}},
{"ph":"X","name":"GE@Infer","pid":1003602,"tid":160,"ts":999.5,"dur":95.0,"args":{"Model Name":null,"Model Id":2}},
{"ph":"X","name":"Default/network-WithLossCell/Cast-op239","pid":3,"tid":2,"ts":1011.91,"dur":3.1,
 "args":{"Task Type":"AI_CORE","Stream Id":2,"Task Id":4,"Batch Id":0,"Aicore Time(ms)":2,"Total Cycle":64000}},
{"ph":"X","name":"NOTIFY_WAIT","pid":3,"tid":13,"ts":1031.0,"dur":2.0,
 "args":{"Task Type":"NOTIFY_WAIT","Stream Id":13,"Task Id":33,"Batch Id":0,"Aicore Time(ms)":"N/A","Total Cycle":"N/A"}},
{"ph":"X","name":"MEMCPY_ASYNC","pid":3,"tid":14,"ts":1033.0,"dur":9.0,
 "args":{"Task Type":"MEMCPY_ASYNC","Stream Id":14,"Task Id":33,"Batch Id":0,"Aicore Time(ms)":"N/A","Total Cycle":"N/A"}},
{"ph":"X","name":"Default/AllReduce-op534_0","pid":1003611,"tid":70000,"ts":1031.0,"dur":11.0},
{"ph":"X","name":"Notify_Wait","pid":1003611,"tid":0,"ts":1031.0,"dur":2.0,"args":{"notify_id":24,"duration estimated(us)":0.02,
 "stream id":13,"task id":33,"task type":"Notify_Wait","src rank":0,"dst rank":4,"transport type":"LOCAL","size(Byte)":0,
 "data type":"INVALID_TYPE","link type":"INVALID_TYPE","bandwidth(GB/s)":0.0}},
{"ph":"X","name":"Memcpy","pid":1003611,"tid":1,"ts":1033.0,"dur":9.0,"args":{"notify_id":1.8446744073709552e+19,
 "duration estimated(us)":0.5,"stream id":14,"task id":33,"task type":"Memcpy","src rank":0,"dst rank":4,
 "transport type":"SDMA","size(Byte)":4096,"data type":"INVALID_TYPE","link type":"PCIE","bandwidth(GB/s)":0.4}},
{"ph":"X","name":"Free","pid":1003612,"tid":3,"ts":1020.0,"dur":5.0}]
)json";

TEST_F(OldTimelines, Of2023HaveTheirDeviceInTheNameOfTheFile) {
  load(kAugust2023, "msprof_6_2_5.json");
  ASSERT_EQ(trace_.devices.size(), 1u);
  EXPECT_EQ(trace_.devices[0].id, 6u);
  EXPECT_THAT(trace_.tasks().device, ElementsAre(6, 6, 6)) << "none is there twice";
  EXPECT_THAT(trace_.overlap_intervals().device, ElementsAre(6));
  EXPECT_EQ(trace_.session.pid, 10036u);
}

TEST_F(OldTimelines, Of2023HaveCollectivesWithoutGroups) {
  load(kAugust2023);
  ASSERT_EQ(trace_.collective_ops().size(), 1u);
  EXPECT_EQ(text(trace_.collective_ops().name[0]), "Default/AllReduce-op534_0");
  EXPECT_EQ(text(trace_.collective_ops().type[0]), "AllReduce");
  EXPECT_THAT(trace_.collective_tasks().op, ElementsAre(0, 0));
  EXPECT_THAT(trace_.collective_tasks().task, ElementsAre(1, 2));
  EXPECT_THAT(trace_.collective_tasks().plane, ElementsAre(0, 1));
  EXPECT_THAT(trace_.collective_tasks().notify_id, ElementsAre(24, ~std::uint64_t{0}));
}

TEST_F(OldTimelines, Of2023HaveTypesInTheNamesOfKernels) {
  load(kAugust2023);
  ASSERT_EQ(trace_.kernels().size(), 1u);
  EXPECT_EQ(text(trace_.kernels().name[0]), "Default/network-WithLossCell/Cast-op239");
  EXPECT_EQ(text(trace_.kernels().op_type[0]), "Cast");
  EXPECT_THAT(trace_.api_calls().level, ElementsAre(format::host::kLevelModel));
}

TEST_F(OldTimelines, Of2023HaveIterations) {
  load(kAugust2023);
  const trace::Iterations& iterations = trace_.iterations();
  EXPECT_THAT(iterations.model_id, ElementsAre(2));
  EXPECT_THAT(iterations.index, ElementsAre(5));
  EXPECT_THAT(iterations.start_ns, ElementsAre(1000000));
  EXPECT_THAT(iterations.forward_start_ns, ElementsAre(1010250));
  EXPECT_THAT(iterations.backward_end_ns, ElementsAre(1080500));
  EXPECT_THAT(iterations.end_ns, ElementsAre(1090000));
  EXPECT_THAT(trace_.iteration_ranges().start_ns, ElementsAre(1030000));
  EXPECT_THAT(trace_.iteration_ranges().end_ns, ElementsAre(1050000));
  EXPECT_THAT(trace_.iteration_ranges().is_get_next, ElementsAre(0));
}

// MindSpore, 2020: processes have numbers and no names.
TEST_F(OldTimelines, Of2020AreKnownByTheNumbersOfTheirProcesses) {
  load(R"json([
{"name":"InitData","ph":"X","tid":"0","ts":0.0,"dur":159.99,"pid":9000},
{"name":"AssignAdd-op142","ph":"X","tid":"519","ts":200.5,"dur":3.1,"pid":1,"args":{"type":"AssignAdd",
 "fullname":"Default/AssignAdd-op142","input_0":{"format":"DefaultFormat","data_type":"NUMBER_TYPE_UINT8","shape":"1"},
 "input_1":{"format":"NC1HWC0","data_type":"NUMBER_TYPE_FLOAT32","shape":"2,3"},
 "output_0":{"format":"DefaultFormat","data_type":"NUMBER_TYPE_UINT8","shape":"1"}}},
{"name":"stream_520_parallel_0","ph":"X","tid":520,"ts":210.0,"dur":40.0,"pid":10000},
{"name":"Free","ph":"X","tid":8002,"ts":160.0,"dur":40.0,"pid":12000},
{"name":"Default/Init-op0","ph":"X","tid":100003,"ts":1.0,"dur":2.0,"pid":11000}])json",
       "ascend_timeline_display_1.json");
  EXPECT_THAT(trace_.tasks().device, ElementsAre(1, 1));
  EXPECT_THAT(trace_.tasks().stream, ElementsAre(0, 519));
  EXPECT_THAT(trace_.tasks().start_ns, ElementsAre(0, 200500));
  ASSERT_EQ(trace_.kernels().size(), 2u);
  EXPECT_EQ(text(trace_.kernels().task_type[0]), "AI_CPU");
  EXPECT_EQ(text(trace_.kernels().name[1]), "Default/AssignAdd-op142");
  EXPECT_EQ(text(trace_.kernels().op_type[1]), "AssignAdd");
  EXPECT_EQ(text(trace_.kernels().input_shapes[1]), "\"1;2,3\"");
  EXPECT_EQ(text(trace_.kernels().input_dtypes[1]), "UINT8;FLOAT32");
  EXPECT_EQ(text(trace_.kernels().output_formats[1]), "DefaultFormat");
  ASSERT_EQ(trace_.collective_ops().size(), 1u);
  EXPECT_EQ(text(trace_.collective_ops().name[0]), "stream_520_parallel_0");
  EXPECT_THAT(trace_.overlap_intervals().kind,
              ElementsAre(static_cast<std::uint8_t>(trace::OverlapKind::kFree)));
  EXPECT_EQ(trace_.framework_ops().size(), 1u);
  ASSERT_EQ(losses_.notes().size(), 1u) << "that the time of day is not known";
}

// PyTorch's own profiler in 2021: categories had other names.
TEST_F(OldTimelines, Of2021HaveCategoriesOfOtherNames) {
  load(R"json({"schemaVersion":1,"traceEvents":[
{"ph":"X","cat":"Operator","name":"aten::add","pid":25,"tid":"25","ts":1623142623460111,"dur":25,"args":{"Input Dims":[[2],[]]}},
{"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":25,"tid":"25","ts":1623142623460115,"dur":5,"args":{"correlation":7}},
{"ph":"X","cat":"Kernel","name":"void add<float>(int)","pid":0,"tid":"stream 7","ts":1623142623460120,"dur":2,
 "args":{"device":0,"stream":7,"correlation":7,"grid":[50,2,1]}},
{"ph":"X","cat":"Memset","name":"Memset (Device)","pid":0,"tid":"stream 7","ts":1623142623460130,"dur":1,
 "args":{"device":0,"stream":7,"correlation":8,"bytes":128}},
{"ph":"f","id":7,"pid":0,"tid":"stream 7","ts":1623142623460120,"cat":"async","name":"launch","bp":"e"},
{"ph":"s","id":7,"pid":25,"tid":25,"ts":1623142623460115,"cat":"async","name":"launch"}]})json",
       "worker0.pt.trace.json");
  EXPECT_EQ(trace_.framework_ops().size(), 1u);
  EXPECT_THAT(trace_.tasks().stream, ElementsAre(7, 7));
  EXPECT_THAT(trace_.tasks().api, ElementsAre(0, kNone));
  ASSERT_EQ(trace_.kernels().size(), 1u);
  EXPECT_EQ(trace_.kernels().block_num[0], 100u);
}

TEST_F(OldTimelines, Of2023HaveTheWallClockBesideThem) {
  const std::string folder = "PROF_1/device_6/";
  ASSERT_TRUE(make_directories(directory_ / (folder + "timeline")).ok());
  ASSERT_TRUE(
      write_file(directory_ / (folder + "start_info.6"),
                 R"({"collectionTimeBegin":"1692340024000000","clockMonotonicRaw":"900000"})")
          .ok());
  load(kAugust2023, folder + "timeline/msprof_6_2_5.json");
  // The collection began at 900 us of the monotonic clock.
  EXPECT_EQ(trace_.tasks().start_ns[0], 1692340024000111910);
  EXPECT_EQ(trace_.iterations().forward_start_ns[0], 1692340024000110250);
}

}  // namespace
}  // namespace npuprof::load
