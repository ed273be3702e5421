#include "sim/mindspore/framework_translation.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "format/mindspore/data_pipeline.h"
#include "format/mindspore/memory_usage.h"
#include "format/mindspore/op_range.h"
#include "format/mindspore/profiler_info.h"
#include "format/mindspore/record_shapes.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"

namespace npuprof::sim {
namespace {

namespace fs = std::filesystem;
namespace ms = format::mindspore;
using npuprof::testing::TemporaryDirectory;

JobOptions mindspore_job(const fs::path& output) {
  JobOptions job{.workload = Workload::kTransformer,
                 .output = output,
                 .chip = *find_chip("Ascend910B3"),
                 .steps = 2};
  job.program = ProgramFramework::kMindSpore;
  job.transformer = {.layers = 1, .hidden = 256, .heads = 4, .sequence = 64, .vocabulary = 1000};
  job.collection.memory = true;
  job.framework.profile_memory = true;
  job.framework.with_stack = true;
  job.framework.with_modules = true;
  job.data_process = true;
  return job;
}

// A simulated directory, and what the manifest says of its framework's records.
class SimulatedMindSpore {
 public:
  explicit SimulatedMindSpore(JobOptions job) {
    const auto summary = run_job(job);
    EXPECT_TRUE(summary.ok());
    if (!summary.ok()) return;
    directory = summary->ranks[0].directory;
    const auto manifest = nlohmann::json::parse(read_file(job.output / "manifest.json").value());
    rank = manifest["ranks"][0];
  }

  template <typename Record, typename Visit>
  void for_each(const char* file, Visit&& visit) const {
    const auto mapped = MappedFile::open(directory / "FRAMEWORK" / file);
    ASSERT_TRUE(mapped.ok()) << file;
    const auto report = format::framework::for_each_tlv_record<Record>(mapped->bytes(), visit);
    EXPECT_TRUE(report.whole());
  }

  fs::path directory;
  nlohmann::json rank;
};

TEST(FrameworkTranslation, ManifestCountsTheRecordsOfEachKind) {
  const TemporaryDirectory directory;
  const SimulatedMindSpore simulated(mindspore_job(directory.path()));
  EXPECT_TRUE(simulated.directory.native().ends_with("_ascend_ms"));
  std::map<std::string, std::uint64_t> found;
  std::uint64_t cells = 0;
  std::string name;
  simulated.for_each<ms::OpRange>("mindspore.op_range", [&](const ms::OpRange& record) {
    name.clear();
    ms::append_event_name(name, record);
    ++found["ranges"];
    if (record.fixed.is_stack != 0) ++found["frames"];
    if (name.ends_with("cell.py(1393):nn.Cell.ParallelMLP.__call__")) ++cells;
    EXPECT_EQ(name.find("torch"), std::string::npos) << name;
    if (record.name == ms::kFlowName) ++found["flows"];
    if (ms::is_launch_name(name)) ++found["launches"];
    if (record.module_text == ms::kDatasetModule) ++found["datasets"];
    if (name.starts_with("Python::PythonObserved::ProfilerStep#")) ++found["steps"];
    EXPECT_GE(record.fixed.end.get(), record.fixed.start.get()) << name;
  });
  EXPECT_GT(cells, 0u);
  simulated.for_each<ms::MemoryUsage>("mindspore.memory_usage",
                                      [&](const ms::MemoryUsage&) { ++found["memory"]; });
  simulated.for_each<ms::RecordShapes>("mindspore.record_shapes",
                                       [&](const ms::RecordShapes&) { ++found["shapes"]; });
  for (const auto& [kind, count] : simulated.rank["mindspore_records"].items()) {
    EXPECT_EQ(found[kind], count.get<std::uint64_t>()) << kind;
    EXPECT_GT(found[kind], 0u) << kind;
  }
}

TEST(FrameworkTranslation, EachLaunchHasAFlowAndEachKernelALaunch) {
  const TemporaryDirectory directory;
  const SimulatedMindSpore simulated(mindspore_job(directory.path()));
  std::multiset<std::uint64_t> marks;
  std::multiset<std::uint64_t> launches;
  simulated.for_each<ms::OpRange>("mindspore.op_range", [&](const ms::OpRange& record) {
    if (record.fixed.flow_id == ms::kNoFlow || record.fixed.is_stack != 0) return;
    (record.name == ms::kFlowName ? marks : launches).insert(record.fixed.flow_id);
  });
  EXPECT_EQ(marks, launches);
  EXPECT_GE(launches.size(), simulated.rank["truth"]["counts"]["kernels"].get<std::size_t>());
}

TEST(FrameworkTranslation, WithoutAQueueOperatorsLaunch) {
  const TemporaryDirectory directory;
  JobOptions job = mindspore_job(directory.path());
  job.framework.task_queue = false;
  const SimulatedMindSpore simulated(job);
  const auto& records = simulated.rank["mindspore_records"];
  EXPECT_EQ(records["flows"], 0);
  EXPECT_GT(records["launches"].get<int>(), 0);
}

TEST(FrameworkTranslation, MemoryIsOwnedByOperatorsAndTakenBack) {
  const TemporaryDirectory directory;
  const SimulatedMindSpore simulated(mindspore_job(directory.path()));
  std::set<std::uint64_t> open;
  bool has_owner = false;
  simulated.for_each<ms::MemoryUsage>("mindspore.memory_usage", [&](const ms::MemoryUsage& usage) {
    EXPECT_LE(usage.fixed.used.get(), usage.fixed.peak.get());
    has_owner |= !usage.owner.empty();
    if (usage.fixed.is_release()) {
      open.erase(usage.fixed.address);
    } else {
      EXPECT_TRUE(open.insert(usage.fixed.address).second);
    }
  });
  EXPECT_TRUE(has_owner);
}

TEST(FrameworkTranslation, SettingsAndPipelineCanBeRead) {
  const TemporaryDirectory directory;
  const SimulatedMindSpore simulated(mindspore_job(directory.path()));
  const auto info =
      ms::parse_profiler_info(read_file(simulated.directory / "profiler_info_0.json").value());
  ASSERT_TRUE(info.ok());
  EXPECT_TRUE(info->simulated);
  EXPECT_TRUE(info->parameters.is_set_schedule);
  EXPECT_EQ(info->parameters.aic_metrics, "PipeUtilization");
  const auto pipeline = ms::parse_pipeline(
      read_file(simulated.directory / "FRAMEWORK" / "pipeline_profiling_0.json").value());
  ASSERT_TRUE(pipeline.ok());
  EXPECT_EQ(pipeline->operators.size(), 3u);
}

TEST(FrameworkTranslation, TheSameSeedGivesTheSameBytes) {
  const TemporaryDirectory directory;
  const SimulatedMindSpore first(mindspore_job(directory / "a"));
  const SimulatedMindSpore second(mindspore_job(directory / "b"));
  for (const char* name : {"mindspore.op_range", "mindspore.memory_usage"}) {
    EXPECT_EQ(read_file(first.directory / "FRAMEWORK" / name).value(),
              read_file(second.directory / "FRAMEWORK" / name).value());
  }
}

}  // namespace
}  // namespace npuprof::sim
