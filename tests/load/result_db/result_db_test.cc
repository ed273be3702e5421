#include "load/result_db/result_db.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/file.h"
#include "load/result_db/sqlite_file.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using trace::kNone;

const char* const kStrings = R"(
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO STRING_IDS VALUES (0, 'N/A'), (1, 'KERNEL_AIVEC'), (2, 'Add1'), (3, 'Add'), (4, 'launch'),
  (5, 'aiv_total_time'), (6, 'aiv_vec_ratio'), (268435456, 'aten::add'), (268435457, 'Dequeue@add'),
  (268435458, 'Enqueue@add'), (268435459, 'f.py(1): f'), (268435460, 'g.py(2): g');
CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER, endTimeNs INTEGER);
INSERT INTO SESSION_TIME_INFO VALUES (1000, 9000);
CREATE TABLE NPU_INFO (id INTEGER, name TEXT);
INSERT INTO NPU_INFO VALUES (3, 'Ascend910B');
)";
const char* const kTasks = R"(
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,
  globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
INSERT INTO TASK VALUES (5000, 5400, 3, 77, 11, 42, 1, 4294967295, 2, 8, 4294967295),
  (3000, 3100, 3, 76, 10, 42, 1, 4294967295, 2, 8, 4294967295);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER PRIMARY KEY, name INTEGER);
INSERT INTO CANN_API VALUES (2000, 2100, 10000, 180388626433, 77, 4), (1900, 1950, 10000, 180388626433, 76, 4);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER, mixBlockDim INTEGER, taskType INTEGER, opType INTEGER);
INSERT INTO COMPUTE_TASK_INFO VALUES (2, 10, 40, 0, 1, 3), (2, 11, 20, 0, 1, 3);
CREATE TABLE TASK_PMU_INFO (globalTaskId INTEGER, name INTEGER, value NUMERIC);
INSERT INTO TASK_PMU_INFO VALUES (10, 5, 90.5), (10, 6, 0.25), (11, 5, 350), (11, 6, 0.5);
)";

class ResultDb : public ::testing::Test {
 protected:
  fs::path make(const std::string& sql) {
    const fs::path path = directory_ / ("profile" + std::to_string(made_++) + ".db");
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
    return path;
  }
  Status load(const fs::path& path) {
    trace_ = {};
    losses_ = {};
    return load_result_db(path, trace_, losses_);
  }
  Status load_sql(const std::string& sql) { return load(make(sql)); }
  std::string loss_texts() const {
    std::string text;
    for (const trace::Loss& loss : losses_.items()) text += loss.what + "\n";
    return text;
  }

  // The number of records of the losses that say so.
  std::uint64_t lost(std::string_view what) const {
    std::uint64_t records = 0;
    for (const trace::Loss& loss : losses_.items()) {
      if (loss.what.find(what) != std::string::npos) records += loss.records;
    }
    return records;
  }

  TemporaryDirectory directory_;
  int made_ = 0;
  trace::Trace trace_;
  trace::Losses losses_;
};

TEST_F(ResultDb, JoinsTasksKernelsCallsAndMetrics) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks).ok());
  EXPECT_TRUE(losses_.empty()) << loss_texts();
  EXPECT_EQ(trace_.session.begin_ns, 1000);
  EXPECT_EQ(trace_.session.pid, 42u);
  ASSERT_EQ(trace_.devices.size(), 1u);
  EXPECT_EQ(trace_.devices[0].chip, 5u);
  EXPECT_THAT(trace_.api_calls().start_ns, ElementsAre(1900, 2000));
  EXPECT_THAT(trace_.api_calls().tid, ElementsAre(1, 1));
  EXPECT_THAT(trace_.tasks().start_ns, ElementsAre(3000, 5000));
  EXPECT_THAT(trace_.tasks().api, ElementsAre(0, 1));
  EXPECT_THAT(trace_.tasks().batch, ElementsAre(0, 1)) << "the task number came round";
  EXPECT_THAT(trace_.kernels().task, ElementsAre(0, 1));
  EXPECT_THAT(trace_.kernels().block_num, ElementsAre(40, 20)) << "blockDim of the first schema";
  ASSERT_EQ(trace_.result_metrics.columns.size(), 2u);
  EXPECT_THAT(trace_.result_metrics.columns[0].values, ElementsAre(0.0905, 0.35)) << "us";
  EXPECT_THAT(trace_.result_metrics.columns[1].values, ElementsAre(0.25, 0.5));
}

// A replayed task has rows for each of its runs, in their order. The vendor lists metric by metric,
// npuprof kernel by kernel.
TEST_F(ResultDb, TheNthMetricsOfATaskAreOfItsNthRun) {
  for (const char* const rows :
       {"(10, 5, 90), (11, 5, 350), (10, 5, 80), (10, 5, 70), (10, 6, 0.1), (11, 6, 0.5), "
        "(10, 6, 0.2), (10, 6, 0.3)",
        "(10, 5, 90), (10, 6, 0.1), (11, 5, 350), (11, 6, 0.5), (10, 5, 80), (10, 6, 0.2), "
        "(10, 5, 70), (10, 6, 0.3), (10, 6, 0.4)"}) {
    ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
        INSERT INTO TASK VALUES (8000, 8100, 3, 76, 10, 42, 1, 4294967295, 2, 8, 4294967295),
          (6000, 6100, 3, 76, 10, 42, 1, 4294967295, 2, 8, 4294967295);
        DELETE FROM TASK_PMU_INFO;
        INSERT INTO TASK_PMU_INFO VALUES )" +
                         rows + ";")
                    .ok());
    EXPECT_THAT(trace_.tasks().start_ns, ElementsAre(3000, 5000, 6000, 8000));
    ASSERT_EQ(trace_.result_metrics.columns.size(), 2u);
    EXPECT_THAT(trace_.result_metrics.columns[0].values, ElementsAre(0.09, 0.35, 0.08, 0.07));
    EXPECT_THAT(trace_.result_metrics.columns[1].values, ElementsAre(0.1, 0.5, 0.2, 0.3));
  }
}

// As a run without counters before one that has them is written.
TEST_F(ResultDb, AMetricOfNothingKeepsThePlaceOfItsRun) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      INSERT INTO TASK VALUES (6000, 6100, 3, 76, 10, 42, 1, 4294967295, 2, 8, 4294967295);
      DELETE FROM TASK_PMU_INFO;
      INSERT INTO TASK_PMU_INFO VALUES (10, 5, NULL), (10, 5, 80);)")
                  .ok());
  ASSERT_EQ(trace_.result_metrics.columns.size(), 1u);
  EXPECT_TRUE(std::isnan(trace_.result_metrics.columns[0].values[0]));
  EXPECT_EQ(trace_.result_metrics.columns[0].values[2], 0.08);
}

TEST_F(ResultDb, TellsTheBlockShapeOfTheLaterSchemaFromTheCount) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      DROP TABLE COMPUTE_TASK_INFO;
      CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockNum INTEGER, blockDim INTEGER);
      INSERT INTO COMPUTE_TASK_INFO VALUES (2, 10, 7, 0);)")
                  .ok());
  EXPECT_THAT(trace_.kernels().block_num, ElementsAre(7));
}

TEST_F(ResultDb, ReadsTheFrameworkWithAndWithoutOffsets) {
  for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{5} << 28}) {
    const std::string own = std::to_string(offset + 901);
    const std::string queue = std::to_string(offset + 900);
    ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
        CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER,
          sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER, type INTEGER);
        INSERT INTO PYTORCH_API VALUES
          ('1500', '1800', 180388626433, 2, 268435456, 6, 0, NULL, NULL, 0, 50001),
          ('1850', '1860', 180388626434, 3, 268435456, 6, 1, NULL, NULL, NULL, 50001),
          ('1600', '1650', 180388626433, 0, 268435458, NULL, NULL, NULL, NULL, NULL, 50002),
          ('1880', '2200', 180388626433, 1, 268435457, NULL, NULL, NULL, NULL, NULL, 50002);
        CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);
        INSERT INTO CONNECTION_IDS VALUES (0, )" +
                         queue + "), (1, " + queue + "), (2, " + own + "), (2, 76), (3, " + own +
                         R"();
        CREATE TABLE PYTORCH_CALLCHAINS (id INTEGER, stack INTEGER, stackDepth INTEGER);
        INSERT INTO PYTORCH_CALLCHAINS VALUES (0, 268435460, 1), (0, 268435459, 0);)")
                    .ok());
    EXPECT_TRUE(losses_.empty()) << loss_texts();
    EXPECT_EQ(trace_.framework_ops().size(), 2u);
    EXPECT_EQ(trace_.strings.view(trace_.framework_ops().stack[0]), "f.py(1): f;g.py(2): g");
    EXPECT_THAT(trace_.enqueues().correlation, ElementsAre(900));
    EXPECT_THAT(trace_.dequeues().correlation, ElementsAre(900));
    EXPECT_EQ(trace_.strings.view(trace_.dequeues().name[0]), "add");
    EXPECT_THAT(trace_.kernel_ops().op, ElementsAre(0));
    EXPECT_THAT(trace_.kernel_ops().task, ElementsAre(0));
    EXPECT_THAT(trace_.forward_backward().forward, ElementsAre(0));
    EXPECT_THAT(trace_.forward_backward().backward, ElementsAre(1));
  }
}

TEST_F(ResultDb, NamesTheColumnThatATableLacks) {
  ASSERT_TRUE(
      load_sql(std::string(kStrings) + "CREATE TABLE TASK (startNs INTEGER, endNs INTEGER)").ok());
  EXPECT_THAT(loss_texts(), HasSubstr("table TASK has no column deviceId"));
  EXPECT_EQ(trace_.tasks().size(), 0u);
}

TEST_F(ResultDb, LeavesOutRowsOfTheWrongType) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      INSERT INTO TASK VALUES ('soon', 1, 3, 1, 12, 42, 1, 0, 2, 8, 0), (NULL, 1, 3, 1, 13, 42, 1, 0, 2, 8, 0),
        (6000, x'00ff', 3, 1, 14, 42, 1, 0, 2, 8, 0), (7000, 7001, 3, 'none', 15, 42, 'x', -5, 99999999999, 'y', NULL);)")
                  .ok());
  EXPECT_THAT(trace_.tasks().start_ns, ElementsAre(3000, 5000, 7000));
  EXPECT_EQ(trace_.tasks().context[2], kNone);
  EXPECT_EQ(lost("rows of table TASK are left out"), 3u) << loss_texts();
  EXPECT_EQ(lost("cells of table TASK hold"), 3u);
  EXPECT_EQ(lost("not in STRING_IDS"), 1u);
}

TEST_F(ResultDb, SaysThatNamesAreMissing) {
  ASSERT_TRUE(load_sql(kTasks).ok());
  EXPECT_THAT(loss_texts(), HasSubstr("STRING_IDS"));
  EXPECT_EQ(trace_.tasks().size(), 2u);
}

TEST_F(ResultDb, RefusesOtherDatabasesAndOtherFiles) {
  const Status other = load_sql("CREATE TABLE StepTraceTime (step TEXT)");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("is no database of a profile"));
  ASSERT_TRUE(write_file(directory_ / "text.db", std::string(5000, 'x')).ok());
  EXPECT_FALSE(load(directory_ / "text.db").ok());
  ASSERT_TRUE(write_file(directory_ / "empty.db", "").ok());
  EXPECT_FALSE(load(directory_ / "empty.db").ok());
  EXPECT_FALSE(load(directory_ / "absent.db").ok());
}

// Views run queries of whoever wrote the file: they are no tables.
TEST_F(ResultDb, DoesNotRunViews) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + R"(
      CREATE VIEW TASK AS WITH RECURSIVE forever(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM forever)
        SELECT n AS startNs, n AS endNs, 0 AS deviceId, n AS globalTaskId FROM forever;)")
                  .ok());
  EXPECT_EQ(trace_.tasks().size(), 0u);
  EXPECT_EQ(lost("TASK is a view"), 1u) << loss_texts();
}

TEST_F(ResultDb, TakesDevicesThatAreNotListedFromOtherTables) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      DROP TABLE NPU_INFO;
      INSERT INTO TASK VALUES (5000, 5400, 4, 77, 12, 42, 1, 4294967295, 2, 8, 4294967295);)")
                  .ok());
  ASSERT_EQ(trace_.devices.size(), 2u);
  EXPECT_EQ(trace_.devices[0].id, 3u);
  EXPECT_EQ(trace_.devices[1].id, 4u);
  EXPECT_EQ(trace_.devices[0].chip, kNone);
  EXPECT_EQ(lost("not in NPU_INFO"), 2u) << loss_texts();
}

TEST_F(ResultDb, CountsNamesThatStringIdsDoNotHave) {
  ASSERT_TRUE(
      load_sql(std::string(kStrings) + kTasks + "UPDATE COMPUTE_TASK_INFO SET name = 99;").ok());
  EXPECT_EQ(lost("not in STRING_IDS"), 2u) << loss_texts();
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + "DROP TABLE STRING_IDS;").ok());
  // 2 tasks (type), 2 calls (name), 2 kernels (name, type, task type), 2 metrics.
  EXPECT_EQ(lost("not in STRING_IDS"), 12u) << loss_texts();
}

TEST_F(ResultDb, CountsTextsOfOneNumber) {
  ASSERT_TRUE(load_sql(std::string(kTasks) + R"(
      CREATE TABLE STRING_IDS (id INTEGER, value TEXT);
      INSERT INTO STRING_IDS VALUES (2, 'Add1'), (2, 'Add1'), (2, 'Mul1');)")
                  .ok());
  EXPECT_EQ(trace_.strings.view(trace_.kernels().name[0]), "Add1");
  EXPECT_EQ(lost("another text has the same number"), 1u) << loss_texts();
}

TEST_F(ResultDb, CountsWhatRefersToTablesThatAreMissing) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + "DROP TABLE CANN_API;").ok());
  EXPECT_EQ(trace_.tasks().size(), 2u);
  EXPECT_EQ(lost("launched by calls that are not known"), 2u) << loss_texts();
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      CREATE TABLE MEMCPY_INFO (globalTaskId INTEGER, size INTEGER, memcpyOperation INTEGER);
      INSERT INTO MEMCPY_INFO VALUES (10, 64, 1);
      DROP TABLE TASK;)")
                  .ok());
  EXPECT_EQ(lost("kernels of COMPUTE_TASK_INFO"), 2u) << loss_texts();
  EXPECT_EQ(lost("rows of TASK_PMU_INFO"), 4u);
  EXPECT_EQ(lost("copies of MEMCPY_INFO"), 1u);
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      CREATE TABLE PYTORCH_API (startNs INTEGER, endNs INTEGER, globalTid INTEGER, connectionId INTEGER,
        name INTEGER, callchainId INTEGER);
      INSERT INTO PYTORCH_API VALUES (10, 20, 1, 5, 268435456, 1), (30, 40, 1, NULL, 268435456, NULL);)")
                  .ok());
  EXPECT_EQ(lost("CONNECTION_IDS does not have"), 1u) << loss_texts();
  EXPECT_EQ(lost("PYTORCH_CALLCHAINS does not have"), 1u);
}

TEST_F(ResultDb, CountsTheRowsOfATableWithoutANeededColumn) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      DROP TABLE TASK_PMU_INFO;
      CREATE TABLE TASK_PMU_INFO (globalTaskId INTEGER, value NUMERIC);
      INSERT INTO TASK_PMU_INFO VALUES (1, 2), (3, 4), (5, 6);)")
                  .ok());
  EXPECT_EQ(lost("has no column name"), 3u) << loss_texts();
}

TEST_F(ResultDb, SaysThatAColumnOfEveryReleaseIsMissing) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
    ALTER TABLE STRING_IDS RENAME COLUMN value TO text;
    CREATE TABLE META_DATA (key TEXT, value TEXT);)")
                  .ok());
  EXPECT_THAT(loss_texts(), HasSubstr("table STRING_IDS has no column value"));
  EXPECT_THAT(loss_texts(), HasSubstr("table META_DATA has no column name"));
}

TEST_F(ResultDb, LeavesOutRowsDaysFromAllOthers) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
    INSERT INTO CANN_API VALUES (1700000000000000000, 1700000000000000001, 10000, 1, 78, 4);)")
                  .ok());
  EXPECT_EQ(trace_.api_calls().size(), 2u);
  EXPECT_EQ(lost("rows of table CANN_API are left out: they lie days from all others"), 1u);
}

TEST_F(ResultDb, CountsCellsOfTheWrongKind) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      UPDATE TASK SET streamId = 'two' WHERE taskId = 8;
      UPDATE TASK SET modelId = x'00FF' WHERE startNs = 3000;
      UPDATE TASK_PMU_INFO SET value = 'much' WHERE globalTaskId = 10;
      INSERT INTO TASK VALUES ('soon', 5400, 3, 77, 12, 42, 1, 4294967295, 2, 8, 4294967295),
        (NULL, 5400, 3, 77, 12, 42, 1, 4294967295, 2, 8, 4294967295);)")
                  .ok());
  EXPECT_EQ(trace_.tasks().size(), 2u);
  EXPECT_EQ(lost("cells of table TASK hold"), 3u) << loss_texts();
  EXPECT_EQ(lost("cells of table TASK_PMU_INFO hold"), 2u);
  EXPECT_EQ(lost("rows of table TASK are left out"), 2u);
}

TEST_F(ResultDb, CleansTextsAndSaysHowMany) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      UPDATE STRING_IDS SET value = CAST(x'416464FF' AS TEXT) WHERE id = 2;
      UPDATE STRING_IDS SET value = CAST(x'41006464' AS TEXT) WHERE id = 3;)")
                  .ok());
  EXPECT_EQ(trace_.strings.view(trace_.kernels().name[0]), "Add\xEF\xBF\xBD");
  EXPECT_EQ(trace_.strings.view(trace_.kernels().op_type[0]),
            "A\xEF\xBF\xBD"
            "dd");
  EXPECT_EQ(lost("texts are no UTF-8"), 2u) << loss_texts();
}

// Not mapped into memory, or the process would be killed here.
TEST_F(ResultDb, SurvivesAFileThatIsCutWhileItIsRead) {
  const fs::path path = make(std::string(kStrings) + R"(
      CREATE TABLE TASK (startNs INTEGER, name TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO TASK SELECT i, hex(zeroblob(200)) FROM n;)");
  const auto file = SqliteFile::open(path);
  ASSERT_TRUE(file.ok());
  {
    TableReader row(*file, "TASK", {{"startNs"}, {"name"}}, losses_);
    ASSERT_TRUE(row.next());
    fs::resize_file(path, 4096 * 4);
    while (row.next()) {
    }
  }
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_THAT(loss_texts(), HasSubstr("table TASK is damaged after"));
  EXPECT_EQ(losses_.items()[0].file, path.native());
}

// Any part of a file, and any byte changed, gives an error or a trace, and never more than there
// was.
TEST_F(ResultDb, SurvivesDamage) {
  const std::string whole = read_file(make(std::string(kStrings) + kTasks)).value();
  const fs::path path = directory_ / "damaged.db";
  for (std::size_t size = 0; size < whole.size(); size += 509) {
    ASSERT_TRUE(write_file(path, whole.substr(0, size)).ok());
    if (load(path).ok()) {
      EXPECT_LE(trace_.tasks().size(), 2u);
    }
  }
  for (std::size_t place = 0; place < whole.size(); place += 37) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x55);
    ASSERT_TRUE(write_file(path, damaged).ok());
    if (load(path).ok()) {
      EXPECT_LE(trace_.tasks().size(), 3u);
    }
  }
}

TEST_F(ResultDb, KeepsMarksOfBothSortsApart) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      CREATE TABLE MSTX_EVENTS (startNs INTEGER, endNs INTEGER, eventType INTEGER, rangeId INTEGER, category INTEGER,
        message INTEGER, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER, connectionId INTEGER);
      INSERT INTO MSTX_EVENTS VALUES (100, 200, 2, 4294967295, 4294967295, 3, 180388626433, 180388626433, 4, 4000000008),
        (300, 300, 0, 4294967295, 6, 3, 180388626433, 180388626433, 4, 4000000000);
      INSERT INTO TASK VALUES (5000, 5400, 3, 4000000008, 12, 42, 1, 4294967295, 2, 9, 5);)")
                  .ok());
  EXPECT_THAT(trace_.marks().is_mstx, ElementsAre(1, 0));
  EXPECT_THAT(trace_.marks().category, ElementsAre(0, 6));
  EXPECT_EQ(trace_.marks().mark_id[0], 7u);
  EXPECT_EQ(trace_.tasks().size(), 2u) << "a mark is no task";
  EXPECT_THAT(trace_.device_marks().mark, ElementsAre(0));
  EXPECT_THAT(trace_.device_marks().model_id, ElementsAre(5));
}

TEST_F(ResultDb, LeavesOutNumbersThatCannotBe) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + kTasks + R"(
      INSERT INTO TASK VALUES (-9223372036854775807, 9223372036854775807, 3, 77, 12, 42, 1, 4294967295, 2, 9, 5);)")
                  .ok());
  EXPECT_EQ(trace_.tasks().size(), 2u);
  EXPECT_THAT(loss_texts(), HasSubstr("1 rows of table TASK are left out"));
}

// A number of calls that came round again, and one of a call that came too late.
TEST_F(ResultDb, TasksComeFromCallsBeforeThem) {
  ASSERT_TRUE(load_sql(std::string(kStrings) + R"(
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER,
  globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
INSERT INTO TASK VALUES (5000000, 5000400, 3, 77, 11, 42, 1, 4294967295, 2, 8, 4294967295),
  (9000000, 9000100, 3, 77, 12, 42, 1, 4294967295, 2, 9, 4294967295),
  (9500000, 9500100, 3, 78, 13, 42, 1, 4294967295, 2, 10, 4294967295);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER, name INTEGER);
INSERT INTO CANN_API VALUES (4000000, 4000100, 10000, 180388626433, 77, 4),
  (8000000, 8000050, 10000, 180388626433, 77, 4), (20000000, 20000050, 10000, 180388626433, 78, 4);
)")
                  .ok());
  EXPECT_THAT(trace_.tasks().api, ElementsAre(0, 1, kNone));
  EXPECT_EQ(lost("lead from a call or an operator to what had begun"), 1U) << loss_texts();
}

}  // namespace
}  // namespace npuprof::load
