#include "answers/time_columns.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace npuprof::answers {
namespace {

TEST(TimeColumns, EveryColumnHasItsCell) {
  Table table("times", "Times");
  declare_times(table);
  add_times(table, {.count = 3,
                    .total_ns = 10,
                    .min_ns = 1,
                    .median_ns = 4,
                    .p90_ns = 5,
                    .p99_ns = 6,
                    .max_ns = 7,
                    .deviation_ns = 1.7});
  ASSERT_EQ(table.size(), 1u);
  const auto number = [&](const char* key) { return table.column(*table.find(key)).numbers[0]; };
  EXPECT_EQ(number("count"), 3);
  EXPECT_EQ(number("total"), 10);
  EXPECT_EQ(number("mean"), 3);
  EXPECT_EQ(number("min"), 1);
  EXPECT_EQ(number("median"), 4);
  EXPECT_EQ(number("p90"), 5);
  EXPECT_EQ(number("p99"), 6);
  EXPECT_EQ(number("max"), 7);
  EXPECT_EQ(number("deviation"), 2);
}

// The smallest number of all means that there is no value.
TEST(TimeColumns, NumbersTooLargeStopAtTheEndOfTheirType) {
  EXPECT_EQ(nearest_integer(1.5), 2);
  EXPECT_EQ(nearest_integer(static_cast<double>(INT64_MAX)), INT64_MAX);
  EXPECT_EQ(nearest_integer(-1e300), -INT64_MAX);
  EXPECT_EQ(nearest_integer(INFINITY), INT64_MAX);
  EXPECT_EQ(nearest_integer(NAN), 0);
}

}  // namespace
}  // namespace npuprof::answers
