// Rows read from pages are those that SQLite reads, and what pages alone do not tell is left to it.

#include "load/result_db/table_pages.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "load/result_db/sqlite_file.h"
#include "temporary_directory.h"

namespace npuprof::load {
namespace {

class TablePagesTest : public ::testing::Test {
 protected:
  void write(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_close(handle);
  }

  // The columns of T as texts, by SQLite.
  std::vector<std::string> expected(const std::string& columns) {
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    const std::string sql = "SELECT " + columns + " FROM T NOT INDEXED";
    EXPECT_EQ(sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
    std::vector<std::string> cells;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        cells.emplace_back(text == nullptr ? "NULL" : text);
      }
    }
    sqlite3_finalize(statement);
    sqlite3_close(handle);
    return cells;
  }

  std::vector<std::string> read(const std::vector<std::string_view>& columns) {
    const auto file = SqliteFile::open(path_);
    EXPECT_TRUE(file.ok());
    std::vector<std::string> cells;
    TableReader row(*file, "T", {{}, columns}, losses_);
    while (row.next()) {
      for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
        cells.emplace_back(row.is_null(i) ? "NULL" : row.text(i));
      }
    }
    return cells;
  }

  // How many rows come from pages before SQLite has to go on; all but these are its own.
  std::size_t rows_of_pages() {
    const auto file = SqliteFile::open(path_);
    const auto storage = file->storage("T");
    if (!storage) return 0;
    std::vector<std::size_t> columns(storage->columns);
    std::iota(columns.begin(), columns.end(), 0);
    const auto pages = TablePages::open(path_, storage->root, columns, storage->row_number);
    std::size_t rows = 0;
    while (pages != nullptr && pages->next() == TablePages::Step::kRow) ++rows;
    return rows;
  }

  testing::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "test.db";
  trace::Losses losses_;
};

constexpr const char* kNumbers =
    "WITH RECURSIVE N(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM N WHERE n < 30000) ";

TEST_F(TablePagesTest, ValuesOfEachKindAreRead) {
  write(
      "CREATE TABLE T (a, b);"
      "INSERT INTO T VALUES (0, 1), (-1, 127), (-128, 32767), (-32768, 8388607), (-8388608, "
      "2147483647), (-2147483648, 140737488355327), (-140737488355328, 9223372036854775807), "
      "(-9223372036854775807, NULL), (1.5, -1e300), ('', 'text'), (x'', x'414243')");
  EXPECT_EQ(read({"a", "b"}), expected("a, b"));
  EXPECT_EQ(rows_of_pages(), 11U);
}

TEST_F(TablePagesTest, ATableOfManyPagesIsReadInItsOrder) {
  write(std::string("CREATE TABLE T (a INTEGER, b TEXT, c INTEGER);") + "INSERT INTO T " +
        kNumbers + "SELECT n * 77777777, 'text ' || n, -n FROM N");
  EXPECT_EQ(read({"c", "b", "a", "missing"}), expected("c, b, a, NULL"));
  EXPECT_EQ(rows_of_pages(), 30000U);
}

// What follows from the header of a row is kept; here are more kinds of headers than are kept, in
// an order that makes them take each other's place.
TEST_F(TablePagesTest, RowsOfManyShapesAreRead) {
  for (const int columns : {2, 7, 8, 9, 15, 16, 17, 23, 24, 40}) {
    SCOPED_TRACE(columns);
    std::filesystem::remove(path_);
    std::string names = "a0";
    std::string values = "n";
    std::vector<std::string> wanted = {"a0"};
    for (int i = 1; i < columns; ++i) {
      wanted.push_back("a" + std::to_string(i));
      names += ", " + wanted.back();
      values += fmt::format(
          ", CASE (n * {0} + n / 7) % 5 WHEN 0 THEN NULL WHEN 1 THEN n % 2 WHEN 2 THEN (n * {0} * "
          "7919) << (n % 50) WHEN 3 THEN substr('abcdefghijklmnopqrst', 1, n % {0}) ELSE n * 0.5 "
          "END",
          i + 2);
    }
    write("CREATE TABLE T (" + names + "); INSERT INTO T " + kNumbers + "SELECT " + values +
          " FROM N WHERE n < 3000");
    std::reverse(wanted.begin(), wanted.end());
    EXPECT_EQ(read({wanted.begin(), wanted.end()}),
              expected(fmt::format("{}", fmt::join(wanted, ", "))));
    EXPECT_EQ(rows_of_pages(), 2999U);
  }
}

TEST_F(TablePagesTest, AKeyIsTheNumberOfTheRow) {
  write(std::string("CREATE TABLE T (a INTEGER, id INTEGER PRIMARY KEY);") + "INSERT INTO T " +
        kNumbers + "SELECT n, n * n - 500 FROM N");
  EXPECT_EQ(read({"id", "a"}), expected("id, a"));
  EXPECT_EQ(rows_of_pages(), 30000U);
}

TEST_F(TablePagesTest, LongRowsAreLeftToSqlite) {
  write(std::string("CREATE TABLE T (a INTEGER, b TEXT);") + "INSERT INTO T " + kNumbers +
        "SELECT n, CASE WHEN n = 20000 THEN printf('%.9000c', 'x') ELSE 'short' END FROM N");
  EXPECT_EQ(read({"a", "b"}), expected("a, b"));
  EXPECT_GT(rows_of_pages(), 0U);
  EXPECT_LT(rows_of_pages(), 20000U);
}

TEST_F(TablePagesTest, ColumnsThatWereAddedLaterAreLeftToSqlite) {
  write(
      "CREATE TABLE T (a INTEGER); INSERT INTO T VALUES (1), (2);"
      "ALTER TABLE T ADD COLUMN b INTEGER DEFAULT 7; INSERT INTO T VALUES (3, 4)");
  EXPECT_EQ(read({"a", "b"}), expected("a, b"));
  EXPECT_EQ(rows_of_pages(), 0U);
}

TEST_F(TablePagesTest, OtherWaysToStoreRowsAreLeftToSqlite) {
  for (const char* const sql :
       {"CREATE TABLE T (a TEXT PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO T VALUES ('x', 1)",
        "CREATE TABLE T (a INTEGER PRIMARY KEY DESC, b); INSERT INTO T VALUES (NULL, 1), (5, 2)",
        "CREATE TABLE T (a, c AS (a * 2), b); INSERT INTO T VALUES (1, 2)",
        "PRAGMA encoding = 'UTF-16le'; CREATE TABLE T (a, b); INSERT INTO T VALUES ('x', 'y')"}) {
    SCOPED_TRACE(sql);
    std::filesystem::remove(path_);
    write(sql);
    EXPECT_EQ(read({"a", "b"}), expected("a, b"));
    EXPECT_EQ(rows_of_pages(), 0U);
  }
}

TEST_F(TablePagesTest, AnIndexDoesNotChangeTheOrder) {
  write(
      "CREATE TABLE T (a INTEGER, b INTEGER); CREATE INDEX I ON T (b, a);"
      "INSERT INTO T VALUES (1, 9), (2, 8), (3, 7)");
  EXPECT_EQ(read({"a", "b"}), (std::vector<std::string>{"1", "9", "2", "8", "3", "7"}));
}

TEST_F(TablePagesTest, DamageIsReportedAsSqliteFindsIt) {
  write(std::string("CREATE TABLE T (a INTEGER, b TEXT);") + "INSERT INTO T " + kNumbers +
        "SELECT n, 'text' FROM N");
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path_) / 8192 * 4096));
  file << std::string(4096, '\xAA');
  file.close();
  const std::vector<std::string> cells = read({"a", "b"});
  EXPECT_LT(cells.size(), 60000U);
  ASSERT_FALSE(losses_.empty());
  EXPECT_NE(losses_.items().front().what.find("is damaged after"), std::string::npos);
}

}  // namespace
}  // namespace npuprof::load
