#include "answers/selection.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof::answers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Answer fruit() {
  Table table("fruit", "Fruit");
  table.text("name", "Name");
  table.integer("count", "Count");
  table.share("share", "Share");
  table.row("apple", 3, 0.3);
  table.row("pear", 5, 0.5);
  table.add("plum").skip().skip();
  table.row("banana", 2, 0.2);
  Table numbers("numbers", "Numbers");
  numbers.integer("value", "Value");
  numbers.row(1);
  numbers.row(2);
  Answer answer;
  answer.tables.push_back(std::move(table));
  answer.tables.push_back(std::move(numbers));
  return answer;
}

std::vector<std::string> names(const Answer& answer) {
  std::vector<std::string> result;
  for (std::size_t row = 0; row < answer.tables[0].size(); ++row) {
    result.emplace_back(answer.tables[0].text_at(0, row));
  }
  return result;
}

TEST(Selection, NothingChosenKeepsEverything) {
  Answer answer = fruit();
  ASSERT_TRUE(select_rows(answer, {}).ok());
  EXPECT_THAT(names(answer), ElementsAre("apple", "pear", "plum", "banana"));
}

TEST(Selection, ANameFiltersTablesWithTextsOnly) {
  Answer answer = fruit();
  ASSERT_TRUE(select_rows(answer, {.name = "^p|nana"}).ok());
  EXPECT_THAT(names(answer), ElementsAre("pear", "plum", "banana"));
  EXPECT_EQ(answer.tables[1].size(), 2U);
}

TEST(Selection, WhatANameDoesNotFilterIsSaid) {
  Answer answer = fruit();
  answer.sentences = {"There are ten."};
  ASSERT_TRUE(select_rows(answer, {.name = "plum"}).ok());
  EXPECT_THAT(answer.sentences,
              ElementsAre("About everything, not only what matches \"plum\":", "There are ten."));
  EXPECT_TRUE(answer.tables[0].notes.empty());
  EXPECT_THAT(answer.tables[1].notes, ElementsAre(HasSubstr("All rows")));
}

TEST(Selection, ANameThatNothingMatchesIsSaid) {
  Answer answer = fruit();
  ASSERT_TRUE(select_rows(answer, {.name = "zzzz"}).ok());
  EXPECT_THAT(names(answer), ElementsAre());
  EXPECT_THAT(answer.sentences, ElementsAre("Nothing matches \"zzzz\"."));
}

TEST(Selection, ABrokenExpressionIsRefused) {
  Answer answer = fruit();
  const Status status = select_rows(answer, {.name = "(a"});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr("regular expression"));
}

TEST(Selection, NumbersAreSortedFromHighToLowAndAbsentOnesComeLast) {
  Answer answer = fruit();
  ASSERT_TRUE(select_rows(answer, {.sort = "count"}).ok());
  EXPECT_THAT(names(answer), ElementsAre("pear", "apple", "banana", "plum"));
  ASSERT_TRUE(select_rows(answer, {.sort = "Share"}).ok());
  EXPECT_THAT(names(answer), ElementsAre("pear", "apple", "banana", "plum"));
}

TEST(Selection, TextsAreSortedFromAToZ) {
  Answer answer = fruit();
  ASSERT_TRUE(select_rows(answer, {.sort = "name"}).ok());
  EXPECT_THAT(names(answer), ElementsAre("apple", "banana", "pear", "plum"));
}

TEST(Selection, AColumnThatNoTableHasIsRefusedWithThoseThereAre) {
  Answer answer = fruit();
  const Status status = select_rows(answer, {.sort = "weight"});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("count, name, share, value"));
}

TEST(Selection, TopKeepsTheFirstRowsAndZeroAll) {
  Answer answer = fruit();
  ASSERT_TRUE(select_rows(answer, {.sort = "count", .top = 0}).ok());
  EXPECT_EQ(answer.tables[0].size(), 4U);
  ASSERT_TRUE(select_rows(answer, {.sort = "count", .top = 1}).ok());
  EXPECT_THAT(names(answer), ElementsAre("pear"));
  EXPECT_EQ(answer.tables[1].size(), 1U);
}

TEST(Selection, TopCountsRowsOfEachRank) {
  Answer answer = fruit();
  answer.tables[0].put_first("rank", "Rank", 0);
  Answer other = fruit();
  other.tables[0].put_first("rank", "Rank", 1);
  answer.tables[0].append(other.tables[0]);
  ASSERT_TRUE(select_rows(answer, {.sort = "count", .top = 1}).ok());
  ASSERT_EQ(answer.tables[0].size(), 2U);
  EXPECT_THAT(answer.tables[0].column(0).numbers, ElementsAre(0, 1));
  EXPECT_EQ(answer.tables[0].text_at(1, 1), "pear");
  EXPECT_EQ(answer.tables[1].size(), 1U);
}

}  // namespace
}  // namespace npuprof::answers
