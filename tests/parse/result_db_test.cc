// Databases that the vendor's tools wrote, loaded and written again: the same rows in every table
// that we write.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analyze/communication.h"
#include "analyze/step_time.h"
#include "base/file.h"
#include "database_rows.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "report/sqlite/database.h"
#include "shared_data.h"
#include "temporary_directory.h"
#include "trace/device/frequencies.h"
#include "whole_tables.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::DatabaseRows;
using npuprof::testing::expect_same_rows;
using npuprof::testing::TemporaryDirectory;

trace::Trace load_linked(const fs::path& path) {
  ThreadPool pool(2);
  trace::Losses losses;
  const auto found = load::discover(path);
  EXPECT_TRUE(found.ok()) << found.error().message;
  auto trace = load::load_profile(found->profiles.front(), pool, losses);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  for (const trace::Loss& loss : losses.items()) ADD_FAILURE() << loss.file << ": " << loss.what;
  npuprof::testing::expect_whole_tables(*trace);
  link::link_all(*trace, &pool);
  return std::move(trace).value();
}

class DatabaseOfVendor : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const fs::path path = npuprof::testing::shared_data_path("data") / GetParam();
    if (!fs::exists(path)) GTEST_SKIP() << "no reference data at " << path;
    trace_ = load_linked(path);
    ThreadPool pool(2);
    const fs::path again = directory_ / "again.db";
    const auto status = report::sqlite::write_database(trace_, again, pool);
    ASSERT_TRUE(status.ok()) << status.error().message;
    theirs_ = std::make_unique<DatabaseRows>(path);
    ours_ = std::make_unique<DatabaseRows>(again);
    is_old_ = !theirs_->query("SELECT * FROM META_DATA WHERE value = '1.0.0'").empty();
  }

  std::set<std::string> unlike_old_names() const {
    return is_old_ ? std::set<std::string>{"name"} : std::set<std::string>{};
  }

  TemporaryDirectory directory_;
  trace::Trace trace_;
  std::unique_ptr<DatabaseRows> theirs_;
  std::unique_ptr<DatabaseRows> ours_;
  bool is_old_ = false;
};

// The vendor puts analysis.db beside the databases of frameworks only.
class DatabaseWithStepTimes : public DatabaseOfVendor {};

std::vector<std::string> framework_databases() {
  const std::string file = "/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_";
  std::vector<std::string> paths = {"real/db/level0/rank0_ascend_pt" + file + "0.db",
                                    "real/db/level1/rank0_ascend_pt" + file + "0.db",
                                    "real/db/level1/rank1_ascend_pt" + file + "1.db"};
  for (const std::string level : {"0", "1", "2"}) {
    for (const std::string rank : {"0", "1"}) {
      paths.push_back("peer/gen_raw/level" + level + "/rank" + rank + file + rank + ".db");
    }
  }
  return paths;
}
std::vector<std::string> cann_databases() {
  std::vector<std::string> paths;
  for (const std::string level : {"0", "1", "2"}) {
    for (const std::string rank : {"0", "1"}) {
      paths.push_back("peer/gen_raw/level" + level + "/rank" + rank + "/msprof.db");
    }
  }
  return paths;
}
INSTANTIATE_TEST_SUITE_P(Framework, DatabaseOfVendor, ::testing::ValuesIn(framework_databases()));
INSTANTIATE_TEST_SUITE_P(Cann, DatabaseOfVendor, ::testing::ValuesIn(cann_databases()));
INSTANTIATE_TEST_SUITE_P(Framework, DatabaseWithStepTimes,
                         ::testing::ValuesIn(framework_databases()));

TEST_P(DatabaseOfVendor, HasTheSameRowsAfterLoadingAndWriting) {
  expect_same_rows(*ours_, *theirs_, "SESSION_TIME_INFO");
  expect_same_rows(*ours_, *theirs_, "NPU_INFO");
  expect_same_rows(*ours_, *theirs_, "HOST_INFO");
  expect_same_rows(*ours_, *theirs_, "RANK_DEVICE_MAP");
  expect_same_rows(*ours_, *theirs_, "CANN_API", {"connectionId"});
  expect_same_rows(*ours_, *theirs_, "TASK");
  // The first schema has the number of blocks in blockDim, the later one their shape.
  // Attributes that were not collected are an empty text in some versions, N/A in others.
  expect_same_rows(*ours_, *theirs_, "COMPUTE_TASK_INFO", {"blockDim", "attrInfo"});
  expect_same_rows(*ours_, *theirs_, "TASK_PMU_INFO");
  expect_same_rows(*ours_, *theirs_, "COMMUNICATION_OP", {"opId"});
  // Where the size is not known, their bandwidth is that of -1 bytes. The first schema has the
  // greatest number in notifyId where there is none, later ones -1.
  expect_same_rows(*ours_, *theirs_, "COMMUNICATION_TASK_INFO", {"bandwidth", "notifyId"});
  expect_same_rows(*ours_, *theirs_, "COMMUNICATION_TASK_INFO", {"notifyId"}, "size >= 0");
  expect_same_rows(*ours_, *theirs_, "COMMUNICATION_TASK_INFO", {"bandwidth"},
                   "notifyId BETWEEN 0 AND 4294967295");
  expect_same_rows(*ours_, *theirs_, "MEMCPY_INFO", {}, "size <> 0");
  expect_same_rows(*ours_, *theirs_, "NPU_MEM");
  expect_same_rows(*ours_, *theirs_, "NPU_MODULE_MEM");
  const std::string names =
      "SELECT DISTINCT id || name FROM NPU_MODULE_MEM JOIN ENUM_MODULE ON moduleId = id";
  if (!theirs_->columns("NPU_MODULE_MEM").empty()) {
    EXPECT_EQ(ours_->query(names), theirs_->query(names));
  }
  expect_same_rows(*ours_, *theirs_, "NPU_OP_MEM");
  for (const char* table : {"HBM", "LLC", "DDR", "ACC_PMU", "SOC_BANDWIDTH_LEVEL", "QOS", "HCCS",
                            "PCIE", "NIC", "ROCE", "SIO", "CPU_USAGE", "HOST_MEM_USAGE"}) {
    expect_same_rows(*ours_, *theirs_, table);
  }
  expect_same_rows(*ours_, *theirs_, "STEP_TIME");
  expect_same_rows(*ours_, *theirs_, "GC_RECORD");
  // Enqueues were not named after their task then.
  expect_same_rows(*ours_, *theirs_, "PYTORCH_API", unlike_old_names());
  expect_same_rows(*ours_, *theirs_, "PYTORCH_API", {}, "type <> 50002");
  expect_same_rows(*ours_, *theirs_, "OP_MEMORY");
  expect_same_rows(*ours_, *theirs_, "MEMORY_RECORD");
  if (!is_old_) expect_same_rows(*ours_, *theirs_, "OVERLAP_ANALYSIS", {"id"});
}

// The first schema has them in another column.
TEST_P(DatabaseOfVendor, KeepsBlockCounts) {
  const std::string rest = ", count(*) FROM COMPUTE_TASK_INFO GROUP BY 1";
  const auto theirs = theirs_->query((is_old_ ? "SELECT blockDim" : "SELECT blockNum") + rest);
  EXPECT_FALSE(theirs.empty());
  EXPECT_EQ(ours_->query("SELECT blockNum" + rest), theirs);
}

TEST_P(DatabaseOfVendor, ListsFrequenciesOnce) {
  const std::string sql = "SELECT DISTINCT deviceId, timestampNs, freq FROM AICORE_FREQ";
  EXPECT_EQ(ours_->query(sql), theirs_->query(sql));
  EXPECT_EQ(ours_->query(sql).size(), trace_.frequencies().size());
}

// Step times in analysis.db, which the vendor computed from the same tables.
TEST_P(DatabaseWithStepTimes, AreThoseOfTheVendor) {
  const fs::path analysis =
      (npuprof::testing::shared_data_path("data") / GetParam()).parent_path() / "analysis.db";
  ASSERT_TRUE(fs::exists(analysis)) << analysis;
  const DatabaseRows theirs(analysis);
  const auto steps = analyze::step_times(trace_);
  ASSERT_EQ(theirs.query("SELECT step FROM StepTraceTime").size(), steps.size());
  for (const analyze::StepTime& step : steps) {
    const std::string where =
        " FROM StepTraceTime WHERE step = '" + std::to_string(step.step.value_or(0)) + "'";
    const auto value = [&](const char* column) {
      const auto rows = theirs.query(std::string("SELECT ") + column + where);
      return rows.size() == 1 ? std::stod(*rows.begin()) * 1000 : -1;
    };
    const auto ns = [](std::int64_t time) { return static_cast<double>(time); };
    EXPECT_NEAR(ns(step.computing_ns), value("computing"), 1);
    EXPECT_NEAR(ns(step.communication_ns), value("communication"), 1);
    EXPECT_NEAR(ns(step.not_overlapped_ns), value("communication_not_overlapped"), 1);
    EXPECT_NEAR(ns(step.overlapped_ns()), value("overlapped"), 1);
    EXPECT_NEAR(ns(step.preparing_ns), value("preparing"), 1);
    // Theirs ends with the last kernel or collective of the step, ours with the last task.
    EXPECT_GE(ns(step.free_ns), value("free") - 1);
    EXPECT_NEAR(ns(step.free_ns) - value("free"), ns(step.stage_ns) - value("stage"), 2);
  }
}

// Times of collectives there. Not when they began: in the real run both files used different
// clocks.
TEST_P(DatabaseWithStepTimes, CommunicationTimesAreThoseOfTheVendor) {
  const fs::path analysis =
      (npuprof::testing::shared_data_path("data") / GetParam()).parent_path() / "analysis.db";
  const DatabaseRows theirs(analysis);
  const auto ops = analyze::communication_ops(trace_);
  if (GetParam().find("level0") != std::string::npos) {
    EXPECT_TRUE(ops.empty());
    return;
  }
  EXPECT_FALSE(ops.empty());
  for (const analyze::CommunicationOp& op : ops) {
    SCOPED_TRACE(op.name);
    const auto cell = [&](const char* column) -> std::string {
      const auto rows =
          theirs.query(std::string("SELECT ") + column +
                       " FROM CommAnalyzerTime WHERE hccl_op_name = '" + op.name + "'");
      return rows.size() == 1 ? *rows.begin() : "-1";
    };
    const auto value = [&](const char* column) { return std::stod(cell(column)); };
    // Generated profiles have other ids than those that follow from the names.
    if (GetParam().starts_with("real")) {
      EXPECT_EQ(cell("group_name"), op.group);
    }
    EXPECT_NEAR(op.time.elapse_ms, value("elapse_time"), 1e-5);
    EXPECT_NEAR(op.time.transit_ms, value("transit_time"), 1e-5);
    EXPECT_NEAR(op.time.wait_ms, value("wait_time"), 1e-5);
    EXPECT_NEAR(op.time.synchronization_ms, value("synchronization_time"), 1e-5);
    EXPECT_NEAR(op.time.idle_ms, value("idle_time"), 1e-5);
  }
}

TEST_P(DatabaseOfVendor, IsNotChanged) {
  const fs::path path = npuprof::testing::shared_data_path("data") / GetParam();
  const fs::path copy = directory_ / "ascend_pytorch_profiler_7.db";
  fs::copy_file(path, copy);
  const std::string before = read_file(copy).value();
  load_linked(copy);
  EXPECT_EQ(read_file(copy).value(), before);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory_.path())) {
    names.insert(entry.path().filename());
  }
  EXPECT_EQ(names, (std::set<std::string>{"again.db", "ascend_pytorch_profiler_7.db"}));
}

}  // namespace
}  // namespace npuprof
