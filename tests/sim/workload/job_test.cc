#include "sim/workload/job.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/interval_sweep.h"
#include "base/text.h"
#include "format/framework/data_type.h"
#include "format/framework/file_names.h"
#include "format/framework/memory_usage.h"
#include "format/framework/op_range.h"
#include "format/framework/tensor_text.h"
#include "sim/prof/host_checklist.h"
#include "temporary_directory.h"

namespace npuprof::sim {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::TemporaryDirectory;

JobOptions small_job(Workload workload, const fs::path& output) {
  JobOptions job{
      .workload = workload, .output = output, .chip = *find_chip("Ascend910B3"), .steps = 2};
  job.transformer = {.layers = 2, .hidden = 512, .heads = 8, .sequence = 256, .vocabulary = 2048};
  job.inference = {.requests = 2, .prompt = 64, .decode = 2};
  job.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 3};
  job.collection.memory = true;
  job.framework.profile_memory = true;
  return job;
}

// All files below a directory with their content.
std::map<std::string, std::string> content_of(const fs::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), directory)] = read_file(entry.path()).value();
    }
  }
  return files;
}

nlohmann::json manifest_of(const fs::path& directory) {
  return nlohmann::json::parse(read_file(directory / "manifest.json").value());
}

fs::path prof_of(const fs::path& rank_directory) {
  for (const auto& entry : fs::directory_iterator(rank_directory)) {
    if (entry.path().filename().native().starts_with("PROF_")) return entry.path();
  }
  ADD_FAILURE() << "no PROF directory in " << rank_directory;
  return {};
}

class EveryWorkload : public ::testing::TestWithParam<Workload> {};
INSTANTIATE_TEST_SUITE_P(Job, EveryWorkload,
                         ::testing::Values(Workload::kToy, Workload::kTransformer,
                                           Workload::kGraphMode, Workload::kInference));

TEST_P(EveryWorkload, GivesTheSameBytesForTheSameSeed) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(run_job(small_job(GetParam(), directory / "a")).ok());
  ASSERT_TRUE(run_job(small_job(GetParam(), directory / "b")).ok());
  EXPECT_TRUE(content_of(directory / "a") == content_of(directory / "b"));
  JobOptions other = small_job(GetParam(), directory / "c");
  other.seed = 2;
  ASSERT_TRUE(run_job(other).ok());
  EXPECT_FALSE(content_of(directory / "a") == content_of(directory / "c"));
}

TEST_P(EveryWorkload, KeepsTheRulesOfTheHostHalfAtEveryLevel) {
  for (const CollectionLevel level : {CollectionLevel::kNone, CollectionLevel::kLevel0,
                                      CollectionLevel::kLevel1, CollectionLevel::kLevel2}) {
    const TemporaryDirectory directory;
    JobOptions job = small_job(GetParam(), directory / "out");
    job.collection.level = level;
    job.collection.mstx = true;
    job.collection.l2_cache = true;
    job.collection.sys_io = true;
    job.collection.sys_interconnection = true;
    job.collection.op_attr = true;
    if (!job.collection.operator_details()) job.collection.aic_metrics = {};
    const auto summary = run_job(job);
    ASSERT_TRUE(summary.ok()) << summary.error().message;
    const fs::path prof = prof_of(summary->ranks.front().directory);
    testing::expect_host_checklist(prof, {0}, "5");
  }
}

TEST(Job, RanksOfAPipelineMeet) {
  const TemporaryDirectory directory;
  JobOptions job = small_job(Workload::kTransformer, directory / "out");
  job.ranks = 8;
  job.parallel = {.tensor = 2, .pipeline = 2, .data = 2};
  job.transformer.micro_batches = 4;
  const auto summary = run_job(job);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->ranks.size(), 8u);
  const auto manifest = manifest_of(directory / "out");
  ASSERT_EQ(manifest["ranks"].size(), 8u);
  for (const auto& rank : manifest["ranks"]) {
    EXPECT_GT(rank["truth"]["counts"]["collectives"].get<int>(), 0) << rank["rank"];
  }
}

TEST(Job, ExpertsExchangeTokens) {
  const TemporaryDirectory directory;
  JobOptions job = small_job(Workload::kTransformer, directory / "out");
  job.ranks = 4;
  job.parallel = {.data = 4, .expert = 2};
  job.transformer.experts = 4;
  const auto summary = run_job(job);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_NE(read_file(directory / "out/manifest.json").value().find("hcom_alltoall_"),
            std::string::npos);
}

TEST(Job, ASlowRankTakesLongerAndTheOthersWait) {
  const TemporaryDirectory directory;
  JobOptions job = small_job(Workload::kTransformer, directory / "even");
  job.ranks = 2;
  job.parallel.data = 2;
  ASSERT_TRUE(run_job(job).ok());
  job.output = directory / "slow";
  job.faults.slow_ranks = {{.rank = 1, .factor = 3}};
  ASSERT_TRUE(run_job(job).ok());
  const auto kernel_ns = [&](const char* name, int rank) {
    return manifest_of(directory / name)["ranks"][rank]["truth"]["kernel_ns"].get<double>();
  };
  EXPECT_GT(kernel_ns("slow", 1), 2 * kernel_ns("even", 1));
  EXPECT_LT(kernel_ns("slow", 0), 1.2 * kernel_ns("even", 0));
}

TEST(Job, AKilledProcessLeavesNoEndFiles) {
  const TemporaryDirectory directory;
  JobOptions job = small_job(Workload::kToy, directory / "out");
  job.faults.kill_at_ms = 0;
  const auto summary = run_job(job);
  ASSERT_TRUE(summary.ok());
  const fs::path rank = summary->ranks.front().directory;
  EXPECT_FALSE(fs::exists(rank / "profiler_info_0.json"));
  EXPECT_FALSE(fs::exists(prof_of(rank) / "host" / "end_info"));
  EXPECT_TRUE(fs::exists(prof_of(rank) / "host" / "start_info"));
}

TEST(Job, AProcessCanBeKilledInTheMiddleOfAStep) {
  const TemporaryDirectory directory;
  JobOptions job = small_job(Workload::kTransformer, directory / "whole");
  ASSERT_TRUE(run_job(job).ok());
  const auto all = manifest_of(directory / "whole")["ranks"][0];
  const auto& steps = all["truth"]["steps"];
  const auto wall_ns = [&](std::size_t step, const char* end) {
    return steps.at(step).at(end).get<std::int64_t>();
  };
  job.output = directory / "killed";
  const std::int64_t inside_ns = (wall_ns(1, "begin_wall_ns") + 3 * wall_ns(1, "end_wall_ns")) / 4;
  job.faults.kill_at_ms = static_cast<double>(inside_ns - wall_ns(0, "begin_wall_ns")) / 1e6;
  const auto summary = run_job(job);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  const auto killed = manifest_of(directory / "killed")["ranks"][0];

  EXPECT_TRUE(all["killed_wall_ns"].is_null());
  EXPECT_FALSE(killed["killed_wall_ns"].is_null());
  ASSERT_EQ(all["truth"]["steps"].size(), 2u);
  EXPECT_EQ(killed["truth"]["steps"].size(), 1u);
  const auto kernels = [](const auto& rank) {
    return rank["truth"]["counts"]["kernels"].template get<int>();
  };
  const int in_first_step = killed["truth"]["steps"][0]["kernels"].get<int>();
  EXPECT_GT(kernels(killed), in_first_step);
  EXPECT_LT(kernels(killed), kernels(all));
  // Operators that were open have no record, but their tasks may be on the queue.
  EXPECT_LT(killed["framework_records"]["ops"], all["framework_records"]["ops"]);

  std::size_t slices = 0;
  const fs::path rank = summary->ranks[0].directory;
  for (const auto& [name, content] : content_of(rank)) {
    if (name.find(".slice_") == std::string::npos) continue;
    EXPECT_FALSE(name.ends_with(".done")) << name;
    ++slices;
  }
  EXPECT_GT(slices, 8u);
  const auto torn = killed["truncated_files"].get<std::vector<std::string>>();
  ASSERT_GT(torn.size(), 8u);
  for (const std::string& name : torn) {
    const std::string content = read_file(rank / name).value();
    EXPECT_EQ(content.substr(content.size() - 16), content.substr(0, 16)) << name;
  }
}

TEST(Job, OperatorsTellOfTensorsThatTheAllocatorKnows) {
  using format::framework::MemoryUsage;
  using format::framework::OpRange;
  const TemporaryDirectory directory;
  JobOptions job = small_job(Workload::kTransformer, directory / "out");
  job.framework.with_modules = true;
  const auto summary = run_job(job);
  ASSERT_TRUE(summary.ok());
  const fs::path framework = summary->ranks[0].directory / format::framework::kDirectoryName;
  std::map<std::uint64_t, std::vector<Interval>> lives;  // Of each address, in ticks.
  const auto memory = MappedFile::open(framework / format::framework::kMemoryUsageFile).value();
  format::framework::for_each_tlv_record<MemoryUsage>(memory.bytes(), [&](const MemoryUsage& use) {
    auto& life = lives[static_cast<std::uint64_t>(use.fixed.address.get())];
    if (use.fixed.memory_event() == format::framework::MemoryEvent::kMalloc) {
      life.push_back({use.fixed.time.get(), std::numeric_limits<std::int64_t>::max()});
    } else if (!life.empty()) {
      life.back().end = std::min(life.back().end, use.fixed.time.get());
    }
  });
  std::size_t known = 0;
  std::size_t others = 0;
  std::size_t lists = 0;
  const auto ops = MappedFile::open(framework / format::framework::kOpRangeFile).value();
  format::framework::for_each_tlv_record<OpRange>(ops.bytes(), [&](const OpRange& op) {
    std::size_t tensors = 0;
    format::framework::for_each_tensor(op.input_tensors, [&](const auto& tensor) {
      ++tensors;
      const auto life = lives.find(tensor.storage);
      if (life == lives.end()) {
        ++others;
        return;
      }
      ++known;
      EXPECT_TRUE(std::any_of(life->second.begin(), life->second.end(),
                              [&](Interval interval) {
                                return interval.begin <= op.fixed.start &&
                                       op.fixed.start < interval.end;
                              }))
          << op.name << " reads memory that is not in use";
    });
    if (op.input_tensor_lists) ++lists;
    if (!op.input_dtypes) return;
    const auto tokens = split(*op.input_dtypes, ';');
    EXPECT_EQ(tensors, static_cast<std::size_t>(
                           std::count_if(tokens.begin(), tokens.end(),
                                         [](std::string_view token) {
                                           return token != format::framework::kTensorListInput &&
                                                  token != format::framework::kScalarInput;
                                         })))
        << op.name;
  });
  EXPECT_GT(known, others);
  EXPECT_GT(lists, 0u);
}

TEST(Job, TruncatedFilesAreNamedInTheManifest) {
  const TemporaryDirectory directory;
  JobOptions job = small_job(Workload::kToy, directory / "out");
  job.faults.truncate = true;
  ASSERT_TRUE(run_job(job).ok());
  EXPECT_GT(manifest_of(directory / "out")["ranks"][0]["truncated_files"].size(), 3u);
}

TEST(Job, SaysWhatIsWrongBeforeWritingAnything) {
  const TemporaryDirectory directory;
  JobOptions job = small_job(Workload::kTransformer, directory / "out");
  job.ranks = 3;
  job.parallel.tensor = 2;
  auto status = check_job(job);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("--tp"), std::string::npos);
  EXPECT_FALSE(fs::exists(directory / "out"));

  job = small_job(Workload::kToy, directory / "out");
  job.faults.slow_ranks = {{.rank = 7, .factor = 2}};
  status = check_job(job);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("--slow-rank"), std::string::npos);
}

TEST(Job, AnUnwritableOutputIsAClearError) {
  const auto summary = run_job(small_job(Workload::kToy, "/proc/npusim-cannot-write-here"));
  ASSERT_FALSE(summary.ok());
  EXPECT_NE(summary.error().message.find("/proc/npusim-cannot-write-here"), std::string::npos);
}

}  // namespace
}  // namespace npuprof::sim
