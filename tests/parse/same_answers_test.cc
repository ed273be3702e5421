// One profile as raw data, as a database and as text: all answers are equal, as far as these hold
// the same.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analyze/profile_parts.h"
#include "answers/mode.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "parse/answer_lines.h"
#include "report/result_files.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::answer_lines;
using npuprof::testing::TemporaryDirectory;
using sim::Workload;
using LeftOut = std::set<std::string_view>;

// Rows of tables in memory have other numbers in each of them.
const std::set<std::string, std::less<>> kRowNumbers = {"task", "evidence_row"};

trace::Trace load_at(const fs::path& path) {
  ThreadPool pool(1);
  trace::Losses losses;
  trace::Trace trace =
      load::load_profile(load::discover(path)->profiles.front(), pool, losses).value();
  for (const trace::Loss& loss : losses.items()) ADD_FAILURE() << loss.what;
  link::link_all(trace, &pool);
  return trace;
}

class SameAnswers : public ::testing::Test {
 protected:
  static sim::JobOptions job_of(Workload workload) {
    sim::JobOptions job{.workload = workload,
                        .chip = *sim::find_chip("Ascend910B3"),
                        .ranks = workload == Workload::kTransformer ? 2U : 1U,
                        .steps = 3};
    job.transformer = {.layers = 2, .hidden = 256, .heads = 4, .sequence = 64, .vocabulary = 512};
    job.inference = {.requests = 2, .prompt = 64, .decode = 3};
    job.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 2};
    if (workload == Workload::kTransformer) job.parallel.data = 2;
    job.collection.mstx = true;
    job.collection.memory = true;
    job.framework.with_stack = true;
    job.framework.record_shapes = true;
    job.framework.profile_memory = true;
    return job;
  }

  // Results lie beside the raw data, as users have them: the facts of the device are read there.
  void run(sim::JobOptions job) {
    job.output = directory_ / "job";
    ASSERT_TRUE(sim::run_job(job).ok());
    const fs::path raw = load::discover(job.output)->profiles.front().path;
    raw_ = load_at(raw);
    ThreadPool pool(1);
    const fs::path results = raw / "ASCEND_PROFILER_OUTPUT";
    ASSERT_TRUE(report::export_framework(raw_, {.text = true, .output = results}, pool).ok());
    text_ = load_at(results);
    fs::remove_all(results);
    ASSERT_TRUE(
        report::export_framework(raw_, {.text = false, .database = true, .output = results}, pool)
            .ok());
    database_ = load_at(results);
  }

  static std::vector<std::string> lines(const answers::Mode& mode, const trace::Trace& trace) {
    const analyze::SharedResults results(trace);
    return answer_lines(mode.answer({.trace = trace, .results = results}), kRowNumbers);
  }

  // What comparisons, gates and tables of kernels know of modules.
  static std::vector<std::string> modules_of(const trace::Trace& trace) {
    std::vector<std::string> lines;
    for (const analyze::PartSeries& module : analyze::profile_parts(trace).modules) {
      lines.push_back(
          fmt::format("{}: {} times, {} ns", module.key, module.total_count(), module.total_ns()));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  void expect_same_modules() const {
    const std::vector<std::string> from_raw = modules_of(raw_);
    EXPECT_GT(from_raw.size(), 5U);
    EXPECT_EQ(modules_of(database_), from_raw) << "from the database";
    EXPECT_EQ(modules_of(text_), from_raw) << "from text";
  }

  void expect_same(const LeftOut& not_in_database, const LeftOut& not_in_text) const {
    for (const answers::Mode* mode : answers::all_modes()) {
      SCOPED_TRACE(mode->name);
      const auto from_raw = lines(*mode, raw_);
      if (!not_in_database.contains(mode->name)) {
        EXPECT_EQ(lines(*mode, database_), from_raw) << "from the database";
      }
      if (!not_in_text.contains(mode->name)) {
        EXPECT_EQ(lines(*mode, text_), from_raw) << "from text";
      }
    }
  }

  TemporaryDirectory directory_;
  trace::Trace raw_;
  trace::Trace database_;
  trace::Trace text_;
};

// Tables of kernels have three digits of what the advisor goes by.
TEST_F(SameAnswers, OfTraining) {
  run(job_of(Workload::kTransformer));
  expect_same({}, {"advisor"});
  expect_same_modules();
}

// It says itself what the peaks of its devices follow from.
TEST_F(SameAnswers, OfADatabaseFarFromItsRawData) {
  sim::JobOptions job = job_of(Workload::kTransformer);
  job.output = directory_ / "job";
  ASSERT_TRUE(sim::run_job(job).ok());
  raw_ = load_at(load::discover(job.output)->profiles.front().path);
  ThreadPool pool(1);
  const fs::path results = directory_ / "elsewhere";
  ASSERT_TRUE(
      report::export_framework(raw_, {.text = false, .database = true, .output = results}, pool)
          .ok());
  database_ = load_at(results);
  for (const answers::Mode* mode : answers::all_modes()) {
    if (mode->name != "operator_mfu" && mode->name != "module_statistic") continue;
    EXPECT_EQ(lines(*mode, database_), lines(*mode, raw_)) << mode->name;
  }
}

TEST_F(SameAnswers, OfGraphMode) {
  run(job_of(Workload::kGraphMode));
  expect_same({}, {"advisor"});
}

TEST_F(SameAnswers, OfServing) {
  run(job_of(Workload::kInference));
  expect_same({}, {"advisor"});
}

// Tables leave out moments of the pool in which only what is in use changes, and text has no queues
// of the data pipeline.
TEST_F(SameAnswers, OfMindSpore) {
  sim::JobOptions job = job_of(Workload::kTransformer);
  job.program = sim::ProgramFramework::kMindSpore;
  job.data_process = true;
  run(job);
  expect_same({"memory"}, {"memory", "advisor", "data_pipeline"});
  expect_same_modules();
}

// At level 0 text has no calls of the host.
TEST_F(SameAnswers, OfLittleData) {
  sim::JobOptions job = job_of(Workload::kTransformer);
  job.collection.level = sim::CollectionLevel::kLevel0;
  job.collection.aic_metrics = {};
  run(job);
  expect_same({}, {"advisor", "idle", "host_lead", "api_statistic"});
}

}  // namespace
}  // namespace npuprof
