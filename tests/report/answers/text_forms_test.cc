#include "report/answers/text_forms.h"

#include <algorithm>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace npuprof::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

answers::Table sample() {
  answers::Table table("sample", "A sample");
  table.text("name", "Name");
  table.integer("count", "Count");
  table.duration("total", "Total");
  table.moment("start", "Start");
  table.bytes("size", "Size");
  table.share("share", "Share");
  table.real("speed", "Speed", "GB/s");
  table.row("a,b", 3, 1'234'567, std::int64_t{1'000'000'000'500'000}, 3 << 20, 0.25, 12.5);
  table.add("plain").skip().skip().skip().skip().skip().skip();
  return table;
}

TEST(TerminalText, AColumnHasOneUnitThatFitsItsLargestValue) {
  const std::string text = terminal_text(sample(), {.zero_ns = 1'000'000'000'000'000});
  EXPECT_EQ(text,
            "A sample\n"
            "Name   Count  Total (ms)  Start (ms)  Size (MB)   Share  Speed (GB/s)\n"
            "a,b        3       1.235       0.500        3.0  25.0 %          12.5\n"
            "plain\n");
}

TEST(TerminalText, RowsBeyondTheUsualAreCounted) {
  answers::Table table("t", "T");
  table.integer("n", "N");
  for (int i = 0; i < 30; ++i) table.row(i);
  EXPECT_THAT(terminal_text(table, {}), HasSubstr("... 10 more"));
  EXPECT_THAT(terminal_text(table, {.rows = 0}), Not(HasSubstr("more")));
  EXPECT_THAT(terminal_text(table, {.rows = 29}), HasSubstr("... 1 more"));
}

TEST(TerminalText, LongTextsAreCutBetweenCharacters) {
  answers::Table table("t", "");
  table.text("x", "X");
  std::string umlauts;
  for (int i = 0; i < 40; ++i) umlauts += "\u00fc";
  table.row(umlauts);
  const std::string text = terminal_text(table, {.text_width = 13});
  EXPECT_THAT(text, HasSubstr("\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc...\u00fc\u00fc\u00fc\u00fc\n"));
  EXPECT_THAT(terminal_text(table, {.text_width = 0}), HasSubstr(umlauts));
}

TEST(TerminalText, LargeNumbersHaveAllDigitsBeforeThePoint) {
  answers::Table table("t", "");
  table.real("x", "X");
  for (const double value : {133'645.2, 12.3456789, -250'000.0, 1e20}) table.row(value);
  EXPECT_EQ(terminal_text(table, {}), "      X\n 133645\n 12.346\n-250000\n  1e+20\n");
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  return longest;
}

TEST(TerminalText, TablesFitTheTerminal) {
  answers::Table table("t", "");
  table.text("long", "Long");
  table.integer("n", "N");
  table.text("other", "Other");
  for (int i = 0; i < 6; ++i) table.duration("d" + std::to_string(i), "Duration");
  table.add(std::string(50, 'a')).add(1).add(std::string(30, 'b'));
  for (int i = 0; i < 6; ++i) table.add(1000);
  const std::string wide = terminal_text(table, {});
  EXPECT_GT(longest_line(wide), 160U);
  const std::string fits = terminal_text(table, {.width = 140});
  EXPECT_EQ(longest_line(fits), 140U);
  EXPECT_THAT(fits, HasSubstr("aaa...aaa"));
  EXPECT_THAT(fits, Not(HasSubstr("Not shown")));
  const std::string narrow = terminal_text(table, {.width = 80});
  EXPECT_LE(longest_line(narrow), 80U);
  EXPECT_THAT(narrow, HasSubstr("Not shown here: Duration, Duration, Duration (--wide shows all)"));
  EXPECT_THAT(terminal_text(table, {.width = 5}), HasSubstr("aaa"));
  EXPECT_EQ(terminal_text(table, {.width = 1000}), wide);
}

TEST(CsvText, TitlesSayTheUnitAndAbsentCellsAreEmpty) {
  EXPECT_EQ(csv_text(sample()),
            "Name,Count,Total(us),Start(us),Size(B),Share(%),Speed(GB/s)\n"
            "\"a,b\",3,1234.567,1000000000500.000,3145728,25,12.5\n"
            "plain,,,,,,\n");
}

TEST(CsvText, AColumnOfOtherToolsIsWrittenAsTheyDo) {
  answers::Table table("t", "T");
  table.column(table.duration("kernel_start(ns)", "Kernel Start(ns)")).key_is_final = true;
  table.row(1234);
  EXPECT_EQ(csv_text(table), "Kernel Start(ns)\n1234\n");
}

TEST(CsvText, FormulasAreNoFormulas) {
  answers::Table table("t", "T");
  table.text("name", "Name");
  table.row("=1+1");
  EXPECT_EQ(csv_text(table), "Name\n'=1+1\n");
}

TEST(JsonText, ValuesAreExactAndAbsentOnesNull) {
  const auto rows = nlohmann::json::parse(json_text(sample()));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["total_ns"], 1'234'567);
  EXPECT_EQ(rows[0]["start_ns"], 1'000'000'000'500'000);
  EXPECT_EQ(rows[0]["size_bytes"], 3 << 20);
  EXPECT_EQ(rows[0]["share"], 0.25);
  EXPECT_TRUE(rows[1]["speed"].is_null());
  EXPECT_EQ(rows[1]["name"], "plain");
}

}  // namespace
}  // namespace npuprof::report
