#include "query/sql_session.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/sql_profile.h"
#include "report/answers/text_forms.h"

namespace npuprof::query {
namespace {

using ::testing::HasSubstr;

class SqlSessionTest : public ::testing::Test {
 protected:
  std::string csv(const std::string& sql) {
    const auto result = session_.run(sql);
    return result.ok() ? report::csv_text(*result) : "error: " + result.error().message;
  }

  testing::SqlProfile profile_;
  SqlSession session_ = SqlSession::open(profile_.request()).value();
};

TEST_F(SqlSessionTest, KernelsHaveStepStreamAndOperator) {
  EXPECT_EQ(csv("SELECT name, type, duration_ns, step, stream, operator FROM kernel"),
            "name,type,duration_ns,step,stream,operator\n"
            "mm_kernel,MatMul,50,7,5,aten::mm\n"
            "add_kernel,Add,50,7,5,\n");
}

TEST_F(SqlSessionTest, NamesAreFoundByRegularExpressions) {
  EXPECT_EQ(csv("SELECT name FROM kernel WHERE type REGEXP '^Mat'"), "name\nmm_kernel\n");
  EXPECT_EQ(csv("SELECT name FROM kernel WHERE regexp('(?i)ADD', name)"), "name\nadd_kernel\n");
  EXPECT_EQ(csv("SELECT 'a' REGEXP NULL AS x, NULL REGEXP 'a' AS y, 12 REGEXP '^1' AS z"),
            "x,y,z\n,,1\n");
  EXPECT_EQ(csv("SELECT name FROM kernel WHERE name REGEXP substr(name, 1, 2) || '_'"),
            "name\nmm_kernel\n");
  EXPECT_THAT(csv("SELECT name FROM kernel WHERE name REGEXP '(a'"),
              HasSubstr("regular expression"));
  EXPECT_THAT(csv("SELECT printf('%.*c', 2000000, 'x') REGEXP 'y'"), HasSubstr("too big"));
}

TEST_F(SqlSessionTest, OperatorsHaveTimesOnHostAndDevice) {
  EXPECT_EQ(csv("SELECT name, host_ns, host_self_ns, device_ns, parent FROM operator"),
            "name,host_ns,host_self_ns,device_ns,parent\n"
            "ProfilerStep#7,1000,950,50,\n"
            "aten::mm,50,50,50,ProfilerStep#7\n");
}

TEST_F(SqlSessionTest, EveryViewCanBeRead) {
  for (const SqlName& name : session_.names()) {
    EXPECT_TRUE(session_.run("SELECT * FROM " + name.name).ok()) << name.name;
    const auto columns = session_.columns_of(name.name);
    ASSERT_TRUE(columns.ok()) << name.name;
    EXPECT_FALSE(columns->empty()) << name.name;
    if (name.kind == SqlName::Kind::kView) {
      EXPECT_TRUE(name.about.ends_with('.')) << name.name;
    }
  }
}

TEST_F(SqlSessionTest, TablesOfAnswersAreMadeWhenTheyAreNamed) {
  EXPECT_EQ(csv("SELECT step FROM answer_step_time"), "step\n7\n");
  EXPECT_EQ(csv("SELECT count(*) AS n FROM Answer_Step_Time_Step_Time WHERE total_ns > 0"),
            "n\n1\n");
  EXPECT_THAT(csv("SELECT * FROM answer_step_time_nothing"), HasSubstr("no such table"));
  EXPECT_THAT(csv("SELECT * FROM answer_of_nobody"), HasSubstr("no such table"));
}

TEST_F(SqlSessionTest, AnAnswerThatCannotBeMadeSaysWhatItNeeds) {
  const trace::Trace empty;
  const analyze::SharedResults results(empty);
  SqlSession session = SqlSession::open({.trace = empty, .results = results}).value();
  const auto result = session.run("SELECT * FROM answer_step_time");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kNoData);
  EXPECT_THAT(result.error().message, HasSubstr("step_time needs"));
  EXPECT_TRUE(session.run("SELECT count(*) FROM tasks").ok());
}

TEST_F(SqlSessionTest, ErrorsSayWhere) {
  EXPECT_EQ(csv("SELECT name,\n  nowhere FROM kernel"),
            "error: no such column: nowhere (line 2, character 3)");
  EXPECT_EQ(csv("SELEC 1"), "error: near \"SELEC\": syntax error (line 1, character 1)");
  EXPECT_EQ(csv(""), "error: there is no statement");
  EXPECT_EQ(csv(" -- nothing\n;"), "error: there is no statement");
  EXPECT_EQ(csv("SELECT 1; SELECT 2"), "error: there is more than one statement");
  EXPECT_EQ(csv("SELECT 1; -- the end"), "1\n1\n");
  EXPECT_EQ(csv(std::string("SELECT 1\0 + 1", 13)), "error: the statement has a zero byte in it");
  EXPECT_EQ(csv("SELECT 'open"), "error: unrecognized token: \"'open\" (line 1, character 8)");
}

TEST_F(SqlSessionTest, StatementsReachNothingButTheProfile) {
  for (const char* sql : {"ATTACH '/tmp/other.db' AS other",
                          "DETACH main",
                          "VACUUM INTO '/tmp/copy.db'",
                          "VACUUM",
                          "CREATE TABLE t(a)",
                          "CREATE TEMP TABLE t(a)",
                          "CREATE VIEW v AS SELECT 1",
                          "CREATE VIRTUAL TABLE t USING tasks",
                          "DROP VIEW kernel",
                          "DELETE FROM tasks",
                          "UPDATE tasks SET start_ns = 0",
                          "INSERT INTO tasks DEFAULT VALUES",
                          "INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)",
                          "BEGIN",
                          "SAVEPOINT a",

                          "ANALYZE",
                          "PRAGMA writable_schema = 1",
                          "PRAGMA journal_mode = DELETE",
                          "PRAGMA temp_store_directory = '/tmp'",
                          "PRAGMA query_only = 0",
                          "SELECT load_extension('x.so')",
                          "SELECT writefile('/tmp/x', 'y')",
                          "SELECT readfile('/etc/passwd')",
                          "ALTER TABLE tasks RENAME TO t",
                          "EXPLAIN DELETE FROM tasks",
                          "WITH a AS (SELECT 1) DELETE FROM tasks"}) {
    EXPECT_FALSE(session_.run(sql).ok()) << sql;
  }
  EXPECT_THAT(csv("ATTACH 'x' AS y"), HasSubstr("can be read and nothing else"));
  EXPECT_EQ(csv("SELECT count(*) AS n FROM tasks"), "n\n3\n");
  EXPECT_TRUE(session_.run("PRAGMA table_info(tasks)").ok());
  EXPECT_TRUE(session_.run("EXPLAIN QUERY PLAN SELECT * FROM kernel").ok());
}

TEST_F(SqlSessionTest, HugeStatementsAreRefusedOrRun) {
  EXPECT_FALSE(session_.run(std::string(2 << 20, ' ') + "SELECT 1").ok());
  EXPECT_FALSE(
      session_.run("SELECT " + std::string(5000, '(') + "1" + std::string(5000, ')')).ok());
  EXPECT_FALSE(session_.run("SELECT zeroblob(2000000000)").ok());
  std::string sum = "SELECT 1";
  for (int i = 0; i < 3000; ++i) sum += "+1";
  EXPECT_FALSE(session_.run(sum).ok());
  EXPECT_EQ(csv("SELECT 1"), "1\n1\n");
}

TEST_F(SqlSessionTest, WorkHasBounds) {
  const std::string endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  session_.set_limits({.instructions = 100'000});
  EXPECT_THAT(csv(endless), HasSubstr("too much work"));
  const std::atomic<bool> stop{true};
  session_.set_limits({.stop = &stop});
  EXPECT_EQ(csv(endless), "error: the statement was stopped");
  session_.set_limits({.time = std::chrono::milliseconds{0}});
  EXPECT_THAT(csv(endless), HasSubstr("longer than 0 ms"));
  session_.set_limits({.bytes = 1000});
  EXPECT_THAT(
      csv("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"),
      HasSubstr("the result is too large"));
  EXPECT_EQ(csv("SELECT 1"), "1\n1\n");
}

TEST_F(SqlSessionTest, RowsThatAreNotKeptAreCounted) {
  session_.set_limits({.rows = 2});
  const auto answer = session_.ask("SELECT rowid FROM tasks");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->table.size(), 2u);
  EXPECT_EQ(answer->rows, 3u);
}

TEST_F(SqlSessionTest, ColumnsTakeTheTypeOfTheirCells) {
  EXPECT_EQ(csv("SELECT 1 AS a, 2 AS a, NULL AS b UNION ALL SELECT 2.5, 'x', NULL"),
            "a,a_2,b\n1.0,2,\n2.5,x,\n");
  EXPECT_EQ(csv("SELECT x'00FF' AS bytes"), "bytes\nX'00FF'\n");
  EXPECT_EQ(csv("SELECT -9223372036854775807 - 1 AS least"), "least\n-9223372036854775808\n");
  const auto empty = session_.run("SELECT name FROM kernel WHERE 0");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->columns().size(), 1u);
  EXPECT_EQ(empty->size(), 0u);
}

TEST_F(SqlSessionTest, StatementsRunOneAfterAnother) {
  std::string_view sql = ";;SELECT 1 AS a;\n-- more\nSELECT 2 AS b; ";
  auto first = session_.run_next(sql);
  ASSERT_TRUE(first.ok() && first->has_value());
  EXPECT_EQ(report::csv_text((*first)->table), "a\n1\n");
  auto second = session_.run_next(sql);
  ASSERT_TRUE(second.ok() && second->has_value());
  EXPECT_EQ(report::csv_text((*second)->table), "b\n2\n");
  auto third = session_.run_next(sql);
  ASSERT_TRUE(third.ok());
  EXPECT_FALSE(third->has_value());
}

TEST(SqlStatement, IsCompleteBehindItsSemicolon) {
  EXPECT_TRUE(is_complete_statement("SELECT 1;"));
  EXPECT_FALSE(is_complete_statement("SELECT ';'"));
  EXPECT_FALSE(is_complete_statement("SELECT 'a;\n"));
}

}  // namespace
}  // namespace npuprof::query
