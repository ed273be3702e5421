// Every mode says which parts of a profile it reads. What it answers is the same whether the others
// were loaded or not, from a database and from raw data.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "answers/mode.h"
#include "even_columns.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "parse/answer_lines.h"
#include "report/result_files.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/api_calls.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/overlap_intervals.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::answer_lines;
using npuprof::testing::TemporaryDirectory;
using sim::Workload;

trace::Trace load_parts(const load::Profile& profile, trace::Parts wanted, trace::Losses& losses) {
  ThreadPool pool(1);
  trace::Trace trace = load::load_profile(profile, pool, losses, wanted).value();
  link::link_all(trace, &pool, wanted);
  EXPECT_EQ(npuprof::testing::uneven_columns(trace), "");
  return trace;
}

trace::Trace load_parts(const load::Profile& profile, trace::Parts wanted) {
  trace::Losses losses;
  trace::Trace trace = load_parts(profile, wanted, losses);
  for (const trace::Loss& loss : losses.items()) ADD_FAILURE() << loss.what;
  return trace;
}

void run_sql(const fs::path& file, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
}

std::vector<std::string> answer_of(const answers::Mode& mode, const trace::Trace& trace) {
  const analyze::SharedResults results(trace);
  return answer_lines(mode.answer({.trace = trace, .results = results}));
}

class WantedParts : public ::testing::TestWithParam<Workload> {
 protected:
  void SetUp() override {
    sim::JobOptions job{.workload = GetParam(),
                        .output = directory_ / "job",
                        .chip = *sim::find_chip("Ascend910B3"),
                        .ranks = 2,
                        .steps = 3};
    job.transformer = {.layers = 2, .hidden = 256, .heads = 4, .sequence = 64, .vocabulary = 512};
    job.inference = {.requests = 2, .prompt = 64, .decode = 2};
    job.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 2};
    job.parallel.data = 2;
    job.collection.level = sim::CollectionLevel::kLevel1;
    job.collection.memory = true;
    job.collection.mstx = true;
    job.framework.profile_memory = true;
    job.framework.with_stack = true;
    job.framework.record_shapes = true;
    ASSERT_TRUE(sim::run_job(job).ok());
    raw_ = load::discover(job.output)->profiles.front();
    ThreadPool pool(1);
    const report::ExportOptions options{.database = true, .output = directory_ / "results"};
    const trace::Trace trace = load_parts(raw_, trace::Parts::all());
    ASSERT_TRUE(report::export_framework(trace, options, pool).ok());
    for (const auto& entry : fs::directory_iterator(options.output)) {
      const fs::path& path = entry.path();
      if (!path.filename().native().starts_with("ascend_pytorch_profiler")) continue;
      database_ = load::discover(path)->profiles.front();
    }
    ASSERT_FALSE(database_.database.empty());
  }

  static void expect_same_answers(const load::Profile& profile) {
    const trace::Trace whole = load_parts(profile, trace::Parts::all());
    for (const answers::Mode* mode : answers::all_modes()) {
      SCOPED_TRACE(mode->name);
      const trace::Trace parts = load_parts(profile, mode->reads);
      EXPECT_EQ(answer_of(*mode, parts), answer_of(*mode, whole));
    }
  }

  TemporaryDirectory directory_;
  load::Profile raw_;
  load::Profile database_;
};

INSTANTIATE_TEST_SUITE_P(Simulated, WantedParts,
                         ::testing::Values(Workload::kTransformer, Workload::kGraphMode,
                                           Workload::kInference));

TEST_P(WantedParts, AreAllThatAnAnswerFromADatabaseDependsOn) { expect_same_answers(database_); }

TEST_P(WantedParts, AreAllThatAnAnswerFromRawDataDependsOn) { expect_same_answers(raw_); }

TEST_P(WantedParts, AreReadAloneFromADatabase) {
  const trace::Trace whole = load_parts(database_, trace::Parts::all());
  const trace::Trace least = load_parts(database_, {});
  EXPECT_EQ(least.framework_ops().size(), whole.framework_ops().size());
  EXPECT_FALSE(whole.result_metrics.columns.empty());
  EXPECT_TRUE(least.result_metrics.columns.empty());
  EXPECT_GT(whole.overlap_intervals().size(), 0U);
  EXPECT_EQ(least.overlap_intervals().size(), 0U);
  EXPECT_EQ(least.memory_events().size(), 0U);
  // Runs of graphs are joined with tasks by what details tell.
  if (GetParam() != Workload::kTransformer) return;
  EXPECT_GT(least.framework_ops().start_ns.size(), 0U);
  EXPECT_EQ(least.framework_ops().input_shapes.size(), 0U);
  EXPECT_LT(least.api_calls().size(), whole.api_calls().size());
  EXPECT_LT(least.dequeues().size(), whole.dequeues().size());
}

// Then calls and times alone say which operator launched what.
TEST_P(WantedParts, AreAllReadIfADatabaseDoesNotSayWhoLaunchedWhat) {
  run_sql(database_.database, "DELETE FROM CONNECTION_IDS");
  trace::Losses losses;
  const trace::Trace least = load_parts(database_, {}, losses);
  const trace::Trace whole = load_parts(database_, trace::Parts::all(), losses);
  EXPECT_EQ(least.framework_ops().input_shapes.size(), least.framework_ops().size());
  EXPECT_EQ(least.kernel_ops().size(), whole.kernel_ops().size());
}

}  // namespace
}  // namespace npuprof
