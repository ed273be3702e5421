#include "report/text/text_buffer.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace npuprof::report {
namespace {

std::string real(double value) { return std::string(TextBuffer().real(value).view()); }
std::string quoted_json(std::string_view value) {
  return std::string(TextBuffer().json(value).view());
}
std::string csv(std::string_view value) { return std::string(TextBuffer().csv(value).view()); }

TEST(TextBuffer, PrintsDoublesAsPythonDoes) {
  EXPECT_EQ(real(53), "53.0");
  EXPECT_EQ(real(162.66), "162.66");
  EXPECT_EQ(real(0), "0.0");
  EXPECT_EQ(real(-0.5), "-0.5");
  EXPECT_EQ(real(1e-5), "1e-05");
  EXPECT_EQ(real(0.0001), "0.0001");
  EXPECT_EQ(real(1e15), "1000000000000000.0");
  EXPECT_EQ(real(1e16), "1e+16");
  EXPECT_EQ(real(7791.799999999966), "7791.799999999966");
}

TEST(TextBuffer, PrintsTimesAndFixedDecimals) {
  TextBuffer out;
  out.microseconds(5).character(' ').microseconds(-5).character(' ').microseconds(
      1736408883369312123);
  EXPECT_EQ(out.view(), "0.005 -0.005 1736408883369312.123");
  out.clear();
  out.fixed(66.3005, 3).character(' ').fixed(2, 0).character(' ').integer(-7);
  EXPECT_EQ(out.view(), "66.300 2 -7");
}

TEST(TextBuffer, RoundsAndDropsZerosAtTheEnd) {
  const auto rounded = [](double value, bool point) {
    return std::string(TextBuffer().rounded(value, 3, point).view());
  };
  EXPECT_EQ(rounded(302, false), "302");
  EXPECT_EQ(rounded(302, true), "302.0");
  EXPECT_EQ(rounded(3.7754, false), "3.775");
  EXPECT_EQ(rounded(4.2, true), "4.2");
  EXPECT_EQ(rounded(100, false), "100");
  EXPECT_EQ(rounded(0, false), "0");
  EXPECT_EQ(rounded(-0.0001, false), "0");
  EXPECT_EQ(rounded(10.0004, false), "10");
}

TEST(TextBuffer, QuotesJson) {
  EXPECT_EQ(quoted_json("aten::mm"), "\"aten::mm\"");
  EXPECT_EQ(quoted_json("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\n\\u0001\"");
  EXPECT_EQ(quoted_json("\xc3\xa9"), "\"\xc3\xa9\"");
  EXPECT_EQ(quoted_json("\xff"), "\"\xef\xbf\xbd\"");
}

TEST(TextBuffer, QuotesCsvOnlyWhenNeeded) {
  EXPECT_EQ(csv("plain;text"), "plain;text");
  EXPECT_EQ(csv("\"1,2\""), "\"\"\"1,2\"\"\"");
  EXPECT_EQ(csv("a\r\nb"), "\"a\r\nb\"");
  EXPECT_EQ(csv("=1+1"), "'=1+1");
  EXPECT_EQ(csv("@f(\"x\",1)"), "\"'@f(\"\"x\"\",1)\"");
  EXPECT_EQ(csv("-1.5"), "-1.5");
  EXPECT_EQ(TextBuffer().csv_lines("=a;b").view(), "\"'=a;\r\nb\"");
}

TEST(TextBuffer, FindsSpecialCharactersAtAnyPlace) {
  const std::string plain = "abcdefghijklmnopqrstuvwx";
  for (std::size_t size = 0; size <= plain.size(); ++size) {
    const std::string text = plain.substr(0, size);
    EXPECT_EQ(quoted_json(text), "\"" + text + "\"");
    EXPECT_EQ(csv(text), text);
    for (std::size_t at = 0; at < size; ++at) {
      const std::string begin = text.substr(0, at);
      const std::string end = text.substr(at + 1);
      EXPECT_EQ(quoted_json(begin + "\"" + end), "\"" + begin + "\\\"" + end + "\"");
      EXPECT_EQ(quoted_json(begin + "\x1f" + end), "\"" + begin + "\\u001f" + end + "\"");
      EXPECT_EQ(quoted_json(begin + "\x80" + end), "\"" + begin + "\xef\xbf\xbd" + end + "\"");
      EXPECT_EQ(quoted_json(begin + "\\" + end), "\"" + begin + "\\\\" + end + "\"");
      EXPECT_EQ(csv(begin + "," + end), "\"" + begin + "," + end + "\"");
      EXPECT_EQ(csv(begin + "\"" + end), "\"" + begin + "\"\"" + end + "\"");
      EXPECT_EQ(csv(begin + "\r" + end), "\"" + begin + "\r" + end + "\"");
      EXPECT_EQ(csv(begin + "\n" + end), "\"" + begin + "\n" + end + "\"");
      EXPECT_EQ(csv(begin + "\x80!~" + end), begin + "\x80!~" + end);
    }
  }
}

TEST(TextBuffer, PutsPartsOnLines) {
  const auto json_lines = [](std::string_view value) {
    return std::string(TextBuffer().json_lines(value).view());
  };
  const auto csv_lines = [](std::string_view value) {
    return std::string(TextBuffer().csv_lines(value).view());
  };
  EXPECT_EQ(json_lines(""), "\"\"");
  EXPECT_EQ(json_lines("a"), "\"a\"");
  EXPECT_EQ(json_lines("a;b\"c;"), "\"a;\\r\\nb\\\"c;\\r\\n\"");
  EXPECT_EQ(csv_lines(""), "");
  EXPECT_EQ(csv_lines("1,2"), "\"1,2\"");
  EXPECT_EQ(csv_lines("a;b\"c;"), "\"a;\r\nb\"\"c;\r\n\"");
}

TEST(TextBuffer, TrimsMicroseconds) {
  const auto trimmed = [](std::int64_t ns) {
    return std::string(TextBuffer().trimmed_microseconds(ns).view());
  };
  EXPECT_EQ(trimmed(0), "0.0");
  EXPECT_EQ(trimmed(5), "0.005");
  EXPECT_EQ(trimmed(-1500), "-1.5");
  EXPECT_EQ(trimmed(1200000), "1200.0");
  EXPECT_EQ(trimmed(1200340), "1200.34");
}

// The quick way must agree with the exact one, also in the middle between two results.
TEST(TextBuffer, RoundsFixedDecimalsAsPrintfDoes) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  for (int i = 0; i < 200000; ++i) {
    double value = std::ldexp(mantissa(random), static_cast<int>(random() % 64) - 20);
    if (i % 4 == 0) value = std::floor(value) + 0.5;
    if (i % 4 == 1) value = std::floor(value * 10000) / 10000;
    if (i % 4 == 2)
      value = static_cast<double>(static_cast<std::int64_t>(random() % 100000)) / 2000;
    const int decimals = static_cast<int>(random() % 6);
    char expected[400];
    const int size = std::snprintf(expected, sizeof(expected), "%.*f", decimals, value);
    ASSERT_EQ(TextBuffer().fixed(value, decimals).view(),
              std::string_view(expected, static_cast<std::size_t>(size)))
        << value << " with " << decimals;
  }
}

TEST(TextBuffer, PrintsNumbersAgainAsBefore) {
  TextBuffer out;
  std::string expected;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 4000; ++i) {
      const double value = i == 0 ? -0.0 : static_cast<double>(i) / 1024;
      out.real(value).character(' ');
      expected += real(value) + ' ';
    }
  }
  EXPECT_EQ(out.view(), expected);
}

TEST(TextBuffer, GrowsFromNothing) {
  TextBuffer out(1);
  std::string expected;
  for (int i = 0; i < 10000; ++i) {
    out.integer(i).text(", ");
    expected += std::to_string(i) + ", ";
  }
  EXPECT_EQ(out.view(), expected);
}

}  // namespace
}  // namespace npuprof::report
