// Tables of a simulated profile are the same whatever they are computed from: raw data, or a
// database, text files or the timeline that npuprof made of it. What a format cannot carry is
// listed by name, with the reason.

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "even_columns.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "parse/csv_table.h"
#include "parse/row_compare.h"
#include "report/result_files.h"
#include "sanitizers.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::Row;
using npuprof::testing::Rows;
using npuprof::testing::TemporaryDirectory;
using sim::CollectionLevel;
using sim::Workload;

enum Source : unsigned { kDatabase = 1, kText = 2, kTimeline = 4 };

// What results cannot carry. Neither columns nor `only`: the whole file is not compared.
struct Known {
  unsigned sources;
  const char* file;
  const char* reason;
  std::set<std::string> columns = {};  // That are not compared.
  std::set<std::string> only = {};     // No others are compared.
};

const std::vector<Known>& known_differences() {
  static const std::vector<Known> known = {
      {kDatabase,
       "kernel_details.csv",
       "it needs the clock of the device",
       {"cube_utilization(%)"}},
      {kTimeline, "memory_record.csv", "only what the device reports is shown"},
      {kTimeline, "npu_module_mem.csv", "components are not shown"},
      {kTimeline, "operator_memory.csv", "blocks are not shown"},
      {kTimeline, "op_statistic.csv", "types of operators are not shown"},
      {.sources = kTimeline,
       .file = "kernel_details.csv",
       .reason = "kernels are shown with their times, not with shapes and counters",
       .only = {"Step Id", "Device_id", "Name", "Start Time(us)", "Duration(us)", "Wait Time(us)"}},
  };
  return known;
}

void keep_columns(Rows& rows, const std::set<std::string>& columns) {
  for (Row& row : rows) {
    std::erase_if(row, [&](const auto& cell) { return !columns.contains(cell.first); });
  }
}

// Objects that hold plain values, as rows named by where they are.
void flat(const nlohmann::json& value, const std::string& path, Rows& rows) {
  Row row;
  for (const auto& [key, member] : value.items()) {
    if (member.is_structured()) {
      flat(member, path + "/" + key, rows);
    } else {
      row[key] = member.dump();
    }
  }
  if (row.empty()) return;
  row["object"] = path;
  rows.push_back(std::move(row));
}

Rows rows_of_table(const fs::path& path) {
  if (path.extension() == ".csv") return npuprof::testing::read_csv(path).rows;
  Rows rows;
  flat(nlohmann::json::parse(read_file(path).value()), "", rows);
  return rows;
}

std::set<std::string> tables_in(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    const bool is_timeline = name == "trace_view.json";
    if (name.ends_with(".csv") || (name.ends_with(".json") && !is_timeline)) names.insert(name);
  }
  return names;
}

using TableCase = std::pair<Workload, CollectionLevel>;

class SameTables : public ::testing::TestWithParam<TableCase> {
 protected:
  void SetUp() override {
    sim::JobOptions job{.workload = GetParam().first,
                        .output = directory_ / "job",
                        .chip = *sim::find_chip("Ascend910B3"),
                        .ranks = 2,
                        .steps = 3};
    job.transformer = {.layers = 2, .hidden = 256, .heads = 4, .sequence = 64, .vocabulary = 512};
    job.inference = {.requests = 2, .prompt = 64, .decode = 2};
    job.graph_mode = {.graphs = 2, .kernels_per_graph = 12, .recompile_every = 2};
    job.parallel.data = 2;
    job.collection.level = GetParam().second;
    if (!job.collection.operator_details()) job.collection.aic_metrics = {};
    job.collection.memory = true;
    job.collection.mstx = true;
    job.framework.profile_memory = true;
    job.framework.with_stack = true;
    job.framework.record_shapes = true;
    ASSERT_TRUE(sim::run_job(job).ok());
    const load::Profile profile = load::discover(job.output)->profiles.back();
    raw_ = profile.path;
    first_ = results("first");
    write(profile, first_, true);
  }

  // A folder as users keep it, without raw data.
  fs::path results(const std::string& name) {
    const fs::path folder = directory_ / (name + "_ascend_pt");
    fs::create_directories(folder);
    for (const auto& entry : fs::directory_iterator(raw_)) {
      if (entry.path().extension() == ".json") fs::copy(entry.path(), folder);
    }
    return folder / "ASCEND_PROFILER_OUTPUT";
  }

  static void write(const load::Profile& profile, const fs::path& output, bool database = false) {
    ThreadPool pool(2);
    trace::Losses losses;
    auto trace = load::load_profile(profile, pool, losses);
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    for (const trace::Loss& loss : losses.items()) ADD_FAILURE() << loss.file << ": " << loss.what;
    link::link_all(*trace, &pool);
    EXPECT_EQ(npuprof::testing::uneven_columns(*trace), "");
    const report::ExportOptions options{.text = true, .database = database, .output = output};
    const Status status = report::export_framework(*trace, options, pool);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }

  // Writes the tables again from some of the files and compares them with the first ones.
  void expect_same(Source source, const std::function<bool(const fs::path&)>& is_wanted) {
    const fs::path input = results("input" + std::to_string(source));
    fs::create_directories(input);
    for (const auto& entry : fs::directory_iterator(first_)) {
      if (is_wanted(entry.path())) fs::copy(entry.path(), input);
    }
    const bool is_timeline = source == kTimeline;
    const auto found =
        load::discover(is_timeline ? input / "trace_view.json" : input.parent_path());
    ASSERT_TRUE(found.ok()) << found.error().message;
    ASSERT_FALSE(found->profiles.front().has_raw_data());
    const fs::path again = directory_ / ("again" + std::to_string(source));
    write(found->profiles.front(), again);
    for (const std::string& table : tables_in(first_)) compare(source, table, again);
  }

  void compare(Source source, const std::string& table, const fs::path& again) const {
    SCOPED_TRACE(table);
    std::set<std::string> without;
    std::set<std::string> only;
    for (const Known& known : known_differences()) {
      if (known.file != table || (known.sources & source) == 0) continue;
      if (known.columns.empty() && known.only.empty()) return;
      without.insert(known.columns.begin(), known.columns.end());
      only.insert(known.only.begin(), known.only.end());
    }
    ASSERT_TRUE(fs::exists(again / table));
    Rows expected = rows_of_table(first_ / table);
    Rows rows = rows_of_table(again / table);
    for (Rows* const side : {&expected, &rows}) {
      for (Row& row : *side) {
        std::erase_if(row, [&](const auto& cell) { return without.contains(cell.first); });
      }
      if (!only.empty()) keep_columns(*side, only);
    }
    npuprof::testing::expect_same_rows(expected, rows, {});
  }

  TemporaryDirectory directory_;
  fs::path raw_;
  fs::path first_;
};

std::vector<TableCase> cases() {
  std::vector<TableCase> cases;
  for (const Workload workload :
       {Workload::kToy, Workload::kTransformer, Workload::kGraphMode, Workload::kInference}) {
    for (const CollectionLevel level :
         {CollectionLevel::kLevel0, CollectionLevel::kLevel1, CollectionLevel::kLevel2}) {
      if (npuprof::testing::kHasAddressSanitizer && level != CollectionLevel::kLevel1) continue;
      cases.emplace_back(workload, level);
    }
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Simulated, SameTables, ::testing::ValuesIn(cases()));

TEST_P(SameTables, FollowFromTheDatabase) {
  expect_same(kDatabase, [](const fs::path& path) {
    return path.filename().native().starts_with("ascend_pytorch_profiler");
  });
}

TEST_P(SameTables, FollowFromText) {
  expect_same(kText, [](const fs::path& path) { return path.extension() != ".db"; });
}

TEST_P(SameTables, FollowFromTheTimeline) {
  expect_same(kTimeline, [](const fs::path& path) { return path.filename() == "trace_view.json"; });
}

}  // namespace
}  // namespace npuprof
