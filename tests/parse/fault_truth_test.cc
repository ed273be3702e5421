// Six faults that the simulator can have, and four tools that may see them: each sees those of its
// kind, says which it is, and nothing of the others.

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/advisor/checks.h"
#include "analyze/idle_causes.h"
#include "analyze/idle_sums.h"
#include "analyze/profile_parts.h"
#include "analyze/step_time.h"
#include "answers/gate_answer.h"
#include "parse/simulated_run.h"
#include "sanitizers.h"

namespace npuprof {
namespace {

using npuprof::testing::run_and_load;
using npuprof::testing::small_training_job;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::IsSupersetOf;
using FaultNames = std::set<std::string>;

// Under sanitizers one is enough: all of them run in release.
constexpr std::uint64_t kFaultSeeds = npuprof::testing::kHasAddressSanitizer ? 1 : 50;
// A part counts as longer if it takes so much more of the healthy profile's time.
constexpr double kLonger = 0.03;

// What the tools say of one profile.
struct Seen {
  std::map<std::string, std::int64_t> idle;   // By cause.
  std::map<std::string, std::int64_t> parts;  // Of steps.
  FaultNames advice;                          // Checks for single faults.
  analyze::ProfileParts gate;
  std::int64_t total_ns = 0;
};

Seen seen_by_tools(const sim::JobOptions& job) {
  const trace::Trace trace = run_and_load(job);
  Seen seen;
  for (const analyze::IdleCauseSum& cause : analyze::idle_by_cause(analyze::idle_causes(trace))) {
    seen.idle[std::string(analyze::idle_cause_name(cause.cause))] = cause.sum.total_ns;
  }
  for (const analyze::StepTime& step : analyze::step_times(trace)) {
    seen.parts["computing"] += step.computing_ns;
    seen.parts["communication"] += step.not_overlapped_ns;
    seen.parts["free"] += step.free_ns;
  }
  for (const auto& [part, ns] : seen.parts) seen.total_ns += ns;
  for (const analyze::Finding& finding : analyze::advise(trace)) {
    const FaultNames specific = {"frequency", "garbage_collection", "packet", "dataloader"};
    if (specific.contains(std::string(finding.name))) seen.advice.emplace(finding.name);
  }
  seen.gate = analyze::profile_parts(trace);
  return seen;
}

// What takes longer than it did, the most first.
std::vector<std::string> longer(const std::map<std::string, std::int64_t>& before,
                                const std::map<std::string, std::int64_t>& after,
                                std::int64_t total_ns) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const auto& [name, ns] : after) {
    const auto known = before.find(name);
    const std::int64_t growth_ns = ns - (known == before.end() ? 0 : known->second);
    if (static_cast<double>(growth_ns) > kLonger * static_cast<double>(total_ns)) {
      found.emplace_back(-growth_ns, name);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (const auto& [growth_ns, name] : found) names.push_back(name);
  return names;
}

// "step E2E Time", "kernel type RmsNorm".
FaultNames failed_at_gate(const Seen& base, const Seen& now) {
  FaultNames names;
  for (const answers::GateRow& row : answers::gate_parts(base.gate, now.gate, {}).rows) {
    const bool is_told = row.level == "step" || row.level == "kernel type";
    if (is_told && row.verdict == answers::GateVerdict::kFailed) {
      names.insert(row.level + " " + row.name);
    }
  }
  return names;
}

sim::JobOptions one_rank(std::uint64_t seed) {
  sim::JobOptions job = small_training_job(seed);
  job.framework.gc_detect_threshold_ms = 1;
  return job;
}

// Two that sum gradients of more than 16 MB for each peer.
sim::JobOptions two_ranks(std::uint64_t seed) {
  sim::JobOptions job = one_rank(seed);
  job.steps = 4;
  job.ranks = 2;
  job.parallel.data = 2;
  job.transformer.hidden = 2048;
  job.transformer.heads = 16;
  return job;
}

// What the tools say of a profile with a fault, beside one without.
struct Verdicts {
  std::vector<std::string> idle;
  std::vector<std::string> parts;
  FaultNames advice;
  FaultNames gate;
};

// Calls `check` for each seed. Profiles without the fault must show nothing at all.
void for_each_seed(sim::JobOptions (*job_of)(std::uint64_t),
                   const std::function<void(sim::Faults&)>& fault,
                   const std::function<void(const Verdicts&)>& check) {
  for (std::uint64_t seed = 1; seed <= kFaultSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Seen healthy = seen_by_tools(job_of(seed));
    EXPECT_THAT(healthy.advice, IsEmpty());
    sim::JobOptions job = job_of(seed + 1000);
    fault(job.faults);
    const Seen ill = seen_by_tools(job);
    check({.idle = longer(healthy.idle, ill.idle, healthy.total_ns),
           .parts = longer(healthy.parts, ill.parts, healthy.total_ns),
           .advice = ill.advice,
           .gate = failed_at_gate(healthy, ill)});
  }
}

TEST(FaultTruth, NothingIsSeenInHealthyProfiles) {
  for_each_seed(
      one_rank, [](sim::Faults&) {},
      [](const Verdicts& verdicts) {
        EXPECT_THAT(verdicts.idle, IsEmpty());
        EXPECT_THAT(verdicts.parts, IsEmpty());
        EXPECT_THAT(verdicts.advice, IsEmpty());
        EXPECT_THAT(verdicts.gate, IsEmpty());
      });
}

TEST(FaultTruth, ASlowHostMakesStepsFree) {
  for_each_seed(
      one_rank, [](sim::Faults& faults) { faults.host_bound = true; },
      [](const Verdicts& verdicts) {
        EXPECT_THAT(verdicts.idle, IsSupersetOf({"launch cost", "operator self time"}));
        EXPECT_THAT(verdicts.parts, ElementsAre("free"));
        // Such a host takes long to load data too.
        EXPECT_THAT(verdicts.advice, IsSubsetOf({"dataloader"}));
        EXPECT_THAT(verdicts.gate, ElementsAre("step E2E Time"));
      });
}

TEST(FaultTruth, GarbageCollectionsMakeStepsFree) {
  for_each_seed(
      one_rank, [](sim::Faults& faults) { faults.garbage = true; },
      [](const Verdicts& verdicts) {
        EXPECT_THAT(verdicts.idle, ElementsAre("garbage collection"));
        EXPECT_THAT(verdicts.parts, ElementsAre("free"));
        EXPECT_THAT(verdicts.advice, ElementsAre("garbage_collection"));
        EXPECT_THAT(verdicts.gate, ElementsAre("step E2E Time"));
      });
}

TEST(FaultTruth, ASlowDataLoaderMakesStepsFree) {
  for_each_seed(
      one_rank, [](sim::Faults& faults) { faults.slow_loader_ms = 20; },
      [](const Verdicts& verdicts) {
        EXPECT_THAT(verdicts.idle, ElementsAre("data loader"));
        EXPECT_THAT(verdicts.parts, ElementsAre("free"));
        EXPECT_THAT(verdicts.advice, ElementsAre("dataloader"));
        EXPECT_THAT(verdicts.gate, ElementsAre("step E2E Time"));
      });
}

TEST(FaultTruth, ALoweredClockMakesComputingLonger) {
  for_each_seed(
      one_rank, [](sim::Faults& faults) { faults.frequency_drop = true; },
      [](const Verdicts& verdicts) {
        EXPECT_THAT(verdicts.idle, IsEmpty());
        EXPECT_THAT(verdicts.parts, ElementsAre("computing"));
        EXPECT_THAT(verdicts.advice, ElementsAre("frequency"));
        EXPECT_TRUE(verdicts.gate.contains("step Computing Time"));
      });
}

TEST(FaultTruth, ASlowFamilyOfKernelsMakesComputingLonger) {
  for_each_seed(
      one_rank,
      [](sim::Faults& faults) { faults.slow_kernels = {{.type = "RmsNorm", .factor = 20}}; },
      [](const Verdicts& verdicts) {
        EXPECT_THAT(verdicts.idle, IsEmpty());
        EXPECT_THAT(verdicts.parts, ElementsAre("computing"));
        EXPECT_THAT(verdicts.advice, IsEmpty());
        EXPECT_THAT(verdicts.gate,
                    ElementsAre("kernel type RmsNorm", "step Computing Time", "step E2E Time"));
      });
}

TEST(FaultTruth, SmallPacketsMakeCommunicationLonger) {
  for_each_seed(
      two_ranks, [](sim::Faults& faults) { faults.small_packets = true; },
      [](const Verdicts& verdicts) {
        EXPECT_THAT(verdicts.idle, IsEmpty());
        EXPECT_THAT(verdicts.parts, ElementsAre("communication"));
        EXPECT_THAT(verdicts.advice, ElementsAre("packet"));
        EXPECT_FALSE(verdicts.gate.contains("step Computing Time"));
      });
}

}  // namespace
}  // namespace npuprof
