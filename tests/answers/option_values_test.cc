#include "answers/option_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof::answers {
namespace {

using ::testing::ElementsAre;

TEST(OptionValues, RanksAreAListOfNumbers) {
  EXPECT_THAT(read_ranks("0,3,12").value(), ElementsAre(0, 3, 12));
  for (const char* text : {"", ",", "1,", "1, 2", "a", "0x1", "1-3", "99999999999"}) {
    EXPECT_FALSE(read_ranks(text)) << text;
  }
}

TEST(OptionValues, StepsAreNumbersAndRanges) {
  const auto ranges = read_step_ranges("1-3,8").value();
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].first, 1);
  EXPECT_EQ(ranges[0].last, 3);
  EXPECT_EQ(ranges[1].first, 8);
  EXPECT_EQ(ranges[1].last, 8);
  EXPECT_EQ(read_step_ranges("3..5").value().front().last, 5);
  for (const char* text : {"", "-1", "3-1", "1-", "1--2", "1...3", "5,", "9223372036854775808"}) {
    EXPECT_FALSE(read_step_ranges(text)) << text;
  }
}

TEST(OptionValues, ARangeHasTwoEndsOrOne) {
  using Range = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(read_range("3..7"), Range(3, 7));
  EXPECT_EQ(read_range("3-7"), Range(3, 7));
  EXPECT_EQ(read_range("5"), Range(5, 5));
  for (const char* text : {"", "..", "7..3", "3..", "..7", "a..b", "1...3", "-3"}) {
    EXPECT_FALSE(read_range(text)) << text;
  }
}

TEST(OptionValues, AShareIsAPercentageOrAFraction) {
  EXPECT_DOUBLE_EQ(read_share("5%").value(), 0.05);
  EXPECT_DOUBLE_EQ(read_share("0.05").value(), 0.05);
  EXPECT_DOUBLE_EQ(read_share("0").value(), 0);
  EXPECT_DOUBLE_EQ(read_share("150%").value(), 1.5);
  for (const char* text : {"1", "5", "100"}) {
    EXPECT_FALSE(read_share(text)) << text << ": of a hundred, or times?";
  }
  for (const char* text : {"", "%", "-1%", "5%%", "5 %", "much", "nan", "inf", "1e99"}) {
    EXPECT_FALSE(read_share(text)) << text;
  }
}

}  // namespace
}  // namespace npuprof::answers
