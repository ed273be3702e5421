// CSV files beside those of the vendor's parsers for the same raw directories. Each difference that
// is allowed here has its row in docs/compatibility.md.

#include <string>
#include <vector>

#include "parse/csv_table.h"
#include "parse/row_compare.h"
#include "parse/vendor_case.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::cell;
using npuprof::testing::CsvTable;
using npuprof::testing::Differences;
using npuprof::testing::file_names;
using npuprof::testing::kNotCompared;
using npuprof::testing::read_csv;
using npuprof::testing::Row;
using npuprof::testing::Rows;

bool is_mix_kernel(const Row& row) {
  for (const auto& [column, text] : row) {
    if (text.ends_with("_FlashAttentionScore_FlashAttentionScore")) return true;
  }
  return false;
}

// Their times of samples are rounded to 256 ns.
constexpr double kSampleUs = 0.26;
// Differences of absolute times in doubles.
constexpr double kDoubleUs = 0.26;

Differences differences_of(const std::string& file, int level) {
  Differences allowed;
  // At level 0 they show the whole task of a MIX kernel, we the kernel itself.
  const bool mix_differs = level == 0;
  if (file == "kernel_details.csv" || file == "op_summary.csv") {
    const std::string wait = file == "op_summary.csv" ? "Task Wait Time(us)" : "Wait Time(us)";
    allowed.tolerance = {{wait, mix_differs ? 0.5 : kDoubleUs}};
    if (mix_differs) allowed.skip = is_mix_kernel;
  } else if (file == "task_time.csv" && mix_differs) {
    allowed.tolerance = {{"kernel_name", kNotCompared}};
  } else if (file == "memory_record.csv") {
    allowed.skip = [](const Row& row) { return cell(row, "Component") == "APP"; };
  } else if (file == "npu_mem.csv") {
    allowed.tolerance = {{"timestamp(us)", kSampleUs}};
  } else if (file == "aicpu.csv" || file == "data_preprocess.csv") {
    allowed.tolerance = {{"Timestamp(us)", kSampleUs}};
  } else if (file == "hbm.csv") {
    // There is one sample of each, too few for a rate; they show the count itself.
    allowed.tolerance = {{"Read(MB/s)", kNotCompared}, {"Write(MB/s)", kNotCompared}};
  } else if (file == "operator_details.csv") {
    // Of a collective they take the first task or the whole, of a MIX kernel at level 0 nothing.
    allowed.tolerance = {{"Device Self Duration(us)", mix_differs ? 63 : 48},
                         {"Device Total Duration(us)", mix_differs ? 120 : 48}};
  } else if (file == "step_trace_time.csv") {
    for (const char* column :
         {"Computing", "Communication(Not Overlapped)", "Overlapped", "Free", "Stage",
          "Communication(Not Overlapped and Exclude Receive)", "Preparing"}) {
      allowed.tolerance[column] = kDoubleUs;
    }
  }
  return allowed;
}

class VendorCsv : public npuprof::testing::VendorTest {
 protected:
  static void compare_all(const fs::path& theirs, const fs::path& ours) {
    EXPECT_EQ(file_names(ours, ".csv"), file_names(theirs, ".csv"));
    for (const std::string& file : file_names(theirs, ".csv")) {
      SCOPED_TRACE(file);
      if (!fs::exists(ours / file)) continue;
      const CsvTable their_table = read_csv(theirs / file);
      const CsvTable our_table = read_csv(ours / file);
      EXPECT_EQ(our_table.header, their_table.header);
      EXPECT_EQ(our_table.rows.size(), their_table.rows.size());
      EXPECT_EQ(our_table.crlf_rows == 0, their_table.crlf_rows == 0);
      npuprof::testing::expect_same_rows(their_table.rows, our_table.rows,
                                         differences_of(file, level()));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(LevelAndRank, VendorCsv, npuprof::testing::kAllLevelsAndRanks);

TEST_P(VendorCsv, FrameworkTablesAreTheSame) {
  compare_all(results_->their_framework(rank()), results_->our_framework(rank()));
}

TEST_P(VendorCsv, CannTablesAreTheSame) {
  const fs::path output = "mindstudio_profiler_output";
  compare_all(results_->their_cann(rank()) / output, results_->our_cann(rank()) / output);
}

// Rows are sorted in these files, and readers rely on it.
TEST_P(VendorCsv, RowsAreInTheSameOrder) {
  for (const auto& [file, column] :
       {std::pair<std::string, std::string>("kernel_details.csv", "Name"),
        {"task_time.csv", "task_start(us)"},
        {"operator_memory.csv", "Allocation Time(us)"},
        {"operator_details.csv", "Name"}}) {
    const Rows theirs = read_csv(results_->their_framework(rank()) / file).rows;
    const Rows ours = read_csv(results_->our_framework(rank()) / file).rows;
    ASSERT_EQ(ours.size(), theirs.size()) << file;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_EQ(cell(ours[i], column), cell(theirs[i], column)) << file << ", row " << i;
    }
  }
}

}  // namespace
}  // namespace npuprof
