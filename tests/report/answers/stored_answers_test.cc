// Tables of answers in databases and workbooks.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/file.h"
#include "report/answers/database_tables.h"
#include "report/answers/workbook.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

using npuprof::testing::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Cells of all rows, joined by '|'; an error as text.
std::vector<std::string> rows_of(const std::filesystem::path& path, const std::string& query) {
  std::vector<std::string> rows;
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    rows.emplace_back(sqlite3_errmsg(database));
  }
  while (sqlite3_step(statement) == SQLITE_ROW) {
    std::string row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const unsigned char* text = sqlite3_column_text(statement, i);
      row += (i > 0 ? "|" : "");
      row += text == nullptr ? "NULL" : reinterpret_cast<const char*>(text);
    }
    rows.push_back(row);
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return rows;
}

answers::Table module_table(const std::string& first) {
  answers::Table table("ModuleStatistic", "Modules");
  table.column(table.text("parentModule", "Parent Module")).is_merged = true;
  table.column(table.real("totalKernelDuration(ns)", "Total Kernel Duration(ns)")).key_is_final =
      true;
  table.duration("wait", "Wait");
  table.row(first, 1.5, 7);
  table.row("same", 2.0, 8);
  table.add("same").skip().skip();
  return table;
}

TEST(StoredTables, ColumnsHaveUnitsInTheirNamesUnlessOthersKnowThem) {
  const TemporaryDirectory directory;
  const answers::Table table = module_table("a");
  const answers::Table* tables[] = {&table};
  ASSERT_TRUE(store_tables(directory / "x.db", tables).ok());
  EXPECT_THAT(
      rows_of(directory / "x.db", "SELECT name, type FROM pragma_table_info('ModuleStatistic')"),
      ElementsAre("parentModule|TEXT", "totalKernelDuration(ns)|REAL", "wait_ns|INTEGER"));
  EXPECT_THAT(rows_of(directory / "x.db", "SELECT * FROM ModuleStatistic"),
              ElementsAre("a|1.5|7", "same|2.0|8", "same|NULL|NULL"));
}

TEST(StoredTables, AnEmptyTextIsStoredAsSuch) {
  const TemporaryDirectory directory;
  const answers::Table table = module_table("");
  const answers::Table* tables[] = {&table};
  ASSERT_TRUE(store_tables(directory / "x.db", tables).ok());
  EXPECT_THAT(rows_of(directory / "x.db", "SELECT * FROM ModuleStatistic LIMIT 1"),
              ElementsAre("|1.5|7"));
}

TEST(StoredTables, ATableOfTheSameNameIsReplacedAndOthersStay) {
  const TemporaryDirectory directory;
  answers::Table other("head_overhead", "");
  other.integer("n", "N");
  other.row(1);
  const answers::Table first = module_table("a");
  const answers::Table second = module_table("b");
  const answers::Table* both[] = {&first, &other};
  const answers::Table* again[] = {&second};
  ASSERT_TRUE(store_tables(directory / "x.db", both).ok());
  ASSERT_TRUE(store_tables(directory / "x.db", again).ok());
  EXPECT_THAT(rows_of(directory / "x.db", "SELECT parentModule FROM ModuleStatistic LIMIT 1"),
              ElementsAre("b"));
  EXPECT_THAT(rows_of(directory / "x.db", "SELECT n FROM HeadOverhead"), ElementsAre("1"));
}

TEST(StoredTables, AFileThatIsNoDatabaseIsLeftAsItIs) {
  const TemporaryDirectory directory;
  const std::string content(5000, 'x');
  ASSERT_TRUE(write_file(directory / "x.db", content).ok());
  const answers::Table table = module_table("a");
  const answers::Table* tables[] = {&table};
  const Status status = store_tables(directory / "x.db", tables);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("x.db"));
  EXPECT_EQ(read_file(directory / "x.db").value(), content);
}

TEST(Workbook, IsAZipWithASheetForEachTable) {
  const TemporaryDirectory directory;
  const answers::Table table = module_table("a");
  const answers::Table* tables[] = {&table};
  ASSERT_TRUE(write_workbook(directory / "x.xlsx", tables).ok());
  const std::string content = read_file(directory / "x.xlsx").value();
  EXPECT_TRUE(content.starts_with("PK"));
  EXPECT_THAT(content, HasSubstr("xl/worksheets/sheet1.xml"));
}

TEST(Workbook, AFolderThatIsNotThereIsAnError) {
  const TemporaryDirectory directory;
  const answers::Table table = module_table("a");
  const answers::Table* tables[] = {&table};
  const Status status = write_workbook(directory / "no" / "x.xlsx", tables);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("x.xlsx"));
}

}  // namespace
}  // namespace npuprof::report
