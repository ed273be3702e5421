// Our result files beside those of the vendor's parsers for the same raw directories. The reference
// data is not part of the project: without it these tests are skipped.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/export.h"
#include "report/sqlite/sqlite_query.h"
#include "shared_data.h"
#include "temporary_directory.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::TemporaryDirectory;

// The parts of a line between commas that are not quoted.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

// Rows of a CSV file; a quoted cell may hold line ends.
std::vector<std::vector<std::string>> rows_of(const fs::path& path) {
  const auto text = read_file(path);
  EXPECT_TRUE(text.ok()) << path;
  std::vector<std::vector<std::string>> rows;
  std::string line;
  bool quoted = false;
  for (const char c : text.value()) {
    if (c == '"') quoted = !quoted;
    if (c == '\r' && !quoted) continue;
    if (c == '\n' && !quoted) {
      rows.push_back(cells_of(line));
      line.clear();
    } else {
      line += c;
    }
  }
  return rows;
}

// A number, or -1 for what is none.
double number(const std::string& cell) { return parse_number<double>(cell).value_or(-1); }

class VendorResults : public ::testing::TestWithParam<int> {
 protected:
  // Makes the raw directories that the reference was made from, parses them, and sets `ours_` and
  // `theirs_` to the results of rank 0.
  void SetUp() override {
    const fs::path shared = npuprof::testing::shared_data_path("");
    const std::string level = std::to_string(GetParam());
    theirs_ = shared / "data/peer/gen_raw" / ("level" + level) / "rank0/ASCEND_PROFILER_OUTPUT";
    if (!fs::exists(shared / "tools/gen_raw.py") || !fs::exists(theirs_)) {
      GTEST_SKIP() << "no reference data at " << shared;
    }
    std::string command =
        "python3 '" + (shared / "tools/gen_raw.py").native() + "' '" +
        (directory_ / "raw").native() +
        "' --steps 2 --ops-per-step 40 --kernels-per-op 2 --ranks 2 --hccl-per-step 3 --level " +
        level;
    if (GetParam() == 1) command += " --python-trace --with-stack";
    ASSERT_EQ(std::system((command + " >/dev/null").c_str()), 0);
    const auto found = load::discover(directory_ / "raw");
    ASSERT_TRUE(found.ok()) << found.error().message;
    ThreadPool pool(2);
    trace::Losses losses;
    trace::Trace trace = load::load_profile(found->profiles.front(), pool, losses).value();
    EXPECT_TRUE(losses.empty());
    link::link_all(trace, &pool);
    ours_ = directory_ / "results";
    const report::ExportOptions options{.text = true, .database = true, .output = ours_};
    const auto status = report::export_framework(trace, options, pool);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }

  // Compares all cells but those of the columns named.
  void expect_equal(const std::string& file, const std::vector<std::string>& but = {}) {
    SCOPED_TRACE(file);
    const auto theirs = rows_of(theirs_ / file);
    const auto ours = rows_of(ours_ / file);
    ASSERT_EQ(ours.size(), theirs.size());
    ASSERT_FALSE(ours.empty());
    ASSERT_EQ(ours.front(), theirs.front());
    for (std::size_t row = 1; row < ours.size(); ++row) {
      ASSERT_EQ(ours[row].size(), theirs[row].size()) << "row " << row;
      for (std::size_t column = 0; column < ours[row].size(); ++column) {
        const std::string& name = ours.front()[column];
        if (std::find(but.begin(), but.end(), name) != but.end()) continue;
        if (is_mix_kernel_of_level0(ours[row])) continue;
        // Metrics are rounded to 0.001 by both; theirs rounds the decimal, ours the binary number.
        if (name.starts_with("aic_") || name.starts_with("aiv_")) {
          EXPECT_NEAR(number(ours[row][column]), number(theirs[row][column]), 0.00101)
              << "row " << row << ", " << name;
          continue;
        }
        EXPECT_EQ(ours[row][column], theirs[row][column]) << "row " << row << ", " << name;
      }
    }
  }

  // At level 0 the vendor shows the whole task of a MIX kernel, we the kernel itself.
  bool is_mix_kernel_of_level0(const std::vector<std::string>& row) const {
    return GetParam() == 0 && std::any_of(row.begin(), row.end(), [](const std::string& cell) {
             return cell.ends_with("_FlashAttentionScore_FlashAttentionScore");
           });
  }

  TemporaryDirectory directory_;
  fs::path theirs_;
  fs::path ours_;
};
INSTANTIATE_TEST_SUITE_P(Level, VendorResults, ::testing::Values(0, 1, 2));

TEST_P(VendorResults, TablesHaveTheSameCells) {
  // Their waits are differences of doubles and off by up to 0.25 us.
  expect_equal("kernel_details.csv", {"Wait Time(us)"});
  expect_equal("task_time.csv");
  expect_equal("operator_memory.csv");
  expect_equal("npu_module_mem.csv");
  if (GetParam() == 2) expect_equal("data_preprocess.csv", {"Timestamp(us)"});  // As above.
  if (GetParam() > 0) {
    expect_equal("op_statistic.csv");
    expect_equal("api_statistic.csv");
  }
}

TEST_P(VendorResults, StepTimesAgreeWithinTheirRounding) {
  const auto theirs = rows_of(theirs_ / "step_trace_time.csv");
  const auto ours = rows_of(ours_ / "step_trace_time.csv");
  ASSERT_EQ(ours.size(), theirs.size());
  ASSERT_EQ(ours.front(), theirs.front());
  for (std::size_t row = 1; row < ours.size(); ++row) {
    for (std::size_t column = 0; column < ours[row].size(); ++column) {
      EXPECT_NEAR(std::stod(ours[row][column]), std::stod(theirs[row][column]), 0.26)
          << "row " << row << ", " << ours.front()[column];
    }
  }
}

// Counters as "layer: counter/series = value", without times: theirs are rounded to 256 ns. All
// theirs are in one event, ours too.
std::multiset<std::string> counters_of(const fs::path& path) {
  const auto events = nlohmann::json::parse(read_file(path).value());
  std::map<std::uint64_t, std::string> layers;
  for (const auto& event : events) {
    if (event["name"] == "process_name") layers[event["pid"]] = event["args"]["name"];
  }
  std::multiset<std::string> counters;
  for (const auto& event : events) {
    if (event["ph"] != "C") continue;
    const std::string layer = layers.at(event["pid"]);
    for (const auto& [series, value] : event["args"].items()) {
      std::string text = layer + ": " + event["name"].get<std::string>() + "/" + series;
      // There is one sample of each, too few for a rate; they show the count itself.
      if (layer != "HBM") text += " = " + std::to_string(value.get<double>());
      counters.insert(text);
    }
  }
  return counters;
}

TEST_P(VendorResults, CountersAreTheSame) {
  const auto ours = counters_of(ours_ / "trace_view.json");
  std::multiset<std::string> theirs = counters_of(theirs_ / "trace_view.json");
  // They write each change of the frequency several times.
  EXPECT_EQ(std::set(ours.begin(), ours.end()), std::set(theirs.begin(), theirs.end()));
  EXPECT_EQ(ours.count("AI Core Freq: AI Core Freq/MHz = 1800.000000"), 3u);
  EXPECT_EQ(ours.count("HBM: HBM 3/Write/Write(MB/s)"), 1u);
}

TEST_P(VendorResults, SampleTablesAreTheSame) {
  using npuprof::testing::query;
  const std::string name = "ascend_pytorch_profiler_0.db";
  for (const std::string sql :
       {"SELECT DISTINCT deviceId, timestampNs, freq, dieId FROM AICORE_FREQ ORDER BY 2",
        "SELECT moduleId, timestampNs, totalReserved, deviceId FROM NPU_MODULE_MEM ORDER BY 1",
        "SELECT value, ddr, hbm, deviceId FROM NPU_MEM JOIN STRING_IDS ON type = id ORDER BY 1",
        "SELECT value, timestamp, totalAllocated, totalReserved, totalActive, streamPtr, deviceId "
        "FROM MEMORY_RECORD JOIN STRING_IDS ON component = id ORDER BY 2, 1, 3, 4, 5",
        "SELECT deviceId, hbmId, value FROM HBM JOIN STRING_IDS ON type = id ORDER BY 2, 3",
        "SELECT m.name, p.name, p.type FROM sqlite_master m, pragma_table_info(m.name) p WHERE "
        "m.name IN ('AICORE_FREQ', 'NPU_MODULE_MEM', 'NPU_MEM', 'HBM', 'MEMORY_RECORD', "
        "'OP_MEMORY') ORDER BY 1, p.cid"}) {
    const auto theirs = query(theirs_ / name, sql);
    EXPECT_FALSE(theirs.empty()) << sql;
    EXPECT_EQ(query(ours_ / name, sql), theirs) << sql;
  }
}

}  // namespace
}  // namespace npuprof
