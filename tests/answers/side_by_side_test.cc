#include "answers/side_by_side.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace npuprof::answers {
namespace {

using Row = std::vector<std::string>;

std::string cell_text(const Table& table, std::size_t place, std::size_t row) {
  if (table.is_absent(place, row)) return "-";
  const Column& column = table.column(place);
  if (column.kind == Kind::kText) return std::string(table.text_at(place, row));
  return is_real(column.kind) ? std::to_string(column.reals[row]).substr(0, 4)
                              : std::to_string(column.numbers[row]);
}

std::vector<Row> cells_of(const Table& table) {
  std::vector<Row> rows(table.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      rows[row].push_back(cell_text(table, i, row));
    }
  }
  return rows;
}

Row keys_of_columns(const Table& table) {
  Row keys;
  for (const Column& column : table.columns()) keys.push_back(column.key);
  return keys;
}

// Kernels with their device, total and MFU.
struct Kernel {
  int device;
  const char* name;
  std::int64_t total_ns;
  double mfu;
};

Answer kernels(const std::vector<Kernel>& list) {
  Table table("kernels", "Kernels");
  table.integer("device", "Device");
  table.text("name", "Name");
  table.duration("total", "Total");
  table.share("mfu", "MFU");
  table.text("bound", "Bound by");
  table.notes.push_back("a note");
  table.comparison = {
      .names = {"name", "shapes"}, .also = {"device"}, .sums = {"total"}, .values = {"mfu"}};
  for (const Kernel& kernel : list) {
    table.row(kernel.device, kernel.name, kernel.total_ns);
    if (kernel.mfu > 0) {
      table.add(kernel.mfu);
    } else {
      table.skip();
    }
    table.add("compute");
  }
  Answer answer;
  answer.tables.push_back(std::move(table));
  return answer;
}

TEST(SideBySide, FollowsWhatIsComparedByTheOtherAndTheDifference) {
  const Answer joined = side_by_side(kernels({{0, "MatMul", 100, 0.5}, {0, "Add", 40, 0}}),
                                     kernels({{1, "Add", 70, 0}, {1, "MatMul", 90, 0.75}}), {});
  const Table& table = joined.tables[0];
  EXPECT_EQ(keys_of_columns(table),
            (Row{"device", "name", "total", "compared_total", "total_difference", "mfu",
                 "compared_mfu", "mfu_difference", "bound"}));
  EXPECT_EQ(table.column(3).title, "Compared total");
  EXPECT_EQ(table.column(4).title, "Total difference");
  EXPECT_EQ(table.column(6).title, "Compared MFU");
  EXPECT_EQ(table.column(7).kind, Kind::kShare);
  EXPECT_EQ(table.notes, (Row{"a note"}));
  EXPECT_EQ(
      cells_of(table),
      (std::vector<Row>{{"0", "MatMul", "100", "90", "-10", "0.50", "0.75", "0.25", "compute"},
                        {"0", "Add", "40", "70", "30", "-", "-", "-", "compute"}}));
  EXPECT_TRUE(joined.sentences.empty());
}

TEST(SideBySide, TellsOfRowsThatOneSideHasAlone) {
  const Answer joined =
      side_by_side(kernels({{0, "Old", 10, 0.5}}), kernels({{1, "New", 20, 0.25}}), {});
  EXPECT_EQ(cells_of(joined.tables[0]),
            (std::vector<Row>{{"0", "Old", "10", "-", "-10", "0.50", "-", "-", "compute"},
                              {"1", "New", "-", "20", "20", "-", "0.25", "-", "-"}}));
}

TEST(SideBySide, MatchesRowsOfOneNameByWhatElseTellsThemApart) {
  const Answer joined = side_by_side(kernels({{0, "Add", 1, 0}, {1, "Add", 2, 0}}),
                                     kernels({{1, "Add", 20, 0}, {0, "Add", 10, 0}}), {});
  const std::vector<Row> rows = cells_of(joined.tables[0]);
  EXPECT_EQ(rows[0][3], "10");
  EXPECT_EQ(rows[1][3], "20");
  // Which of the two rows of the base it is nothing tells.
  const Answer doubtful =
      side_by_side(kernels({{0, "Add", 1, 0}, {1, "Add", 2, 0}}), kernels({{7, "Add", 20, 0}}), {});
  EXPECT_EQ(doubtful.tables[0].size(), 3U);
  EXPECT_EQ(cells_of(doubtful.tables[0])[0][3], "-");
}

TEST(SideBySide, ComparesSumsPerStepWhereStepsDiffer) {
  const Answer joined = side_by_side(kernels({{0, "Add", 100, 0.5}}),
                                     kernels({{0, "Add", 90, 0.5}}), {.base = 1, .other = 3});
  const Table& table = joined.tables[0];
  EXPECT_EQ(table.column(4).title, "Total difference per step");
  EXPECT_EQ(cells_of(table)[0],
            (Row{"0", "Add", "100", "90", "-70", "0.50", "0.50", "0.00", "compute"}));
  ASSERT_EQ(joined.sentences.size(), 1U);
  EXPECT_NE(joined.sentences[0].find("of 1 step here and of 3 steps"), std::string::npos);
}

Answer modules(const std::vector<std::pair<const char*, std::int64_t>>& list) {
  Table table("modules", "Modules");
  table.text("module", "Module");
  table.duration("total", "Total");
  table.comparison = {.names = {"module"}, .also = {}, .sums = {"total"}, .values = {}};
  for (const auto& [name, total_ns] : list) table.row(name, total_ns);
  Answer answer;
  answer.tables.push_back(std::move(table));
  return answer;
}

TEST(SideBySide, KnowsRowsOfATreeByWhatIsAroundThem) {
  const Answer joined = side_by_side(
      modules({{"A", 30}, {"  Norm", 10}, {"B", 50}, {"  Norm", 20}}),
      modules({{"B", 51}, {"  Norm", 22}, {"  Gate", 5}, {"A", 33}, {"  Norm", 13}}), {});
  EXPECT_EQ(cells_of(joined.tables[0]), (std::vector<Row>{{"A", "30", "33", "3"},
                                                          {"  Norm", "10", "13", "3"},
                                                          {"B", "50", "51", "1"},
                                                          {"  Norm", "20", "22", "2"},
                                                          {"B/Gate", "-", "5", "5"}}));
}

TEST(SideBySide, RepeatsNoCountsThatAreEqual) {
  const auto answer = [](std::int64_t count) {
    Table table("calls", "Calls");
    table.text("name", "Name");
    table.integer("count", "Count");
    table.comparison = {.names = {"name"}, .also = {}, .sums = {"count"}, .values = {}};
    table.row("read", 1);
    table.row("write", count);
    Answer made;
    made.tables.push_back(std::move(table));
    return made;
  };
  EXPECT_EQ(side_by_side(answer(5), answer(5), {}).tables[0].columns().size(), 2U);
  EXPECT_EQ(side_by_side(answer(5), answer(6), {}).tables[0].columns().size(), 4U);
}

TEST(SideBySide, LeavesTablesWithoutNamesAsTheyAre) {
  Answer base = modules({{"A", 30}});
  base.tables[0].comparison = {};
  const Answer joined =
      side_by_side(std::move(base), modules({{"A", 31}}), {.base = 1, .other = 2});
  EXPECT_EQ(joined.tables[0].columns().size(), 2U);
  EXPECT_TRUE(joined.sentences.empty());
  EXPECT_EQ(side_by_side(modules({{"A", 30}}), Answer(), {}).tables[0].columns().size(), 2U);
}

}  // namespace
}  // namespace npuprof::answers
