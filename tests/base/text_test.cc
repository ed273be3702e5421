#include "base/text.h"

#include <bit>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/extremes.h"

namespace npuprof {
namespace {

using ::testing::ElementsAre;

template <typename T>
std::string integer_text(T value) {
  std::string text;
  append_integer(text, value);
  return text;
}

template <int kDecimals>
std::string scaled_text(std::int64_t value) {
  char buffer[kMaxIntegerChars];
  return {buffer, write_scaled<kDecimals>(buffer, value)};
}

std::string double_text(double value) {
  std::string text;
  append_double(text, value);
  return text;
}

TEST(WriteInteger, AgreesWithTheStandardLibraryAtEveryLength) {
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t value : {power - 1, power, power + 1, power * 9 + power / 2}) {
      EXPECT_EQ(integer_text(value), std::to_string(value));
      const auto as_signed = static_cast<std::int64_t>(value);
      EXPECT_EQ(integer_text(as_signed), std::to_string(as_signed));
      EXPECT_EQ(integer_text(-(as_signed / 2)), std::to_string(-(as_signed / 2)));
    }
    if (power == 10'000'000'000'000'000'000u) break;
  }
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t value = std::uint64_t{1} << bit;
    EXPECT_EQ(integer_text(value), std::to_string(value));
    EXPECT_EQ(integer_text(value - 1), std::to_string(value - 1));
  }
}

TEST(WriteInteger, TakesEveryWidth) {
  EXPECT_EQ(integer_text(std::int8_t{-128}), "-128");
  EXPECT_EQ(integer_text(std::uint8_t{255}), "255");
  EXPECT_EQ(integer_text(std::uint16_t{65535}), "65535");
  EXPECT_EQ(integer_text(-1), "-1");
  EXPECT_EQ(integer_text(kMinimum), "-9223372036854775808");
  EXPECT_EQ(integer_text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(WriteScaled, PlacesThePointAndKeepsZeros) {
  EXPECT_EQ(scaled_text<3>(1234567), "1234.567");
  EXPECT_EQ(scaled_text<3>(0), "0.000");
  EXPECT_EQ(scaled_text<3>(7), "0.007");
  EXPECT_EQ(scaled_text<3>(-7), "-0.007");
  EXPECT_EQ(scaled_text<3>(-1000), "-1.000");
  EXPECT_EQ(scaled_text<1>(95), "9.5");
  EXPECT_EQ(scaled_text<6>(1'000'020), "1.000020");
  EXPECT_EQ(scaled_text<3>(kMinimum), "-9223372036854775.808");
  EXPECT_EQ(scaled_text<3>(kMaximum), "9223372036854775.807");
  EXPECT_EQ(scaled_text<18>(kMinimum), "-9.223372036854775808");
}

TEST(WriteDigits, PadsWithZeros) {
  char buffer[8];
  EXPECT_EQ(std::string(buffer, write_digits(buffer, 42, 5)), "00042");
  EXPECT_EQ(std::string(buffer, write_digits(buffer, 7, 1)), "7");
  EXPECT_EQ(std::string(buffer, write_digits(buffer, 1234, 2)), "34");
}

TEST(WriteDouble, PrefersPlainDecimals) {
  EXPECT_EQ(double_text(0), "0");
  EXPECT_EQ(double_text(-0.0), "-0");
  EXPECT_EQ(double_text(0.1), "0.1");
  EXPECT_EQ(double_text(100000), "100000");
  EXPECT_EQ(double_text(0.00025), "0.00025");
  EXPECT_EQ(double_text(1e16), "1e+16");
  EXPECT_EQ(double_text(1e-7), "1e-07");
  EXPECT_EQ(double_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(double_text(std::nan("")), "nan");
}

TEST(WriteDouble, ReadsBackAsTheSameBitsWithinItsBuffer) {
  std::mt19937_64 random(1);
  std::size_t longest = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto any = std::bit_cast<double>(random());
    // Half of the values have everyday magnitudes, where the plain form is used.
    const double value =
        i % 2 == 0 ? any : std::ldexp(static_cast<double>(random()), static_cast<int>(i % 80) - 80);
    if (!std::isfinite(value)) continue;
    const std::string text = double_text(value);
    longest = std::max(longest, text.size());
    const auto back = parse_number<double>(text);
    ASSERT_TRUE(back.has_value()) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*back), std::bit_cast<std::uint64_t>(value)) << text;
  }
  EXPECT_LE(longest, kMaxDoubleChars);
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,b", ','), ElementsAre("a", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split(",", ','), ElementsAre("", ""));
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  std::vector<std::string_view> parts = {"old"};
  split("x|y", '|', parts);
  EXPECT_THAT(parts, ElementsAre("x", "y"));
}

TEST(Trim, RemovesBlanksAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(ParseNumber, ReadsWholeNumbers) {
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_number<std::int64_t>("-9223372036854775808"), kMinimum);
  EXPECT_EQ(parse_number<double>("2.5e3"), 2500.0);
  EXPECT_EQ(parse_number<float>("0.5"), 0.5f);
}

TEST(ParseNumber, RefusesEverythingElse) {
  for (const std::string_view text : {"", " 1", "1 ", "+1", "1x", "0x10", "--1", "1.5", "-"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
  for (const std::string_view text : {"", "inf", "-inf", "nan", "1e999", "1.5 ", "1,5", "e5"}) {
    EXPECT_EQ(parse_number<double>(text), std::nullopt) << text;
  }
}

TEST(ParseScaled, IsExactForLongNumbers) {
  EXPECT_EQ(parse_scaled("1736408883688177.930", 3), 1736408883688177930);
  EXPECT_EQ(parse_scaled("1736408883688177", 3), 1736408883688177000);
  EXPECT_EQ(parse_scaled("0.001", 3), 1);
  EXPECT_EQ(parse_scaled("-1.5", 3), -1500);
  EXPECT_EQ(parse_scaled(".5", 3), 500);
  EXPECT_EQ(parse_scaled("7.", 3), 7000);
}

TEST(ParseScaled, RoundsToTheNearest) {
  EXPECT_EQ(parse_scaled("0.60003125", 3), 600);
  EXPECT_EQ(parse_scaled("2281.1055625", 3), 2281106);
  EXPECT_EQ(parse_scaled("0.0004", 3), 0);
  EXPECT_EQ(parse_scaled("-0.0005", 3), -1);
  EXPECT_EQ(parse_scaled("9.99", 0), 10);
}

TEST(ParseScaled, TakesExponents) {
  EXPECT_EQ(parse_scaled("1e-3", 3), 1);
  EXPECT_EQ(parse_scaled("1.5e3", 3), 1500000);
}

TEST(ParseScaled, RefusesEverythingElse) {
  for (const std::string_view text :
       {"", ".", "-", "N/A", "1.2.3", "1 ", " 1", "9223372036854775807", "1e400", "nan", "1,5"}) {
    EXPECT_EQ(parse_scaled(text, 3), std::nullopt) << text;
  }
}

TEST(ParseHex, TakesAnOptionalPrefix) {
  EXPECT_EQ(parse_hex<std::uint32_t>("0xff"), 255u);
  EXPECT_EQ(parse_hex<std::uint32_t>("FF"), 255u);
  EXPECT_EQ(parse_hex<std::uint64_t>("0XffffffffFFFFFFFF"), ~std::uint64_t{0});
  for (const std::string_view text : {"", "0x", "0x 1", "fg", "-1", "0x0x1", "100000000"}) {
    EXPECT_EQ(parse_hex<std::uint32_t>(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace npuprof
