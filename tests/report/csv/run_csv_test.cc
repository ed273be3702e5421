#include "report/csv/run_csv.h"

#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "temporary_directory.h"
#include "trace/host/fusion_ops.h"
#include "trace/host/graph_names.h"
#include "trace/host/marks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"

namespace npuprof::report {
namespace {

class RunCsvTest : public ::testing::Test {
 protected:
  std::string written(const std::string& file) const {
    const auto text = read_file(directory_ / file);
    return text.ok() ? text.value() : "no file";
  }

  npuprof::testing::TemporaryDirectory directory_;
  ThreadPool pool_{1};
  CsvTarget target_{.directory = directory_.path(), .suffix = "_1", .line_end = "\n"};
  trace::Trace trace_;
};

TEST_F(RunCsvTest, StepTraceHasNoNumberForWhatWasNotRecorded) {
  auto& iterations = trace_.iterations();
  trace::resize_rows(iterations, 2);
  iterations.device = {0, 0};
  iterations.model_id = {7, 7};
  iterations.index = {1, 2};
  iterations.start_ns = {1000, 10'000};
  iterations.forward_start_ns = {2000, 0};
  iterations.backward_end_ns = {5000, 0};
  iterations.end_ns = {9000, 20'000};
  auto& ranges = trace_.iteration_ranges();
  trace::resize_rows(ranges, 2);
  ranges.model_id = {7, 7};
  ranges.index = {1, 1};
  ranges.start_ns = {3000, 4000};
  ranges.end_ns = {3500, 4100};
  ranges.is_get_next = {0, 1};
  ASSERT_TRUE(write_step_trace(trace_, target_, pool_).ok());
  EXPECT_EQ(written("step_trace_1.csv"),
            "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),"
            "FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),Model ID,"
            "Reduce Start(us),Reduce Duration(us)\n"
            "0,1,2.000\t,5.000\t,9.000\t,8.000,3.000,4.000,N/A,7,3.000\t,0.500\n"
            "0,2,N/A,N/A,20.000\t,10.000,N/A,N/A,N/A,7,N/A,N/A\n");
}

TEST_F(RunCsvTest, FusedOperatorsAreNamedWithTheirModel) {
  auto& ops = trace_.fusion_ops();
  trace::resize_rows(ops, 2);
  ops.op_name = {trace_.strings.intern("conv_relu"), trace_.strings.intern("other")};
  ops.original_ops = {trace_.strings.intern("conv;relu"), trace_.strings.intern("a;b")};
  ops.input_bytes = {1024, 0};
  ops.total_bytes = {1536, 0};
  ops.model_id = {3, trace::kNone};
  auto& names = trace_.graph_names();
  trace::resize_rows(names, 1);
  names.model_id = {3};
  names.name = {trace_.strings.intern("resnet")};
  ASSERT_TRUE(write_fusion_op(trace_, target_, pool_).ok());
  const std::string text = written("fusion_op_1.csv");
  EXPECT_NE(text.find("\nhost,resnet,3,conv_relu,conv;relu,1.0,0.0,0.0,0.0,1.5\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nhost,N/A,4294967295,other,a;b,"), std::string::npos) << text;
}

TEST_F(RunCsvTest, AMarkHasALineForEachDeviceThatSawIt) {
  auto& marks = trace_.marks();
  trace::resize_rows(marks, 2);
  marks.start_ns = {5000, 1000};
  marks.end_ns = {6000, 1000};
  marks.pid = {10, 10};
  marks.tid = {11, 11};
  marks.is_mstx = {1, 0};
  marks.event_type = {2, 0};
  marks.category = {9, 4};
  marks.message = {trace_.strings.intern("step, one"), trace_.strings.intern("stamp")};
  marks.domain = {trace_.strings.intern("default"), kEmptyString};
  auto& on_device = trace_.device_marks();
  trace::resize_rows(on_device, 2);
  on_device.mark = {0, 0};
  on_device.device = {0, 1};
  on_device.start_ns = {5100, 5200};
  on_device.end_ns = {5900, 5800};
  ASSERT_TRUE(write_msprof_tx(trace_, target_, pool_).ok());
  const std::string text = written("msprof_tx_1.csv");
  EXPECT_EQ(
      text.substr(text.find('\n') + 1),
      "host,10,11,4,marker,0,0,1.000\t,1.000\t,0,stamp,N/A,N/A,N/A\n"
      "0,10,11,N/A,start/end,N/A,N/A,5.000\t,6.000\t,N/A,\"step, one\",default,5.100\t,5.900\t\n"
      "1,10,11,N/A,start/end,N/A,N/A,5.000\t,6.000\t,N/A,\"step, one\",default,5.200\t,5.800\t\n");
}

TEST_F(RunCsvTest, WithoutRowsThereAreNoFiles) {
  ASSERT_TRUE(write_step_trace(trace_, target_, pool_).ok());
  ASSERT_TRUE(write_fusion_op(trace_, target_, pool_).ok());
  ASSERT_TRUE(write_msprof_tx(trace_, target_, pool_).ok());
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

}  // namespace
}  // namespace npuprof::report
