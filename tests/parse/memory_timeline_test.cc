// Memory by category, of simulated profiles.

#include "analyze/memory_timeline.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "link/link.h"
#include "load/discover.h"
#include "load/load_profile.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"
#include "trace/framework/memory_events.h"

namespace npuprof {
namespace {

using analyze::MemoryCategory;

constexpr analyze::MemoryDevice kNpu{20, 0};

class MemoryOfSimulatedProfiles : public ::testing::TestWithParam<sim::Workload> {
 protected:
  void SetUp() override {
    sim::JobOptions job{.workload = GetParam(),
                        .output = directory_ / "job",
                        .chip = *sim::find_chip("Ascend910B3"),
                        .steps = 3};
    job.framework.with_stack = true;
    job.framework.profile_memory = true;
    const auto summary = sim::run_job(job);
    ASSERT_TRUE(summary.ok());
    const auto found = load::discover(job.output);
    ASSERT_TRUE(found.ok());
    trace::Losses losses;
    auto loaded = load::load_profile(found->profiles.front(), shared_thread_pool(), losses);
    ASSERT_TRUE(loaded.ok());
    trace_ = std::move(*loaded);
    link::link_all(trace_, nullptr);
    changes_ = analyze::memory_changes(trace_, kNpu);
  }

  std::map<std::int64_t, std::int64_t> totals_by_time() const {
    std::map<std::int64_t, std::int64_t> totals;
    std::int64_t total = 0;
    for (std::size_t row = 0; row < changes_.size(); ++row) {
      total += changes_.bytes[row];
      totals[changes_.time_ns[row]] = total;
    }
    return totals;
  }

  testing::TemporaryDirectory directory_;
  trace::Trace trace_;
  analyze::MemoryChanges changes_;
};

// What the allocators say they have handed out differs from the sum of all categories only by what
// existed before and was never seen, which stays the same.
TEST_P(MemoryOfSimulatedProfiles, TotalsAreThoseOfTheAllocators) {
  const auto totals = totals_by_time();
  const auto& events = trace_.memory_events();
  ASSERT_GT(events.size(), 20u);
  std::map<std::int64_t, std::vector<std::uint32_t>> rows;
  for (std::uint32_t row = 0; row < events.size(); ++row) rows[events.time_ns[row]].push_back(row);
  std::int64_t handed_out = 0;
  std::int64_t reserved = 0;  // By the workspace allocator: that is what its blocks occupy.
  std::map<std::int64_t, std::size_t> differences;
  for (const auto& [time_ns, of_time] : rows) {
    for (const std::uint32_t row : of_time) {
      if (events.component[row] == 0) handed_out = events.total_allocated_bytes[row];
      if (events.component[row] == 1) reserved = events.total_reserved_bytes[row];
    }
    const auto found = std::prev(totals.upper_bound(time_ns));
    ++differences[found->second - handed_out - reserved];
  }
  EXPECT_EQ(differences.size(), 1u);
}

TEST_P(MemoryOfSimulatedProfiles, CategoriesNeverFallBelowZero) {
  const analyze::MemoryTimeline timeline = analyze::memory_timeline(changes_);
  std::array<std::int64_t, analyze::kMemoryCategories> most{};
  for (const analyze::CategoryBytes& bytes : timeline.bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      EXPECT_GE(bytes[i], 0) << i;
      most[i] = std::max(most[i], bytes[i]);
    }
  }
  for (const MemoryCategory category :
       {MemoryCategory::kParameter, MemoryCategory::kInput, MemoryCategory::kActivation,
        MemoryCategory::kGradient, MemoryCategory::kAutogradDetail}) {
    EXPECT_GT(most[static_cast<std::size_t>(category)], 0)
        << analyze::memory_category_name(category);
  }
}

INSTANTIATE_TEST_SUITE_P(Trainings, MemoryOfSimulatedProfiles,
                         ::testing::Values(sim::Workload::kToy, sim::Workload::kTransformer),
                         [](const auto& of) {
                           return of.param == sim::Workload::kToy ? "Toy" : "Transformer";
                         });

}  // namespace
}  // namespace npuprof
