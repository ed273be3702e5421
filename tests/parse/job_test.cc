// The layout of 2020: a directory of a job, with files of the device and of the framework side by
// side and no control files.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "format/device/data_preprocess.h"
#include "format/device/hwts.h"
#include "format/device/training_trace.h"
#include "format/host/graph_text.h"
#include "format/record.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/result_files.h"
#include "temporary_directory.h"
#include "trace/device/aicpu_nodes.h"
#include "trace/device/data_queue_events.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"
#include "whole_tables.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using format::device::HwtsLog;
using format::device::TrainingTrace;
using ::testing::ElementsAre;
using trace::kNone;

// The counter ran at 100 MHz, from when the host's monotonic clock did.
constexpr std::int64_t kToWallNs = 1'591'183'700'000'000'000;
std::int64_t wall_ns(std::uint64_t ticks) {
  return kToWallNs + static_cast<std::int64_t>(ticks) * 10;
}

// A run of a task: its start and end in the log of the device.
std::string run_of(std::uint16_t stream, std::uint16_t task, std::uint64_t start,
                   std::uint64_t end) {
  std::string text;
  for (const auto type : {HwtsLog::Type::kTaskStart, HwtsLog::Type::kTaskEnd}) {
    const HwtsLog log{.bits = HwtsLog::pack_bits(type, 0),
                      .task_id = task,
                      .syscnt = type == HwtsLog::Type::kTaskStart ? start : end,
                      .stream = stream};
    text += as_text(format::bytes_of(log));
  }
  return text;
}

class Job : public ::testing::Test {
 protected:
  void SetUp() override {
    write("host_start.log.1",
          "[Device0]\nclock_realtime: 1591183963000000000\nclock_monotonic_raw: 263000000000\n");
    // Two operators, which ran twice, and an event of another stream with the number of one of
    // them.
    write("hwts.log.data.45.dev.profiler_default_tag.1.slice_0",
          run_of(519, 30093, 30'000'000'000, 30'000'000'500) +
              run_of(519, 700, 30'000'000'600, 30'000'000'700) +
              run_of(530, 700, 30'000'000'610, 30'000'000'620) +
              run_of(519, 30093, 30'000'002'000, 30'000'002'400) +
              run_of(519, 700, 30'000'002'500, 30'000'002'700));
    std::string steps;
    for (const std::uint64_t begin : {30'000'000'000, 30'000'002'000}) {
      for (const auto& [tag, after] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
               {10010, 0}, {1, 1}, {2, 700}, {3, 710}, {4, 720}, {255, 900}}) {
        const TrainingTrace record{.tag = tag, .task = 1, .stream = 520, .syscnt = begin + after};
        steps += as_text(format::bytes_of(record));
      }
    }
    write("data/training_trace.46.dev.profiler_default_tag.1.slice_0", steps);
    std::string nodes;
    format::device::append_aicpu_task(nodes, {.submit_tick = 29'999'000'000,
                                              .submitted_tick = 29'999'000'100,
                                              .run_start_tick = 29'999'000'200,
                                              .run_end_tick = 29'999'001'200,
                                              .dispatch_us = 2,
                                              .total_us = 12});
    write("DATA_PREPROCESS.dev.AICPU.1.slice_0", nodes);
    std::string queue;
    format::device::append_preprocess_step(queue, {.time_ns = 299'980'000,
                                                   .action = "Enqueue data to dp",
                                                   .source = "s",
                                                   .index = 1,
                                                   .size = 4});
    write("DATA_PREPROCESS.dev.TDT.1.slice_0", queue);
    std::string tasks;
    format::host::append_graph_task(tasks, {"Default/Mul-op29", 2, 30093, 3});
    format::host::append_graph_task(tasks, {"Default/Cast-op6", 1, 700, 3});
    write("Framework.host.vm.task_desc_info.1.slice_0", tasks);
    std::string graph;
    format::host::append_graph_node(graph, {.op_name = "Default/Mul-op29",
                                            .op_type = "Mul",
                                            .inputs = {{"DefaultFormat", 40, "2,3"}},
                                            .outputs = {{"NC1HWC0", 39, "2"}}});
    write("Framework.host.vm.graph_desc_info.1.slice_0", graph);

    ThreadPool pool(1);
    const auto found = load::discover(directory_.path());
    ASSERT_TRUE(found.ok()) << found.error().message;
    ASSERT_EQ(found->profiles.size(), 1u);
    profile_ = found->profiles.front();
    auto trace = load::load_profile(profile_, pool, losses_);
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    npuprof::testing::expect_whole_tables(*trace);
    trace_ = std::move(trace).value();
    link::link_all(trace_, nullptr);
  }

  void write(const std::string& name, const std::string& content) {
    const fs::path path = directory_ / ("JOB3/" + name);
    ASSERT_TRUE(make_directories(path.parent_path()).ok());
    ASSERT_TRUE(write_file(path, content).ok());
  }
  std::string_view text(StringId id) const { return trace_.strings.view(id); }

  npuprof::testing::TemporaryDirectory directory_;
  load::Profile profile_;
  trace::Losses losses_;
  trace::Trace trace_;
};

TEST_F(Job, IsFoundByTheNamesOfItsFiles) {
  EXPECT_EQ(profile_.kind, load::ProfileKind::kJob);
  EXPECT_TRUE(profile_.has_raw_data());
  EXPECT_TRUE(profile_.is_cann_only());
  EXPECT_TRUE(losses_.empty());
  EXPECT_FALSE(losses_.notes().empty()) << "that the chip and its clock are assumed";
}

TEST_F(Job, HasTasksWithTheOperatorsOfTheGraph) {
  ASSERT_EQ(trace_.tasks().size(), 5u);
  EXPECT_EQ(trace_.tasks().start_ns[0], wall_ns(30'000'000'000));
  EXPECT_EQ(trace_.tasks().end_ns[0], wall_ns(30'000'000'500));
  EXPECT_THAT(trace_.tasks().device, ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(trace_.tasks().stream, ElementsAre(519, 519, 530, 519, 519));
  // The framework counts streams otherwise: its third is the one of most operators.
  EXPECT_THAT(trace_.kernels().task, ElementsAre(0, 1, 3, 4));
  EXPECT_EQ(text(trace_.kernels().name[0]), "Default/Mul-op29");
  EXPECT_EQ(text(trace_.kernels().op_type[0]), "Mul");
  EXPECT_EQ(text(trace_.kernels().task_type[0]), "AI_CORE");
  EXPECT_EQ(trace_.kernels().block_num[0], 2u);
  EXPECT_EQ(text(trace_.kernels().input_shapes[0]), "\"2,3\"");
  EXPECT_EQ(text(trace_.kernels().input_dtypes[0]), "FLOAT32");
  EXPECT_EQ(text(trace_.kernels().output_formats[0]), "NC1HWC0");
  EXPECT_EQ(text(trace_.kernels().name[3]), "Default/Cast-op6");
}

TEST_F(Job, HasIterations) {
  const trace::Iterations& iterations = trace_.iterations();
  EXPECT_THAT(iterations.index, ElementsAre(1, 2));
  EXPECT_THAT(iterations.start_ns, ElementsAre(wall_ns(30'000'000'000), wall_ns(30'000'000'900)));
  EXPECT_THAT(iterations.forward_start_ns,
              ElementsAre(wall_ns(30'000'000'001), wall_ns(30'000'002'001)));
  EXPECT_THAT(iterations.backward_end_ns,
              ElementsAre(wall_ns(30'000'000'700), wall_ns(30'000'002'700)));
  EXPECT_THAT(iterations.end_ns, ElementsAre(wall_ns(30'000'000'900), wall_ns(30'000'002'900)));
  const trace::IterationRanges& ranges = trace_.iteration_ranges();
  EXPECT_THAT(ranges.start_ns, ElementsAre(wall_ns(30'000'000'710), wall_ns(30'000'002'710)));
  EXPECT_THAT(ranges.end_ns, ElementsAre(wall_ns(30'000'000'720), wall_ns(30'000'002'720)));
}

TEST_F(Job, HasKernelsOfAiCpusAndTheDataQueue) {
  EXPECT_THAT(trace_.aicpu_nodes().start_ns, ElementsAre(wall_ns(29'999'000'200)));
  EXPECT_THAT(trace_.aicpu_nodes().end_ns, ElementsAre(wall_ns(29'999'001'200)));
  EXPECT_THAT(trace_.aicpu_nodes().dispatch_us, ElementsAre(2));
  EXPECT_THAT(trace_.aicpu_nodes().total_us, ElementsAre(12));
  EXPECT_THAT(trace_.data_queue_events().start_ns, ElementsAre(kToWallNs + 299'980'000'000));
  EXPECT_EQ(text(trace_.data_queue_events().name[0]), "Enqueue data to dp");
}

TEST_F(Job, CanBeWritten) {
  ThreadPool pool(1);
  const report::ExportOptions options{.text = true,
                                      .database = true,
                                      .output = directory_ / "out/mindstudio_profiler_output",
                                      .time_stamp = "20200603000000"};
  fs::create_directories(directory_ / "out");
  const auto status = report::export_cann(trace_, options, pool);
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_TRUE(fs::exists(options.output / "op_summary_20200603000000.csv"));
  EXPECT_TRUE(fs::exists(options.output / "step_trace_20200603000000.csv"));
}

}  // namespace
}  // namespace npuprof
