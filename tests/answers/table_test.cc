#include "answers/table.h"

#include <cmath>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

namespace npuprof::answers {
namespace {

// Two rows with all kinds of columns.
Table animals() {
  Table table("animals", "Animals");
  table.text("name", "Name");
  table.integer("legs", "Legs");
  table.duration("life", "Life");
  table.real("speed", "Speed", "m/s");
  table.share("hair", "Hair");
  table.row("spider", 8, std::int64_t{100}, 0.5, 0.25);
  table.row("cat", 4, std::int64_t{900}, 13.0, 1.0);
  return table;
}

TEST(AnswerTable, HasARowWhenAllColumnsHaveACell) {
  const Table table = animals();
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.text_at(0, 1), "cat");
  EXPECT_EQ(table.column(1).numbers[0], 8);
  EXPECT_EQ(table.column(2).numbers[1], 900);
  EXPECT_EQ(table.column(3).unit, "m/s");
  EXPECT_EQ(table.column(4).reals[0], 0.25);
  EXPECT_EQ(Table("none", "None").size(), 0u);
}

TEST(AnswerTable, TakesIntegersInColumnsOfReals) {
  Table table("numbers", "Numbers");
  table.real("value", "Value");
  table.row(3);
  EXPECT_EQ(table.column(0).reals[0], 3.0);
}

TEST(AnswerTable, SkippedCellsAreAbsentWhateverTheKind) {
  Table table = animals();
  for (std::size_t i = 0; i < table.columns().size(); ++i) table.skip();
  ASSERT_EQ(table.size(), 3u);
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    EXPECT_TRUE(table.is_absent(i, 2)) << i;
    EXPECT_FALSE(table.is_absent(i, 0)) << i;
  }
}

TEST(AnswerTable, ANothingIsASkippedCell) {
  Table table("numbers", "Numbers");
  table.integer("a", "A");
  table.share("b", "B");
  table.row(std::optional<std::int64_t>(), std::optional<double>(0.5));
  table.row(std::optional<std::int64_t>(7), std::optional<double>());
  EXPECT_TRUE(table.is_absent(0, 0));
  EXPECT_EQ(table.column(1).reals[0], 0.5);
  EXPECT_EQ(table.column(0).numbers[1], 7);
  EXPECT_TRUE(std::isnan(table.column(1).reals[1]));
}

TEST(AnswerTable, FindsColumnsByKeyAndByTitle) {
  const Table table = animals();
  EXPECT_EQ(table.find("legs"), 1u);
  EXPECT_EQ(table.find("Speed"), 3u);
  EXPECT_EQ(table.find("LEGS"), std::nullopt);
  EXPECT_EQ(table.find(""), std::nullopt);
}

TEST(AnswerTable, ReordersAllColumnsAndLeavesRowsOut) {
  Table table = animals();
  table.row("ant", 6, std::int64_t{50}, 0.1, 0.0);
  table.reorder({2, 0});
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table.text_at(0, 0), "ant");
  EXPECT_EQ(table.text_at(0, 1), "spider");
  EXPECT_EQ(table.column(1).numbers, (std::vector<std::int64_t>{6, 8}));
  EXPECT_EQ(table.column(3).reals, (std::vector<double>{0.1, 0.5}));
  table.reorder({});
  EXPECT_EQ(table.size(), 0u);
}

TEST(AnswerTable, AppendsRowsWithTextsOfAnotherPool) {
  Table table = animals();
  table.notes = {"both"};
  Table other = animals();
  // The pools number their texts differently.
  other.reorder({1});
  other.row("dog", 4, std::int64_t{800}, 12.0, 0.9);
  other.row("spider", 8, std::int64_t{101}, 0.5, 0.25);
  other.notes = {"both", "new"};
  table.append(other);
  ASSERT_EQ(table.size(), 5u);
  EXPECT_EQ(table.text_at(0, 2), "cat");
  EXPECT_EQ(table.text_at(0, 3), "dog");
  EXPECT_EQ(table.text_at(0, 4), "spider");
  EXPECT_EQ(table.column(0).texts[0], table.column(0).texts[4]);
  EXPECT_EQ(table.column(2).numbers[4], 101);
  EXPECT_EQ(table.notes, (std::vector<std::string>{"both", "new"}));
}

TEST(AnswerTable, AppendedAbsentCellsStayAbsent) {
  Table table = animals();
  Table other = animals();
  for (std::size_t i = 0; i < other.columns().size(); ++i) other.skip();
  table.append(other);
  ASSERT_EQ(table.size(), 5u);
  for (std::size_t i = 0; i < table.columns().size(); ++i) EXPECT_TRUE(table.is_absent(i, 4)) << i;
}

TEST(AnswerTable, ARankCanBePutBeforeAllRows) {
  Table table = animals();
  table.put_first("rank", "Rank", 3);
  EXPECT_EQ(table.find("rank"), 0u);
  EXPECT_EQ(table.find("name"), 1u);
  EXPECT_EQ(table.column(0).numbers, (std::vector<std::int64_t>{3, 3}));
  Table other = animals();
  other.put_first("rank", "Rank", 4);
  table.append(other);
  EXPECT_EQ(table.column(0).numbers, (std::vector<std::int64_t>{3, 3, 4, 4}));
  EXPECT_EQ(table.text_at(1, 3), "cat");
}

TEST(AnswerTable, AnEmptyTableStaysEmptyWithARank) {
  Table table("none", "None");
  table.text("name", "Name");
  table.put_first("rank", "Rank", 3);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.columns().size(), 2u);
}

}  // namespace
}  // namespace npuprof::answers
