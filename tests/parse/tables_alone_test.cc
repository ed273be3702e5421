// A folder of tables without a timeline, loaded and written again.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "database_rows.h"
#include "link/link.h"
#include "load/csv_reader.h"
#include "load/load_profile.h"
#include "report/result_files.h"
#include "temporary_directory.h"
#include "whole_tables.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class TablesAlone : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path results = directory_ / "run/ASCEND_PROFILER_OUTPUT";
    fs::create_directories(results);
    const auto write = [&](const char* name, const std::string& text) {
      ASSERT_TRUE(write_file(results / name, text).ok());
    };
    write("kernel_details.csv",
          "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
          "8,1,a,Add,AI_CORE,1736413971000010.000\t,2\n"
          "8,1,hcom_allReduce__1_0_1,hcom_allReduce_,COMMUNICATION,1736413971000013.000\t,9\n"
          "9,1,b,Add,AI_CORE,1736413971000020.000\t,2\n");
    write("operator_memory.csv",
          "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),"
          "Stream Ptr,Device Type\n"
          "aten::add,4,1736413971000009.000\t,1736413971000015.000\t,,77,NPU:1\n"
          ",8,1736413971000019.000\t,,,77,NPU:1\n");
    ThreadPool pool(1);
    trace::Losses losses;
    const auto found = load::discover(directory_ / "run");
    ASSERT_TRUE(found.ok()) << found.error().message;
    auto trace = load::load_profile(found->profiles.front(), pool, losses);
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    npuprof::testing::expect_whole_tables(*trace);
    link::link_all(*trace, nullptr);
    const report::ExportOptions options{
        .text = true, .database = true, .output = directory_ / "again"};
    const auto status = report::export_framework(*trace, options, pool);
    ASSERT_TRUE(status.ok()) << status.error().message;
  }

  std::vector<std::string> column(const char* file, const char* title) const {
    auto csv = load::CsvFile::open(directory_ / "again" / file);
    EXPECT_TRUE(csv.ok()) << csv.error().message;
    std::vector<std::string> cells;
    const std::size_t index = csv->column(title);
    EXPECT_NE(index, load::CsvFile::kNoColumn) << file << " has no column " << title;
    while (csv->next()) cells.emplace_back(csv->cell(index));
    return cells;
  }

  npuprof::testing::TemporaryDirectory directory_;
};

TEST_F(TablesAlone, KeepStepsOfKernels) {
  EXPECT_THAT(column("kernel_details.csv", "Name"), ElementsAre("a", "hcom_allReduce__1_0_1", "b"));
  EXPECT_THAT(column("kernel_details.csv", "Step Id"), ElementsAre("8", "8", "9"));
  EXPECT_THAT(column("step_trace_time.csv", "Step"), ElementsAre("8", "9"));
}

TEST_F(TablesAlone, KeepNamesOfOwners) {
  EXPECT_THAT(column("operator_memory.csv", "Name"), ElementsAre("aten::add", ""));
  const npuprof::testing::DatabaseRows database(directory_ / "again/ascend_pytorch_profiler.db");
  EXPECT_THAT(database.query("SELECT value FROM OP_MEMORY, STRING_IDS WHERE name = id"),
              ElementsAre(::testing::HasSubstr("aten::add")));
}

}  // namespace
}  // namespace npuprof
