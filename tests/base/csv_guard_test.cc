#include "base/csv_guard.h"

#include <string>

#include <gtest/gtest.h>

namespace npuprof {
namespace {

TEST(CsvGuard, StandsBeforeWhatSpreadsheetsCompute) {
  for (const char* text : {"=1+1", "=cmd|' /C calc'!A0", "@SUM(A1)", "+A1", "-A1", "-1+cmd|'x'!A0",
                           "-E5", "--x", "-1+1", "'=1", "''@x", "=", "@"}) {
    EXPECT_TRUE(needs_csv_guard(text)) << text;
  }
}

TEST(CsvGuard, LeavesNumbersAndNamesAlone) {
  for (const char* text : {"", "aten::mm", "-1", "+5", "-1.5", "-1e-05", "-", "-1,3,224;2", "1=2",
                           "a@b", "'quoted'", "'", "N/A", " =x"}) {
    EXPECT_FALSE(needs_csv_guard(text)) << text;
  }
}

TEST(CsvGuard, ComesOffAgain) {
  for (const std::string text :
       {"=1+1", "-1", "-x", "'=x", "''-1", "'-1", "'", "''", "plain", ""}) {
    EXPECT_EQ(without_csv_guard(needs_csv_guard(text) ? "'" + text : text), text);
  }
}

}  // namespace
}  // namespace npuprof
