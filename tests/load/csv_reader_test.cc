#include "load/csv_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_directory.h"

namespace npuprof::load {
namespace {

using npuprof::testing::TemporaryDirectory;
using ::testing::ElementsAre;

class Csv : public ::testing::Test {
 protected:
  CsvFile open(const std::string& text) {
    EXPECT_TRUE(write_file(directory_ / "table.csv", text).ok());
    auto csv = CsvFile::open(directory_ / "table.csv");
    EXPECT_TRUE(csv.ok()) << csv.error().message;
    return std::move(csv).value();
  }
  static std::vector<std::string> row(const CsvFile& csv) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < csv.header().size(); ++i) cells.emplace_back(csv.cell(i));
    return cells;
  }

  TemporaryDirectory directory_;
};

TEST_F(Csv, ReadsRowsOfEitherLineEnd) {
  CsvFile csv = open("a,b\r\n1,x\r\n2,\n3,z");
  EXPECT_THAT(csv.header(), ElementsAre("a", "b"));
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(row(csv), ElementsAre("1", "x"));
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(row(csv), ElementsAre("2", ""));
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(row(csv), ElementsAre("3", "z"));
  EXPECT_FALSE(csv.next());
}

TEST_F(Csv, ReadsRowsThatEndInReturnsAlone) {
  CsvFile csv = open("a,b\r1,\"x\ry\"\r2,z\r");
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(row(csv), ElementsAre("1", "x\ry"));
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(row(csv), ElementsAre("2", "z"));
  EXPECT_FALSE(csv.next());
}

TEST_F(Csv, SaysThatAQuotationMarkIsNeverClosed) {
  CsvFile csv = open("a,\"b\n1,2\n3,4\n");
  EXPECT_FALSE(csv.next());
  trace::Losses losses;
  csv.report_losses(losses);
  ASSERT_EQ(losses.items().size(), 1u);
  EXPECT_EQ(losses.items()[0].offset, 2u);
}

// As npuprof writes them.
TEST_F(Csv, TakesTheGuardOffFormulas) {
  CsvFile csv = open("a,b,c,d\n'=1+1,\"'@x,1\",-1,''=y\n'-5,'name','',\"'\"\n");
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(row(csv), ElementsAre("=1+1", "@x,1", "-1", "'=y"));
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(row(csv), ElementsAre("-5", "'name'", "''", "'"));
}

TEST_F(Csv, UnderstandsQuotedCells) {
  CsvFile csv = open("a,b,c\n\"1,2\",\"\"\"32,3\"\"\",\"x\ny\"\n\"\"\"p\"\"\",\"\"\"q\"\"\",r\t\n");
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(row(csv), ElementsAre("1,2", "\"32,3\"", "x\ny"));
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(row(csv), ElementsAre("\"p\"", "\"q\"", "r"));
}

// Tabs keep spreadsheets from rounding times; some writers quote them with the number.
TEST_F(Csv, TrimsInsideOfQuotationMarks) {
  CsvFile csv = open("\"a \",b,c\n\"1736413971558972.912\t\",\" 5\",\"\"\"2,3\"\"\t\"\n");
  EXPECT_THAT(csv.header(), ElementsAre("a", "b", "c"));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.scaled(0, 3), 1736413971558972912);
  EXPECT_EQ(csv.integer(1), 5);
  EXPECT_EQ(csv.cell(2), "\"2,3\"");
}

TEST_F(Csv, SaysWhatItsReaderLeftOut) {
  CsvFile csv = open("a,b\n1,x\n2,y\n3\n4,z\n");
  for (int row = 0; row < 3; ++row) {
    ASSERT_TRUE(csv.next());
    if (row > 0) csv.leave_out("they are late");
  }
  EXPECT_FALSE(csv.next());
  trace::Losses losses;
  csv.report_losses(losses);
  ASSERT_EQ(losses.items().size(), 2u);
  EXPECT_EQ(losses.items()[0].what, "2 rows are left out: they are late");
  EXPECT_EQ(losses.items()[0].records, 2u);
  EXPECT_EQ(losses.items()[0].offset, 8u);
  EXPECT_EQ(losses.items()[1].records, 1u);
}

TEST_F(Csv, FindsColumnsUnderAnyOfTheirNames) {
  CsvFile csv = open("Block Dim,Time(us)\n4,1736408883704643.212\t\n");
  EXPECT_EQ(csv.column({"Block Num", "Block Dim"}), 0u);
  EXPECT_EQ(csv.column("Nothing"), CsvFile::kNoColumn);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.integer(0), 4);
  EXPECT_EQ(csv.scaled(1, 3), 1736408883704643212);
  EXPECT_EQ(csv.integer(CsvFile::kNoColumn), std::nullopt);
}

TEST_F(Csv, PassesOverRowsThatAreCutAndSaysSo) {
  CsvFile csv = open("a,b,c\n1,2,3\n4,5\n\n6,7,8\n9,\"un");
  ASSERT_TRUE(csv.next());
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(row(csv), ElementsAre("6", "7", "8"));
  EXPECT_FALSE(csv.next());
  trace::Losses losses;
  csv.report_losses(losses);
  ASSERT_EQ(losses.items().size(), 2u);
  EXPECT_EQ(losses.items()[0].records, 2u);
  EXPECT_EQ(losses.items()[0].offset, 12u);
  EXPECT_EQ(losses.items()[1].offset, 25u) << "of the quotation mark";
}

TEST_F(Csv, NeedsAHeader) {
  ASSERT_TRUE(write_file(directory_ / "empty.csv", "").ok());
  EXPECT_FALSE(CsvFile::open(directory_ / "empty.csv").ok());
  EXPECT_FALSE(CsvFile::open(directory_ / "absent.csv").ok());
}

}  // namespace
}  // namespace npuprof::load
