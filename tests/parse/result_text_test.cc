// Result files of the vendor's tools, from a real run and from generated profiles: what we compute
// from the timeline and the tables of kernels and memory must be what the vendor's other files say.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyze/operator_times.h"
#include "base/file.h"
#include "base/text.h"
#include "link/link.h"
#include "load/csv_reader.h"
#include "load/load_profile.h"
#include "report/result_files.h"
#include "shared_data.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"
#include "whole_tables.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::TemporaryDirectory;
using TextRow = std::map<std::string, std::string>;

// Rows of a CSV file by the names that columns have today. Numbers have one form.
std::vector<TextRow> rows_of(const fs::path& path) {
  static const std::map<std::string, std::string> kNewNames = {{"Block Dim", "Block Num"},
                                                               {"Mix Block Dim", "Mix Block Num"}};
  auto csv = load::CsvFile::open(path);
  EXPECT_TRUE(csv.ok()) << csv.error().message;
  std::vector<TextRow> rows;
  while (csv->next()) {
    TextRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < csv->header().size(); ++i) {
      const auto renamed = kNewNames.find(csv->header()[i]);
      const std::string& name = renamed != kNewNames.end() ? renamed->second : csv->header()[i];
      std::string cell(csv->cell(i));
      std::erase(cell, '\r');
      row[name] = cell == "HCCL" ? "COMMUNICATION" : cell == "hccl" ? "communication" : cell;
    }
  }
  return rows;
}

struct Comparison {
  std::string file;
  std::set<std::string> but = {};                      // Columns to leave out.
  std::map<std::string, double> tolerance = {};        // By column; else 0.0015 (times are in us).
  std::vector<std::string> key = {};                   // Rows are sorted by these first.
  std::function<bool(const TextRow&)> only = nullptr;  // Rows to compare.
  std::function<bool(std::size_t, const std::string&)> is_exempt = nullptr;  // Single cells.
};

class TextOfVendor : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const fs::path run = npuprof::testing::shared_data_path("data") / GetParam();
    if (!fs::exists(run)) GTEST_SKIP() << "no reference data at " << run;
    theirs_ = run / "ASCEND_PROFILER_OUTPUT";
    // Databases are preferred where there are some: here the text files are wanted.
    fs::create_directories(directory_ / "run_ascend_pt/ASCEND_PROFILER_OUTPUT");
    for (const auto& entry : fs::recursive_directory_iterator(run)) {
      const fs::path relative = fs::relative(entry.path(), run);
      const bool wanted = relative.native().find("mindstudio") == std::string::npos;
      if (!wanted || !entry.is_regular_file() || entry.path().extension() == ".db") continue;
      fs::create_symlink(entry.path(), directory_ / ("run_ascend_pt/" + relative.native()));
    }
    trace_ = load();
    link::link_all(trace_, nullptr);
    ours_ = directory_ / "again";
    ThreadPool pool(2);
    const report::ExportOptions options{.text = true, .output = ours_};
    const auto status = report::export_framework(trace_, options, pool);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }

  trace::Trace load() const {
    ThreadPool pool(2);
    trace::Losses losses;
    const auto found = load::discover(directory_ / "run_ascend_pt");
    EXPECT_TRUE(found.ok()) << found.error().message;
    auto trace = load::load_profile(found->profiles.front(), pool, losses);
    EXPECT_TRUE(trace.ok()) << trace.error().message;
    for (const trace::Loss& loss : losses.items()) ADD_FAILURE() << loss.file << ": " << loss.what;
    npuprof::testing::expect_whole_tables(*trace);
    return std::move(trace).value();
  }

  bool is_real() const { return GetParam().starts_with("real"); }
  bool is_level_0() const { return GetParam().find("level0") != std::string::npos; }

  void compare(const Comparison& what) {
    SCOPED_TRACE(what.file);
    auto ours = rows_of(ours_ / what.file);
    auto theirs = rows_of(theirs_ / what.file);
    const auto sort_key = [&](const TextRow& row) {
      std::vector<std::string> key;
      for (const std::string& column : what.key) key.push_back(row.at(column));
      return key;
    };
    for (auto* rows : {&ours, &theirs}) {
      if (what.only) std::erase_if(*rows, [&](const TextRow& row) { return !what.only(row); });
      if (what.key.empty()) continue;
      std::stable_sort(rows->begin(), rows->end(), [&](const TextRow& a, const TextRow& b) {
        return sort_key(a) < sort_key(b);
      });
    }
    ASSERT_EQ(ours.size(), theirs.size());
    EXPECT_FALSE(theirs.empty());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      for (const auto& [column, cell] : theirs[i]) {
        if (what.but.contains(column) || (what.is_exempt && what.is_exempt(i, column))) continue;
        ASSERT_TRUE(ours[i].contains(column)) << column;
        expect_cell(what, i, column, ours[i][column], cell);
        if (::testing::Test::HasFailure()) return;  // One row tells enough.
      }
    }
  }

  static void expect_cell(const Comparison& what, std::size_t row, const std::string& column,
                          const std::string& ours, const std::string& theirs) {
    const auto number = parse_number<double>(theirs);
    if (!number || !parse_number<double>(ours)) {
      EXPECT_EQ(ours, theirs) << "row " << row << ", " << column;
      return;
    }
    const auto found = what.tolerance.find(column);
    const double allowed = found != what.tolerance.end() ? found->second : 0.0015;
    // As whole nanoseconds: doubles cannot tell times of day apart.
    const auto difference = static_cast<double>(parse_scaled(ours, 3).value_or(0) -
                                                parse_scaled(theirs, 3).value_or(0));
    EXPECT_LE(std::abs(difference), allowed * 1000)
        << "row " << row << ", " << column << ": " << ours << " and " << theirs;
  }

  // Operators whose device times the vendor's files have wrong, and those around them.
  std::set<std::uint32_t> operators_with_other_times() const {
    std::set<std::uint32_t> parts(trace_.collective_tasks().task.begin(),
                                  trace_.collective_tasks().task.end());
    std::set<std::pair<std::uint32_t, std::uint32_t>> calls;
    std::set<std::uint32_t> operators;
    for (std::size_t i = 0; i < trace_.kernel_ops().size(); ++i) {
      const std::uint32_t task = trace_.kernel_ops().task[i];
      const std::uint32_t call = trace_.tasks().api[task];
      const bool is_further_task = call != trace::kNone && !parts.contains(task) &&
                                   !calls.insert({trace_.kernel_ops().op[i], call}).second;
      if (is_real() ? !is_further_task : !parts.contains(task)) continue;
      for (std::uint32_t op = trace_.kernel_ops().op[i]; op != trace::kNone;
           op = trace_.framework_ops().parent[op]) {
        operators.insert(op);
      }
    }
    return operators;
  }

  TemporaryDirectory directory_;
  fs::path theirs_;
  fs::path ours_;
  trace::Trace trace_;
};

// At level 0 there are neither host calls nor types of operators.
class TextWithHostCalls : public TextOfVendor {};

const std::vector<std::string> kLevel0Runs = {
    "real/text/level0/rank0_ascend_pt", "peer/gen_raw/level0/rank0", "peer/gen_raw/level0/rank1"};
const std::vector<std::string> kOtherRuns = {
    "real/text/level1/rank0_ascend_pt", "real/text/level1/rank1_ascend_pt",
    "peer/gen_raw/level1/rank0",        "peer/gen_raw/level1/rank1",
    "peer/gen_raw/level2/rank0",        "peer/gen_raw/level2/rank1"};
INSTANTIATE_TEST_SUITE_P(Level0, TextOfVendor, ::testing::ValuesIn(kLevel0Runs));
INSTANTIATE_TEST_SUITE_P(Others, TextOfVendor, ::testing::ValuesIn(kOtherRuns));
INSTANTIATE_TEST_SUITE_P(Others, TextWithHostCalls, ::testing::ValuesIn(kOtherRuns));

// They subtract times of day as doubles, whose steps are 0.25 us.
constexpr double kDoubleStep = 0.26;

TEST_P(TextOfVendor, StepTimesFollowFromTheTimeline) {
  compare({.file = "step_trace_time.csv",
           .tolerance = {{"Stage", kDoubleStep}, {"Preparing", kDoubleStep}}});
}

TEST_P(TextWithHostCalls, StatisticsFollowFromTheKernelsAndCalls) {
  // A duration is rounded once in the timeline and once in the table.
  constexpr double kSumOfRounding = 0.1;
  compare({.file = "op_statistic.csv",
           .tolerance = {{"Total Time(us)", kSumOfRounding}},
           .key = {"OP Type", "Core Type"}});
  compare({.file = "api_statistic.csv",
           .tolerance = {{"Time(us)", kSumOfRounding}, {"Variance", kSumOfRounding}},
           .key = {"Level", "API Name"}});
}

TEST_P(TextOfVendor, KernelsKeepTheirDescriptions) {
  // At level 0 the vendor shows the whole task of a MIX kernel, we the kernel itself.
  const auto is_no_mix_kernel = [&](const TextRow& row) {
    return is_real() || !is_level_0() || !row.at("Name").ends_with("_FlashAttentionScore");
  };
  compare({.file = "kernel_details.csv",
           .tolerance = {{"Wait Time(us)", kDoubleStep}},
           .only = is_no_mix_kernel});
}

TEST_P(TextOfVendor, MemoryIsPutTogetherAgain) {
  compare({.file = "memory_record.csv"});
  compare({.file = "operator_memory.csv", .key = {"Allocation Time(us)", "Name", "Size(KB)"}});
  compare({.file = "npu_module_mem.csv", .key = {"Timestamp(us)", "Component"}});
}

TEST_P(TextOfVendor, OperatorTimesFollowFromTheTimeline) {
  // In the real run they count the first task of a call that copies with several, in the generated
  // ones the first task of a collective.
  const auto with_other_times = operators_with_other_times();
  const auto operators = analyze::operators_by_start(trace_);
  Comparison what{.file = "operator_details.csv"};
  if (is_real()) {
    // That release counts vector cores as AI cores too.
    what.but = {"Device Self Duration With AICore(us)", "Device Total Duration With AICore(us)"};
    what.tolerance = {{"Device Self Duration(us)", 0.1}, {"Device Total Duration(us)", 0.1}};
  }
  what.is_exempt = [&](std::size_t row, const std::string& column) {
    return column.starts_with("Device") && with_other_times.contains(operators.at(row));
  };
  compare(what);
  EXPECT_LT(with_other_times.size() * 10, operators.size()) << "nearly all are compared";
}

// Times of day are doubles there, in steps of 0.25 us.
TEST_P(TextWithHostCalls, CommunicationFollowsFromTheTimeline) {
  const auto read = [](const fs::path& directory) {
    return nlohmann::json::parse(read_file(directory / "communication.json").value());
  };
  const nlohmann::json ours = read(ours_);
  const nlohmann::json theirs = read(theirs_);
  ASSERT_EQ(ours.size(), theirs.size());
  for (const auto& [step, classes] : theirs.items()) {
    for (const auto& [kind, ops] : classes.items()) {
      ASSERT_EQ(ours[step][kind].size(), ops.size()) << step << kind;
      for (const auto& [op, info] : ops.items()) {
        SCOPED_TRACE(op);
        ASSERT_TRUE(ours[step][kind].contains(op));
        const nlohmann::json& time = ours[step][kind][op]["Communication Time Info"];
        for (const auto& [column, value] : info["Communication Time Info"].items()) {
          const double allowed = column == "Start Timestamp(us)" ? kDoubleStep
                                 : column.ends_with("Ratio")     ? 0.0002
                                                                 : 3e-4;
          EXPECT_NEAR(time[column].get<double>(), value.get<double>(), allowed) << column;
        }
      }
    }
  }
}

// To each task that they lead to, and once to a collective.
TEST_P(TextOfVendor, ArrowsOfOperatorsAreAsMany) {
  if (!is_real()) GTEST_SKIP() << "generated: calls lead to several kernels, which have one arrow";
  const auto arrows = [](const fs::path& path) {
    const std::string text = read_file(path).value();
    std::size_t count = 0;
    for (std::size_t at = text.find("torch_to_npu"); at != std::string::npos;
         at = text.find("torch_to_npu", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(arrows(ours_ / "trace_view.json"), arrows(theirs_ / "trace_view.json"));
}

// Joins that we would make ourselves beside those that the files carry.
TEST_P(TextWithHostCalls, ArrowsLeadWhereOurJoinsLead) {
  trace::Trace joined = load();
  joined.kernel_ops() = {};
  joined.forward_backward() = {};
  link::link_all(joined, nullptr);
  std::map<std::uint32_t, std::uint32_t> op_of_kernel;
  for (std::size_t i = 0; i < joined.kernel_ops().size(); ++i) {
    op_of_kernel[joined.kernel_ops().task[i]] = joined.kernel_ops().op[i];
  }
  ASSERT_GT(trace_.kernel_ops().size(), 0u);
  for (std::size_t i = 0; i < trace_.kernel_ops().size(); ++i) {
    const std::uint32_t task = trace_.kernel_ops().task[i];
    if (trace_.tasks().kernel[task] == trace::kNone) continue;
    ASSERT_TRUE(op_of_kernel.contains(task)) << "task " << task;
    EXPECT_EQ(op_of_kernel[task], trace_.kernel_ops().op[i]) << "task " << task;
  }
  EXPECT_EQ(joined.forward_backward().forward, trace_.forward_backward().forward);
  EXPECT_EQ(joined.forward_backward().backward, trace_.forward_backward().backward);
}

TEST_P(TextOfVendor, OverlapFollowsFromTheKernels) {
  trace::Trace computed = load();
  computed.overlap_intervals() = {};
  link::link_all(computed, nullptr);
  const auto sums = [](const trace::Trace& trace) {
    std::vector<double> us(4);
    const auto& intervals = trace.overlap_intervals();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      us[intervals.kind[i]] +=
          static_cast<double>(intervals.end_ns[i] - intervals.start_ns[i]) / 1000;
    }
    return us;
  };
  const auto ours = sums(computed);
  const auto theirs = sums(trace_);
  // Each end may be rounded.
  constexpr double kSumOfRounding = 0.5;
  for (const auto kind : {trace::OverlapKind::kComputing, trace::OverlapKind::kCommunication,
                          trace::OverlapKind::kNotOverlapped}) {
    const auto i = static_cast<std::size_t>(kind);
    EXPECT_NEAR(ours[i], theirs[i], kSumOfRounding) << i;
  }
  const auto free = static_cast<std::size_t>(trace::OverlapKind::kFree);
  if (is_real()) {
    // That release counts from the first to the last kernel or collective, later ones all tasks.
    EXPECT_GE(ours[free], theirs[free] - kSumOfRounding);
  } else {
    EXPECT_NEAR(ours[free], theirs[free], kSumOfRounding);
  }
}

}  // namespace
}  // namespace npuprof
