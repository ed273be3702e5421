#include "report/csv/csv_to_json.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

TEST(CsvToJson, RowsAreObjectsByColumn) {
  EXPECT_EQ(csv_to_json("a,b\n1,x\n-2.50,\n"), R"([{"a":1,"b":"x"},{"a":-2.50,"b":""}])");
  EXPECT_EQ(csv_to_json("a\r\n1\r\n"), R"([{"a":1}])");
  EXPECT_EQ(csv_to_json("a\n"), "[]");
  EXPECT_EQ(csv_to_json(""), "[]");
}

TEST(CsvToJson, TimesAreTextsWithoutTheirTab) {
  EXPECT_EQ(csv_to_json("t\n1050.000\t\n"), R"([{"t":"1050.000"}])");
}

TEST(CsvToJson, WhatIsNoNumberOfJsonIsText) {
  for (const char* cell : {"007", ".5", "5.", "-", "1e", "0x1F", "N/A", "1 2", "nan", "--1"}) {
    EXPECT_EQ(csv_to_json("a\n" + std::string(cell) + "\n"),
              R"([{"a":")" + std::string(cell) + R"("}])")
        << cell;
  }
  EXPECT_EQ(csv_to_json("a\n0\n0.5\n1e+16\n"), R"([{"a":0},{"a":0.5},{"a":1e+16}])");
}

TEST(CsvToJson, QuotedCellsMayHoldAnything) {
  EXPECT_EQ(csv_to_json("a,b\n\"x,\"\"y\"\"\nz\",2\n"), R"([{"a":"x,\"y\"\nz","b":2}])");
  EXPECT_EQ(csv_to_json("a\n\"open"), R"([{"a":"open"}])");
  EXPECT_EQ(csv_to_json("a\n'=1+1\n"), R"([{"a":"=1+1"}])");
}

TEST(CsvToJson, FilesOfAnExportGivePlaceButNotToATimeline) {
  const npuprof::testing::TemporaryDirectory directory;
  ASSERT_TRUE(write_file(directory / "op_summary_1.csv", "a\n1\n").ok());
  ASSERT_TRUE(write_file(directory / "step_trace_1.csv", "a\n1\n").ok());
  ASSERT_TRUE(write_file(directory / "step_trace_1.json", "[]").ok());
  ASSERT_TRUE(write_file(directory / "other.csv", "a\n1\n").ok());
  ASSERT_TRUE(csv_files_to_json(directory.path(), "_1").ok());
  EXPECT_EQ(read_file(directory / "op_summary_1.json").value(), R"([{"a":1}])");
  EXPECT_FALSE(std::filesystem::exists(directory / "op_summary_1.csv"));
  EXPECT_EQ(read_file(directory / "step_trace_1.json").value(), "[]");
  EXPECT_TRUE(std::filesystem::exists(directory / "step_trace_1.csv"));
  EXPECT_TRUE(std::filesystem::exists(directory / "other.csv"));
}

}  // namespace
}  // namespace npuprof::report
