#include "sim/workload/job.h"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
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
