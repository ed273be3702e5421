// One description serves text files and databases.

#include "report/tables/result_table.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "report/sqlite/sqlite_query.h"
#include "report/tables/stored_table.h"
#include "report/tables/text_table.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

using format::results::key_column;
using format::results::kI;
using format::results::kN;
using format::results::kT;
using format::results::Unit;

struct Meal {
  std::int64_t number;
  std::string_view dish;
  std::optional<std::int64_t> eaten_ns;
  double price;
};

struct Meals {
  std::vector<Meal> meals;
  bool has_prices = false;

  std::size_t size() const { return meals.size(); }
  const Meal& operator[](std::size_t i) const { return meals[i]; }
};

constexpr auto kMeals = shared_table(
    "meals", "MEALS", column(SharedColumn{{"Number"}, key_column("id")}, &Meal::number),
    column(SharedColumn{or_not_available("Dish"), {"dish", kT}}, &Meal::dish),
    column(SharedColumn{{"Eaten(us)", Print::kTimeUs}, {"eaten", kN, Unit::kUs}}, &Meal::eaten_ns),
    only_if(&Meals::has_prices,
            column(SharedColumn{{"Price", Print::kRoundedPoint}, {"price", kN}}, &Meal::price)),
    column(
        SharedColumn{{"Stored"}, {"stored", kI}},
        [](const Meal&) { return std::string_view("no"); }, &Meal::number));

const std::vector<Meal> kTwoMeals = {{4, "Soup, hot", 1'234'567, 3}, {9, "", std::nullopt, 1.5}};

class Tables : public ::testing::Test {
 protected:
  std::string text_of(const Meals& meals) {
    const CsvTarget target{.directory = directory_.path()};
    EXPECT_TRUE(write_text_table<kMeals>(meals, target, pool_).ok());
    const auto text = read_file(directory_ / "meals.csv");
    return text.ok() ? *text : "no file";
  }

  npuprof::testing::TemporaryDirectory directory_;
  ThreadPool pool_{1};
};

TEST_F(Tables, ATextFileHasHeadersAndPrintedCells) {
  EXPECT_EQ(text_of({kTwoMeals, true}),
            "Number,Dish,Eaten(us),Price,Stored\n"
            "4,\"Soup, hot\",1234.567\t,3.0,no\n"
            "9,N/A,,1.5,no\n");
}

TEST_F(Tables, AColumnIsLeftOutWhereItsConditionIsNotMet) {
  EXPECT_EQ(text_of({kTwoMeals, false}),
            "Number,Dish,Eaten(us),Stored\n"
            "4,\"Soup, hot\",1234.567\t,no\n"
            "9,N/A,,no\n");
}

TEST_F(Tables, ThereIsNoFileWithoutRows) { EXPECT_EQ(text_of({}), "no file"); }

TEST_F(Tables, ADatabaseHasTheSameColumnsWithItsOwnContents) {
  const auto path = directory_ / "meals.db";
  auto database = sqlite::BulkDatabase::create(path, pool_);
  ASSERT_TRUE(database.ok());
  sqlite::write_stored_table<kMeals>(Meals{kTwoMeals, true}, *database);
  ASSERT_TRUE(database->close().ok());
  EXPECT_EQ(testing::query(path, "SELECT sql FROM sqlite_master"),
            (std::vector<std::string>{"CREATE TABLE MEALS (id INTEGER PRIMARY KEY, dish TEXT, "
                                      "eaten NUMERIC, price NUMERIC, stored INTEGER)"}));
  EXPECT_EQ(testing::query(path, "SELECT id, dish, eaten, price, stored FROM MEALS"),
            (std::vector<std::string>{"4|Soup, hot|1234.567|3|4", "9||NULL|1.5|9"}));
}

TEST_F(Tables, AFileOfAnotherNameHasTheSameColumns) {
  static constexpr auto kSuppers = kMeals.in_file("suppers");
  const CsvTarget target{.directory = directory_.path()};
  ASSERT_TRUE(write_text_table<kSuppers>(Meals{kTwoMeals}, target, pool_).ok());
  EXPECT_TRUE(std::filesystem::exists(directory_ / "suppers.csv"));
}

}  // namespace
}  // namespace npuprof::report
