#include "load/result_text/result_text.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "temporary_directory.h"
#include "trace/device/module_memory.h"
#include "trace/framework/allocations.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/steps.h"
#include "trace/host/operator_memory.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using trace::kNone;

class ResultText : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(directory_ / name, text).ok());
  }
  Status load() {
    ThreadPool pool(1);
    trace_ = {};
    losses_ = {};
    return load_result_text(directory_.path(), trace_, losses_, pool);
  }
  // But for the one that says that there is no timeline.
  std::vector<std::string> losses() const {
    std::vector<std::string> sentences;
    for (const trace::Loss& loss : losses_.items()) {
      if (!loss.what.starts_with("there is no timeline")) sentences.push_back(loss.what);
    }
    return sentences;
  }
  std::string_view text(StringId id) const { return trace_.strings.view(id); }

  npuprof::testing::TemporaryDirectory directory_;
  trace::Trace trace_;
  trace::Losses losses_;
};

TEST_F(ResultText, ReadsStartsThatAreQuotedWithATab) {
  write("kernel_details.csv",
        "Step Id,Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us)"
        ",Input Shapes\n"
        "19,4294967295,61653,2,MatMul1,MatMulV2,AI_CORE,\"1736413971558972.912\t\",185.504,"
        "\"\"\"8,4;4,5\"\"\"\n");
  const Status status = load();
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_THAT(losses(), IsEmpty());
  EXPECT_THAT(trace_.tasks().start_ns, ElementsAre(1736413971558972912));
  EXPECT_THAT(trace_.tasks().end_ns, ElementsAre(1736413971559158416));
  ASSERT_EQ(trace_.kernels().size(), 1u);
  EXPECT_EQ(text(trace_.kernels().input_shapes[0]), "\"8,4;4,5\"");
}

TEST_F(ResultText, SaysWhichKernelsAreLeftOut) {
  const std::string header = "Name,Start Time(us),Duration(us)\n";
  write("kernel_details.csv", header + "a,1.000,2\nb,N/A,2\nc,3.000,\nd,4.000,1\n");
  ASSERT_TRUE(load().ok());
  EXPECT_THAT(trace_.tasks().start_ns, ElementsAre(1000, 4000));
  EXPECT_THAT(losses(),
              ElementsAre("2 rows are left out: their start or their duration is no number"));
  // The reason is said too if nothing is left.
  write("kernel_details.csv", header + "b,N/A,2\n");
  EXPECT_FALSE(load().ok());
  EXPECT_THAT(losses(), ElementsAre(HasSubstr("1 rows are left out")));
}

// Without a timeline.
TEST_F(ResultText, FindsStepsByTheIdsOfKernels) {
  write("kernel_details.csv",
        "Step Id,Name,Accelerator Core,Start Time(us),Duration(us)\n"
        "8,a,AI_CORE,10.000,2\n8,hcom_allReduce__1_0_1,COMMUNICATION,13.000,9\n"
        "9,b,AI_CORE,20.000,2\n,c,AI_CORE,40.000,2\n9,d,AI_CORE,30.000,5\n");
  ASSERT_TRUE(load().ok());
  EXPECT_THAT(losses(), IsEmpty());
  EXPECT_THAT(trace_.steps().id, ElementsAre(8, 9));
  EXPECT_THAT(trace_.steps().device_start_ns, ElementsAre(10000, 20000));
  EXPECT_THAT(trace_.steps().device_end_ns, ElementsAre(19999, 35000))
      << "what starts later is of the next step";
  EXPECT_THAT(trace_.steps().host_start_ns, ElementsAre(10000, 20000));
  EXPECT_THAT(trace_.steps().has_kernels, ElementsAre(1, 1));
}

TEST_F(ResultText, KeepsTheNamesOfOwnersWithoutATimeline) {
  write("kernel_details.csv", "Name,Start Time(us),Duration(us)\na,1,2\n");
  // The columns of 2023: no streams, nothing of active memory.
  write("operator_memory.csv",
        "Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),"
        "Allocation Total Allocated(MB),Allocation Total Reserved(MB),Release Total Allocated(MB),"
        "Release Total Reserved(MB),Device Type\n"
        "aten::add,4,10.000,20.000,10.000,1,2,1,2,NPU:0\n"
        "cann::Mul,4,12.000,13.000,1.000,1,2,1,2,NPU:0\n");
  ASSERT_TRUE(load().ok());
  EXPECT_THAT(losses(), IsEmpty());
  ASSERT_EQ(trace_.allocations().size(), 1u);
  EXPECT_EQ(trace_.memory_events().owner[trace_.allocations().malloc_event[0]], kNone);
  EXPECT_EQ(text(trace_.allocations().owner_name[0]), "aten::add");
  ASSERT_EQ(trace_.operator_memory().size(), 2u);
  EXPECT_EQ(text(trace_.operator_memory().op_name[0]), "Mul");
}

TEST_F(ResultText, KeepsTheNamesOfComponents) {
  write("kernel_details.csv", "Name,Start Time(us),Duration(us)\na,1,2\n");
  std::string table = "Component,Timestamp(us),Total Reserved(MB),Device\n";
  for (const char* component : {"HCCL", "IDEDH", "MLL", "AML", "91", "NEW", "NEWER", "NEW"}) {
    table += std::string(component) + ",10.000,1,NPU:0\n";
  }
  write("npu_module_mem.csv", table);
  ASSERT_TRUE(load().ok());
  EXPECT_THAT(losses(), IsEmpty());
  const auto& modules = trace_.module_memory().module;
  ASSERT_EQ(modules.size(), 8u);
  EXPECT_EQ(std::vector(modules.begin(), modules.begin() + 5),
            (std::vector<std::uint32_t>{3, 2, 21, 74, 91}));
  EXPECT_EQ(modules[5], modules[7]);
  EXPECT_NE(modules[5], modules[6]);
  const std::map<std::uint32_t, std::string> as_given = {
      {3, "HCCL"}, {2, "IDEDH"},        {21, "MLL"},          {74, "AML"},
      {91, "91"},  {modules[5], "NEW"}, {modules[6], "NEWER"}};
  EXPECT_EQ(trace_.session.module_names, as_given);
}

TEST_F(ResultText, SaysThatTheDeviceIsNotKnown) {
  write("kernel_details.csv", "Name,Start Time(us),Duration(us)\na,1,2\n");
  write("npu_module_mem.csv", "Component,Timestamp(us),Total Reserved(MB)\nHCCL,10.000,1\n");
  ASSERT_TRUE(load().ok());
  EXPECT_EQ(trace_.module_memory().size(), 1u);
  EXPECT_THAT(losses(), ElementsAre("there is no column Device: all rows are taken for device 0"));
}

TEST_F(ResultText, SaysWhichMemoryIsLeftOut) {
  write("kernel_details.csv", "Name,Start Time(us),Duration(us)\na,1,2\n");
  write("operator_memory.csv",
        "Name,Size(KB),Allocation Time(us),Release Time(us),Stream Ptr,Device Type\n"
        "aten::add,4,10.000,20.000,7,NPU:0\naten::mul,4,,30.000,7,NPU:0\naten::sub,,1,2,7,NPU:0\n");
  write("memory_record.csv",
        "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n"
        "PTA,soon,1,2,NPU:0\nPTA,10.000,1,2,NPU:0\n");
  ASSERT_TRUE(load().ok());
  EXPECT_EQ(trace_.allocations().size(), 1u);
  EXPECT_THAT(losses(),
              ElementsAre("1 rows are left out: their time is no number",
                          "1 rows are left out: it is not known when they were allocated",
                          "1 rows are left out: their size or their times are no numbers"));
}

TEST_F(ResultText, PutsIterationsOfADeviceTogether) {
  const auto timeline = [](const char* start) {
    return std::string(R"([
{"ph":"M","name":"process_name","pid":3,"tid":0,"args":{"name":"Ascend Hardware"}},
{"ph":"M","name":"process_sort_index","pid":3,"tid":0,"args":{"sort_index":3}},
{"ph":"X","name":"Default/Add-op1","pid":3,"tid":2,"dur":1,"args":{"Task Type":"AI_CORE"},"ts":)") +
           start + "}]";
  };
  ASSERT_TRUE(make_directories(directory_ / "timeline").ok());
  write("timeline/msprof_1_2_1.json", timeline("10"));
  write("timeline/msprof_1_2_2.json", timeline("20"));
  write("timeline/msprof_1_2_10.json", timeline("30"));
  ASSERT_TRUE(load().ok());
  EXPECT_THAT(losses(), IsEmpty());
  EXPECT_THAT(trace_.tasks().start_ns, ElementsAre(10000, 20000, 30000));
  EXPECT_THAT(trace_.tasks().device, ElementsAre(1, 1, 1));
  write("timeline/msprof_3_2_1.json", timeline("40"));
  ASSERT_TRUE(load().ok());
  EXPECT_EQ(trace_.tasks().size(), 3u);
  EXPECT_THAT(losses(), ElementsAre(HasSubstr("1 files are left out")));
}

}  // namespace
}  // namespace npuprof::load
