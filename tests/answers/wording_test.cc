#include "answers/wording.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace npuprof::answers {
namespace {

TEST(Wording, DurationsHaveThreeDigitsInTheUnitThatFits) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(850), "850 ns");
  EXPECT_EQ(duration_text(1'000), "1.00 us");
  EXPECT_EQ(duration_text(12'340), "12.3 us");
  EXPECT_EQ(duration_text(999'400), "999 us");
  EXPECT_EQ(duration_text(999'900), "1.00 ms");
  EXPECT_EQ(duration_text(4'560'000'000), "4.56 s");
  EXPECT_EQ(duration_text(-12'340), "-12.3 us");
  EXPECT_EQ(duration_text(INT64_MAX), "9223372037 s");
}

TEST(Wording, BytesCountIn1024) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1536), "1.50 KB");
  EXPECT_EQ(bytes_text(std::int64_t{3} << 30), "3.00 GB");
  EXPECT_EQ(bytes_text(-2048), "-2.00 KB");
}

TEST(Wording, SharesArePercent) {
  EXPECT_EQ(share_text(0.1234), "12.3 %");
  EXPECT_EQ(share_text(1), "100.0 %");
}

TEST(Wording, OneOfAThingIsNotSeveral) {
  EXPECT_EQ(count_text(1, "call"), "1 call");
  EXPECT_EQ(count_text(0, "call"), "0 calls");
  EXPECT_EQ(count_text(2, "call"), "2 calls");
}

TEST(Wording, LongNamesAreCutBetweenCharacters) {
  EXPECT_EQ(short_text(std::string(80, 'a')), std::string(80, 'a'));
  EXPECT_EQ(short_text(std::string(81, 'a')), std::string(77, 'a') + "...");
  // The character of two bytes at 76 and 77 goes as a whole.
  const std::string text = std::string(76, 'a') + "\xC3\xA9" + std::string(20, 'b');
  EXPECT_EQ(short_text(text), std::string(76, 'a') + "...");
}

}  // namespace
}  // namespace npuprof::answers
