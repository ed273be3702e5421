// The advisor on simulated profiles with and without faults: a finding is there with the fault that
// causes it, and only then.

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "analyze/advisor/checks.h"
#include "analyze/idle_causes.h"
#include "analyze/idle_sums.h"
#include "analyze/operator_times.h"
#include "analyze/shared_results.h"
#include "analyze/step_time.h"
#include "answers/advisor_answer.h"
#include "parse/simulated_run.h"
#include "report/html/advisor_page.h"
#include "sanitizers.h"
#include "trace/framework/framework_ops.h"

namespace npuprof {
namespace {

using analyze::Finding;
using analyze::Findings;
using npuprof::testing::run_and_load;
using npuprof::testing::small_training_job;

// Under sanitizers a few are enough: all of them run in release.
constexpr std::uint64_t kAdvisorSeeds = npuprof::testing::kHasAddressSanitizer ? 4 : 50;

// Large enough to keep the device busy.
sim::JobOptions busy_job(std::uint64_t seed) {
  sim::JobOptions job = small_training_job(seed);
  job.steps = 4;
  job.framework.gc_detect_threshold_ms = 1;
  job.transformer.hidden = 4096;
  job.transformer.heads = 32;
  job.transformer.sequence = 4096;
  return job;
}

const Finding* find(const Findings& findings, std::string_view name) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.name == name; });
  return found == findings.end() ? nullptr : &*found;
}

std::string names_of(const Findings& findings) {
  std::string names;
  for (const Finding& finding : findings) names.append(finding.name).append(" ");
  return names;
}

TEST(AdvisorTruth, FindsNothingOfTheFaultsWithoutThem) {
  for (std::uint64_t seed = 1; seed <= kAdvisorSeeds; ++seed) {
    const Findings findings = analyze::advise(run_and_load(busy_job(seed)));
    for (const std::string_view name :
         {"frequency", "garbage_collection", "free_time", "fusible_operators", "aicpu",
          "synchronize_stream", "operator_dispatch", "dynamic_shape", "dataloader", "memory",
          "retransmission", "sync_batch_norm"}) {
      EXPECT_EQ(find(findings, name), nullptr)
          << name << ", seed " << seed << ": " << find(findings, name)->sentence;
    }
  }
}

TEST(AdvisorTruth, FindsALoweredClockWhateverTheSeed) {
  for (std::uint64_t seed = 1; seed <= kAdvisorSeeds; ++seed) {
    sim::JobOptions job = small_training_job(seed);
    job.faults.frequency_drop = true;
    const Findings findings = analyze::advise(run_and_load(job));
    const Finding* finding = find(findings, "frequency");
    ASSERT_NE(finding, nullptr) << "seed " << seed << ": " << names_of(findings);
    EXPECT_GT(finding->gain_ns, 0);
    EXPECT_FALSE(finding->evidence.rows.empty());
  }
}

TEST(AdvisorTruth, FindsGarbageCollectionsWhateverTheSeed) {
  for (std::uint64_t seed = 1; seed <= kAdvisorSeeds; ++seed) {
    sim::JobOptions job = small_training_job(seed);
    job.faults.garbage = true;
    job.framework.gc_detect_threshold_ms = 1;
    const Findings findings = analyze::advise(run_and_load(job));
    const Finding* finding = find(findings, "garbage_collection");
    ASSERT_NE(finding, nullptr) << "seed " << seed << ": " << names_of(findings);
    EXPECT_GT(finding->gain_ns, 0);
    EXPECT_EQ(finding->severity, analyze::Severity::kHigh);
  }
}

TEST(AdvisorTruth, FindsASlowHostWhateverTheSeed) {
  for (std::uint64_t seed = 1; seed <= kAdvisorSeeds; ++seed) {
    sim::JobOptions job = small_training_job(seed);
    job.faults.host_bound = true;
    const Findings findings = analyze::advise(run_and_load(job));
    const Finding* finding = find(findings, "free_time");
    ASSERT_NE(finding, nullptr) << "seed " << seed << ": " << names_of(findings);
    EXPECT_EQ(finding->severity, analyze::Severity::kHigh);
    EXPECT_NE(find(findings, "fusible_operators"), nullptr) << names_of(findings);
    EXPECT_TRUE(
        std::is_sorted(findings.begin(), findings.end(),
                       [](const Finding& a, const Finding& b) { return a.gain_ns > b.gain_ns; }));
  }
}

// Products, a kernel that normalizes, one that adds, and attention.
TEST(AdvisorTruth, FindsASlowFamilyOfKernelsWhateverTheSeed) {
  const std::vector<std::string> families = {"MatMulV3", "RmsNorm", "Add", "SwiGlu",
                                             "FlashAttentionScore"};
  for (std::uint64_t seed = 1; seed <= kAdvisorSeeds; ++seed) {
    sim::JobOptions job = small_training_job(seed);
    job.steps = 2;
    EXPECT_EQ(find(analyze::advise(run_and_load(job)), "slow_family"), nullptr) << "seed " << seed;
    const std::string& family = families[seed % families.size()];
    job.faults.slow_kernels = {{.type = family, .factor = 10}};
    const Findings findings = analyze::advise(run_and_load(job));
    const Finding* finding = find(findings, "slow_family");
    ASSERT_NE(finding, nullptr) << family << ", seed " << seed << ": " << names_of(findings);
    ASSERT_EQ(finding->evidence.rows.size(), 1u) << family;
    EXPECT_EQ(std::get<std::string>(finding->evidence.rows[0][0]), family);
    EXPECT_GT(finding->gain_ns, 0);
  }
}

// Two ranks that sum gradients of more than 16 MB for each peer.
sim::JobOptions data_parallel_job(std::uint64_t seed) {
  sim::JobOptions job = small_training_job(seed);
  job.steps = 2;
  job.ranks = 2;
  job.parallel.data = 2;
  job.transformer.hidden = 2048;
  job.transformer.heads = 16;
  return job;
}

std::int64_t free_ns(const trace::Trace& trace) {
  std::int64_t sum_ns = 0;
  for (const analyze::StepTime& step : analyze::step_times(trace)) sum_ns += step.free_ns;
  return sum_ns;
}

std::int64_t length_ns(const trace::Trace& trace) {
  std::int64_t sum_ns = 0;
  for (const analyze::StepTime& step : analyze::step_times(trace)) {
    sum_ns += step.computing_ns + step.not_overlapped_ns + step.free_ns;
  }
  return sum_ns;
}

// Between kernels of such jobs other ranks are waited for, which no fused kernel would save.
TEST(AdvisorTruth, CollectivesBetweenKernelsAreNoGapsThatFusingCloses) {
  sim::JobOptions parallel = data_parallel_job(1);
  parallel.transformer.layers = 4;
  sim::JobOptions experts = data_parallel_job(2);
  experts.transformer.experts = 4;
  experts.parallel.expert = 2;
  sim::JobOptions slow = small_training_job(3);
  slow.faults.host_bound = true;
  for (const sim::JobOptions& job : {parallel, experts, slow}) {
    const trace::Trace trace = run_and_load(job);
    const Findings findings = analyze::advise(trace);
    const Finding* finding = find(findings, "fusible_operators");
    if (finding != nullptr) {
      EXPECT_LE(finding->gain_ns, free_ns(trace));
    }
    if (job.faults.host_bound) {
      EXPECT_NE(finding, nullptr);
    }
  }
}

TEST(AdvisorTruth, SmallPacketsCostAboutWhatTheyAreSaidToCost) {
  for (const std::uint64_t seed : {1U, 2U}) {
    sim::JobOptions job = data_parallel_job(seed);
    const std::int64_t healthy_ns = length_ns(run_and_load(job));
    job.faults.small_packets = true;
    const trace::Trace trace = run_and_load(job);
    const Findings findings = analyze::advise(trace);
    const Finding* finding = find(findings, "packet");
    ASSERT_NE(finding, nullptr);
    const std::int64_t lost_ns = length_ns(trace) - healthy_ns;
    EXPECT_GT(finding->gain_ns, lost_ns / 2) << "seed " << seed;
    EXPECT_LT(finding->gain_ns, lost_ns * 2) << "seed " << seed;
  }
}

// The framework tells of it and the user's mark does: each loading is one.
TEST(AdvisorTruth, ALoadingOfDataCountsOnce) {
  sim::JobOptions job = small_training_job(1);
  job.steps = 5;
  job.faults.slow_loader_ms = 20;
  const trace::Trace trace = run_and_load(job);
  const Findings findings = analyze::advise(trace);
  const Finding* finding = find(findings, "dataloader");
  ASSERT_NE(finding, nullptr) << names_of(findings);
  EXPECT_NE(finding->sentence.find("at a time 5 times"), std::string::npos) << finding->sentence;
  EXPECT_EQ(finding->evidence.rows.size(), 5u);
  std::int64_t waited_ns = 0;
  for (const analyze::IdleCauseSum& sum : analyze::idle_by_cause(analyze::idle_causes(trace))) {
    if (sum.cause == analyze::IdleCause::kDataLoader) waited_ns = sum.sum.total_ns;
  }
  EXPECT_GT(finding->gain_ns, waited_ns / 2);
  EXPECT_LE(finding->gain_ns, waited_ns);
}

// A product is not faster for adding something too.
TEST(AdvisorTruth, FusingSparesAtMostTheShorterOperators) {
  const trace::Trace trace = run_and_load(busy_job(1));
  const Findings findings = analyze::advise(trace);
  const Finding* finding = find(findings, "affinity_api");
  ASSERT_NE(finding, nullptr) << names_of(findings);
  const analyze::OperatorTimes times = analyze::operator_times(trace);
  std::int64_t added_ns = 0;
  for (std::size_t i = 0; i < trace.framework_ops().size(); ++i) {
    const std::string_view name = trace.strings.view(trace.framework_ops().name[i]);
    if (name.starts_with("aten::add")) added_ns += times.device_self_ns[i];
  }
  for (const auto& row : finding->evidence.rows) {
    ASSERT_EQ(std::get<std::string>(row[0]), "aten::matmul, aten::add");
  }
  EXPECT_LE(finding->gain_ns, added_ns);
}

TEST(AdvisorTruth, FindsSmallPacketsWhateverTheSeed) {
  for (std::uint64_t seed = 1; seed <= kAdvisorSeeds; ++seed) {
    sim::JobOptions job = data_parallel_job(seed);
    const Findings healthy = analyze::advise(run_and_load(job));
    EXPECT_EQ(find(healthy, "packet"), nullptr) << "seed " << seed;
    job.faults.small_packets = true;
    const Findings findings = analyze::advise(run_and_load(job));
    const Finding* finding = find(findings, "packet");
    ASSERT_NE(finding, nullptr) << "seed " << seed << ": " << names_of(findings);
    EXPECT_FALSE(finding->evidence.rows.empty());
  }
}

TEST(AdvisorTruth, ModeListsFindingsWithEvidenceAndKeepsSilentOnDemand) {
  sim::JobOptions job = small_training_job(1);
  job.faults.garbage = true;
  job.framework.gc_detect_threshold_ms = 1;
  const trace::Trace trace = run_and_load(job);
  const analyze::SharedResults results(trace);
  answers::Request request{.trace = trace, .results = results};
  const auto answer = answers::kAdvisorMode.answer(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const auto has_table = [](const answers::Answer& given, std::string_view name) {
    return std::any_of(given.tables.begin(), given.tables.end(),
                       [&](const answers::Table& table) { return table.name() == name; });
  };
  EXPECT_TRUE(has_table(*answer, "advisor"));
  EXPECT_TRUE(has_table(*answer, "advisor_garbage_collection"));
  for (const answers::Table& table : answer->tables) {
    for (const answers::Column& column : table.columns()) {
      EXPECT_EQ(column.size(), table.size()) << table.name() << "." << column.key;
    }
  }
  const std::string html = report::advisor_html(*answer, {.profile = "<a&b>", .simulated = true});
  EXPECT_NE(html.find("&lt;a&amp;b&gt;"), std::string::npos);
  EXPECT_NE(html.find("garbage_collection"), std::string::npos);

  request.options["silence"] = "garbage_collection, free_time";
  const auto silent = answers::kAdvisorMode.answer(request);
  ASSERT_TRUE(silent.ok());
  EXPECT_FALSE(has_table(*silent, "advisor_garbage_collection"));
  request.options["silence"] = "garbage";
  EXPECT_FALSE(answers::kAdvisorMode.answer(request).ok());
}

}  // namespace
}  // namespace npuprof
