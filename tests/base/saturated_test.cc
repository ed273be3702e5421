#include "base/saturated.h"

#include <gtest/gtest.h>

namespace npuprof {
namespace {

TEST(Saturated, SumsStopAtTheEnds) {
  EXPECT_EQ(saturated_sum(2, 3), 5);
  EXPECT_EQ(saturated_sum(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(saturated_sum(INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(saturated_sum(INT64_MIN, INT64_MAX), -1);
}

TEST(Saturated, AddingStopsAtTheEnds) {
  std::int64_t sum = INT64_MAX - 1;
  add_saturated(sum, 5);
  EXPECT_EQ(sum, INT64_MAX);
  std::uint64_t count = 1;
  add_saturated(count, UINT64_MAX);
  EXPECT_EQ(count, UINT64_MAX);
}

TEST(Saturated, DifferencesStopAtTheEnds) {
  EXPECT_EQ(saturated_difference(2, 3), -1);
  EXPECT_EQ(saturated_difference(0, INT64_MIN), INT64_MAX);
  EXPECT_EQ(saturated_difference(-2, INT64_MAX), INT64_MIN);
}

TEST(Saturated, ProductsStopAtTheEnds) {
  EXPECT_EQ(saturated_product(-2, 3), -6);
  EXPECT_EQ(saturated_product(INT64_MAX, 1000), INT64_MAX);
  EXPECT_EQ(saturated_product(INT64_MAX, -2), INT64_MIN);
  EXPECT_EQ(saturated_product(INT64_MIN, -1), INT64_MAX);
}

}  // namespace
}  // namespace npuprof
