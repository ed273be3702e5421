// Every question about every kind of input: an answer, or the reason why there is none. Damage
// takes nothing from that.

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "answers/compare_answer.h"
#include "answers/gate_answer.h"
#include "answers/mode.h"
#include "base/file.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "query/sql_session.h"
#include "report/result_files.h"
#include "sanitizers.h"
#include "shared_data.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::shared_data_path;
using npuprof::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ModeNames = std::set<std::string>;

// Of a path that may hold anything; nothing if it cannot be read, which is said.
std::optional<trace::Trace> load_any(const fs::path& path,
                                     trace::Parts wanted = trace::Parts::all()) {
  const auto found = load::discover(path);
  if (!found.ok()) {
    EXPECT_NE(found.error().message, "");
    return std::nullopt;
  }
  ThreadPool pool(1);
  trace::Losses losses;
  auto trace = load::load_profile(found->profiles.front(), pool, losses, wanted);
  if (!trace.ok()) {
    EXPECT_NE(trace.error().message, "");
    return std::nullopt;
  }
  link::link_all(*trace, &pool, wanted);
  return std::move(trace).value();
}

void expect_whole(const answers::Answer& answer) {
  EXPECT_FALSE(answer.tables.empty());
  for (const answers::Table& table : answer.tables) {
    for (const answers::Column& column : table.columns()) {
      EXPECT_EQ(column.size(), table.size()) << table.name() << "." << column.key;
    }
  }
}

// Whether it is an answer; else it has to be a reason.
bool is_answered(const Result<answers::Answer>& answer) {
  if (answer.ok()) {
    expect_whole(*answer);
    return true;
  }
  EXPECT_EQ(answer.error().code, ErrorCode::kNoData) << answer.error().message;
  EXPECT_GT(answer.error().message.size(), 10U);
  return false;
}

// The modes that have no answer.
ModeNames unanswered(const trace::Trace& trace) {
  ModeNames names;
  const analyze::SharedResults results(trace);
  for (const answers::Mode* mode : answers::all_modes()) {
    SCOPED_TRACE(mode->name);
    const answers::Request request{.trace = trace, .results = results};
    if (!is_answered(mode->answer(request))) names.emplace(mode->name);
  }
  return names;
}

// Compares it with another profile, both ways; whether there was something to compare.
bool is_comparable(const trace::Trace& one, const trace::Trace& other) {
  const analyze::SharedResults one_results(one);
  const analyze::SharedResults other_results(other);
  const answers::Request first{.trace = one, .results = one_results};
  const answers::Request second{.trace = other, .results = other_results};
  const bool is_compared = is_answered(answers::compare_profiles(first, second));
  EXPECT_EQ(is_answered(answers::compare_profiles(second, first)), is_compared);
  const auto judged = answers::gate_profiles(first, second, {});
  if (!judged.ok()) {
    EXPECT_EQ(judged.error().code, ErrorCode::kNoData) << judged.error().message;
  } else {
    expect_whole(answers::gate_answer(*judged));
    EXPECT_THAT(answers::gate_junit(*judged, "test"), ::testing::HasSubstr("</testsuite"));
  }
  return is_compared;
}

// Asks SQL for every table and view.
void expect_rows_in_sql(const trace::Trace& trace) {
  const analyze::SharedResults results(trace);
  auto session = query::SqlSession::open({.trace = trace, .results = results});
  ASSERT_TRUE(session.ok()) << session.error().message;
  session->set_limits({.rows = 100});
  for (const query::SqlName& name : session->names()) {
    const auto rows = session->ask("select * from \"" + name.name + "\"");
    ASSERT_TRUE(rows.ok()) << name.name << ": " << rows.error().message;
    if (name.rows) {
      EXPECT_EQ(rows->rows, *name.rows) << name.name;
    }
  }
}

// A step of PyTorch on a GPU, as its own profiler writes it.
constexpr const char* kGpuTimeline = R"({"schemaVersion": 1,
"deviceProperties": [{"id": 0, "name": "GPU", "totalGlobalMem": 1}],
"traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":9,"tid":9,"ts":1000.5,"dur":900},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":1010,"dur":50,"args":{"External id":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":1020,"dur":10,
 "args":{"External id":1,"correlation":7}},
{"ph":"X","cat":"kernel","name":"ampere_sgemm_128x64_nn","pid":0,"tid":7,"ts":1040.25,"dur":100,
 "args":{"External id":1,"device":0,"stream":7,"correlation":7}},
{"ph":"s","id":7,"pid":9,"tid":9,"ts":1020,"cat":"ac2g","name":"ac2g"},
{"ph":"f","id":7,"pid":0,"tid":7,"ts":1040.25,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":9,"tid":9,"ts":1100,"dur":40,"args":{"External id":2}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":1110,"dur":10,
 "args":{"External id":2,"correlation":8}},
{"ph":"X","cat":"kernel","name":"vectorized_elementwise_kernel","pid":0,"tid":7,"ts":1300,"dur":20,
 "args":{"External id":2,"device":0,"stream":7,"correlation":8}},
{"ph":"s","id":8,"pid":9,"tid":9,"ts":1110,"cat":"ac2g","name":"ac2g"},
{"ph":"f","id":8,"pid":0,"tid":7,"ts":1300,"cat":"ac2g","name":"ac2g","bp":"e"}
]})";

// One job as raw data and as all results that are made of it.
class EveryAnswer : public ::testing::Test {
 protected:
  static sim::JobOptions job_of(sim::Workload workload) {
    sim::JobOptions job{
        .workload = workload, .chip = *sim::find_chip("Ascend910B3"), .ranks = 2, .steps = 2};
    job.parallel.data = 2;
    job.transformer = {.layers = 2, .hidden = 256, .heads = 4, .sequence = 64, .vocabulary = 512};
    job.inference = {.requests = 2, .prompt = 64, .decode = 2};
    job.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 3};
    job.collection.mstx = true;
    job.collection.memory = true;
    job.framework.with_stack = true;
    job.framework.record_shapes = true;
    job.framework.profile_memory = true;
    return job;
  }

  void run(sim::JobOptions job) {
    job.output = directory_ / "job";
    ASSERT_TRUE(sim::run_job(job).ok());
    const load::Profile profile = load::discover(job.output)->profiles.front();
    raw_ = profile.path;
    cann_ = profile.cann.front().path;
    const auto trace = load_any(raw_);
    ASSERT_TRUE(trace);
    ThreadPool pool(1);
    const report::ExportOptions tables{.text = true, .output = directory_ / "text_ascend_pt/out"};
    fs::create_directories(tables.output.parent_path());
    ASSERT_TRUE(report::export_framework(*trace, tables, pool).ok());
    tables_ = tables.output;
    timeline_ = directory_ / "trace_view.json";
    fs::copy_file(tables_ / "trace_view.json", timeline_);
    const report::ExportOptions database{
        .text = false, .database = true, .output = directory_ / "db_ascend_pt/out"};
    fs::create_directories(database.output.parent_path());
    ASSERT_TRUE(report::export_framework(*trace, database, pool).ok());
    for (const auto& entry : fs::directory_iterator(database.output)) {
      if (entry.path().filename().native().starts_with("ascend_")) database_ = entry.path();
    }
    ASSERT_FALSE(database_.empty());
    gpu_ = directory_ / "gpu.pt.trace.json";
    ASSERT_TRUE(write_file(gpu_, kGpuTimeline).ok());
  }

  static ModeNames unanswered_at(const fs::path& path) {
    const auto trace = load_any(path);
    EXPECT_TRUE(trace) << path;
    if (!trace) return {"all"};
    expect_rows_in_sql(*trace);
    return unanswered(*trace);
  }

  TemporaryDirectory directory_;
  fs::path raw_;
  fs::path cann_;
  fs::path tables_;
  fs::path timeline_;
  fs::path database_;
  fs::path gpu_;
};

TEST_F(EveryAnswer, OfTrainingComesFromAllKindsOfInput) {
  run(job_of(sim::Workload::kTransformer));
  for (const fs::path& path : {raw_, database_, tables_}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(unanswered_at(path), ElementsAre("data_pipeline", "head_overhead", "serving"));
  }
  EXPECT_THAT(unanswered_at(timeline_),
              ElementsAre("data_pipeline", "head_overhead", "memory", "operator_mfu", "serving"));
  EXPECT_THAT(unanswered_at(cann_), ElementsAre("data_pipeline", "head_overhead", "memory",
                                                "module_statistic", "python", "serving"));
}

TEST_F(EveryAnswer, OfMindSporeComesFromAllKindsOfInput) {
  sim::JobOptions job = job_of(sim::Workload::kTransformer);
  job.program = sim::ProgramFramework::kMindSpore;
  job.data_process = true;
  run(job);
  for (const fs::path& path : {raw_, database_, tables_, timeline_}) {
    SCOPED_TRACE(path);
    const ModeNames names = unanswered_at(path);
    for (const char* mode : {"step_time", "idle", "kernels", "op_statistic", "api_statistic",
                             "communication", "advisor"}) {
      EXPECT_EQ(names.count(mode), 0U) << mode;
    }
  }
  EXPECT_EQ(unanswered_at(raw_).count("data_pipeline"), 0U);
  EXPECT_EQ(unanswered_at(database_).count("data_pipeline"), 0U);
}

TEST_F(EveryAnswer, OfGraphModeComesFromAllKindsOfInput) {
  run(job_of(sim::Workload::kGraphMode));
  for (const fs::path& path : {raw_, database_, tables_, timeline_}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(unanswered_at(path).count("head_overhead"), 0U);
  }
}

TEST_F(EveryAnswer, OfServingComesFromAllKindsOfInput) {
  run(job_of(sim::Workload::kInference));
  for (const fs::path& path : {raw_, database_, tables_, timeline_}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(unanswered_at(path).count("serving"), 0U);
  }
}

TEST_F(EveryAnswer, OfLittleDataIsAReason) {
  sim::JobOptions job = job_of(sim::Workload::kTransformer);
  job.collection.level = sim::CollectionLevel::kLevel0;
  job.collection.aic_metrics = {};
  job.collection.mstx = false;
  job.collection.memory = false;
  job.framework = {};
  run(job);
  for (const fs::path& path : {raw_, database_, tables_, timeline_}) {
    SCOPED_TRACE(path);
    const ModeNames names = unanswered_at(path);
    for (const char* mode : {"step_time", "idle", "kernels", "op_statistic", "advisor"}) {
      EXPECT_EQ(names.count(mode), 0U) << mode;
    }
    for (const char* mode : {"module_statistic", "memory", "python"}) {
      EXPECT_EQ(names.count(mode), 1U) << mode;
    }
  }
}

TEST_F(EveryAnswer, OfAGpuComesFromItsTimeline) {
  run(job_of(sim::Workload::kToy));
  const ModeNames names = unanswered_at(gpu_);
  for (const char* mode :
       {"step_time", "idle", "kernels", "op_statistic", "api_statistic", "host_lead", "advisor"}) {
    EXPECT_EQ(names.count(mode), 0U) << mode;
  }
}

TEST_F(EveryAnswer, OfNothingIsAReason) {
  const trace::Trace nothing;
  EXPECT_EQ(unanswered(nothing).size(), answers::all_modes().size());
  EXPECT_FALSE(is_comparable(nothing, nothing));
  expect_rows_in_sql(nothing);
}

TEST_F(EveryAnswer, ComparesEachKindOfInputWithEachOther) {
  run(job_of(sim::Workload::kTransformer));
  const std::vector<fs::path> paths = {raw_, cann_, database_, tables_, timeline_, gpu_};
  std::vector<trace::Trace> traces;
  for (const fs::path& path : paths) traces.push_back(load_any(path).value());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (std::size_t j = i; j < paths.size(); ++j) {
      SCOPED_TRACE(paths[i].native() + " " + paths[j].native());
      EXPECT_TRUE(is_comparable(traces[i], traces[j]));
    }
  }
}

TEST_F(EveryAnswer, OfRealProfilesIsAnAnswerOrAReason) {
  const fs::path real = shared_data_path("data/real");
  if (!fs::exists(real)) GTEST_SKIP() << "no reference data";
  // Under sanitizers they take a minute.
  std::vector<const char*> parts = {"db/level1", "gpu_chrome_trace"};
  if (!npuprof::testing::kHasAddressSanitizer) {
    parts.insert(parts.end(), {"db/level0", "text/level0", "text/level1"});
  }
  std::vector<trace::Trace> traces;
  for (const char* part : parts) {
    SCOPED_TRACE(part);
    const auto found = load::discover(real / part);
    ASSERT_TRUE(found.ok()) << found.error().message;
    traces.push_back(load_any(found->profiles.front().path).value());
    expect_rows_in_sql(traces.back());
    const ModeNames names = unanswered(traces.back());
    for (const char* mode :
         {"step_time", "idle", "kernels", "op_statistic", "api_statistic", "advisor"}) {
      EXPECT_EQ(names.count(mode), 0U) << mode;
    }
  }
  for (std::size_t i = 0; i < traces.size(); ++i) {
    EXPECT_TRUE(is_comparable(traces[i], traces[(i + 1) % traces.size()]));
  }
}

// Damages one of the files below a path in one of several ways, and puts it back.
class Damage {
 public:
  Damage(const fs::path& path, std::mt19937& random) {
    std::vector<fs::path> files;
    if (fs::is_regular_file(path))
      files.push_back(path);
    else {
      for (const auto& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());
    file_ = files[random() % files.size()];
    content_ = read_file(file_).value();
    EXPECT_TRUE(write_file(file_, damaged(random)).ok());
  }
  Damage(const Damage&) = delete;
  Damage& operator=(const Damage&) = delete;
  ~Damage() { EXPECT_TRUE(write_file(file_, content_).ok()); }

  const fs::path& file() const { return file_; }

 private:
  std::string damaged(std::mt19937& random) const {
    if (content_.empty()) return "x";
    std::string text = content_;
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text.resize(at);
        break;
      case 1:
        for (std::size_t i = at; i < std::min(at + 4096, text.size()); ++i) text[i] = '\0';
        break;
      case 2:
        text.erase(at, 1 + random() % 100);
        break;
      default:
        for (int i = 0; i < 20; ++i) text[random() % text.size()] = static_cast<char>(random());
    }
    return text;
  }

  fs::path file_;
  std::string content_;
};

TEST_F(EveryAnswer, OfDamagedDataIsAnAnswerOrAReason) {
  constexpr int kRounds = npuprof::testing::kHasAddressSanitizer ? 2 : 40;
  run(job_of(sim::Workload::kTransformer));
  const trace::Trace whole = load_any(database_).value();
  std::mt19937 random(14);
  for (const fs::path& path : {raw_, database_, tables_, timeline_, gpu_}) {
    for (int round = 0; round < kRounds; ++round) {
      const Damage damage(path, random);
      SCOPED_TRACE(damage.file().native() + ", round " + std::to_string(round));
      const auto trace = load_any(path);
      if (!trace) continue;
      unanswered(*trace);
      is_comparable(whole, *trace);
      expect_rows_in_sql(*trace);
    }
  }
}

}  // namespace
}  // namespace npuprof
