#include "report/text/text_buffer.h"

#include <string>

#include <gtest/gtest.h>

namespace npuprof::report {
namespace {

std::string real(double value) { return std::string(TextBuffer().real(value).view()); }
std::string json(std::string_view value) { return std::string(TextBuffer().json(value).view()); }
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
  EXPECT_EQ(json("aten::mm"), "\"aten::mm\"");
  EXPECT_EQ(json("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\n\\u0001\"");
  EXPECT_EQ(json("\xc3\xa9"), "\"\xc3\xa9\"");
  EXPECT_EQ(json("\xff"), "\"\xef\xbf\xbd\"");
}

TEST(TextBuffer, QuotesCsvOnlyWhenNeeded) {
  EXPECT_EQ(csv("plain;text"), "plain;text");
  EXPECT_EQ(csv("\"1,2\""), "\"\"\"1,2\"\"\"");
  EXPECT_EQ(csv("a\r\nb"), "\"a\r\nb\"");
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
