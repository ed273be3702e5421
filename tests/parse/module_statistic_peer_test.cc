// Tables of modules, compared with those that the vendor's analysis made of the same databases:
// the same rows in the same order.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "analyze/module_statistic.h"
#include "analyze/operator_work.h"
#include "analyze/peak_flops.h"
#include "analyze/peer_mfu.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "link/link.h"
#include "load/load_profile.h"
#include "shared_data.h"
#include "temporary_directory.h"

namespace npuprof {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::shared_data_path;
using npuprof::testing::TemporaryDirectory;
using ::testing::ElementsAreArray;

std::string printed(double value) {
  std::string text;
  append_double(text, value);
  return text;
}

// Cells of all rows in order, joined by '|'.
std::vector<std::string> peer_rows(const fs::path& database, const std::string& query) {
  std::vector<std::string> rows;
  sqlite3* handle = nullptr;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_open_v2(database.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(handle, query.c_str(), -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    std::string row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      if (i > 0) row += '|';
      if (sqlite3_column_type(statement, i) == SQLITE_FLOAT) {
        row += printed(sqlite3_column_double(statement, i));
      } else if (sqlite3_column_type(statement, i) != SQLITE_NULL) {
        row += reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
      }
    }
    rows.push_back(std::move(row));
  }
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  return rows;
}

class ModulesOfPeer : public ::testing::Test {
 protected:
  void load(const std::string& options) {
    const fs::path tool = shared_data_path("tools/gen_module_db.py");
    if (!fs::exists(tool) || !fs::exists(peer("syn_edge_module_statistic_db"))) {
      GTEST_SKIP() << "no reference data at " << tool;
    }
    const std::string command = "python3 '" + tool.native() + "' --out '" +
                                directory_.path().native() + "' " + options + " > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    ThreadPool pool(2);
    trace::Losses losses;
    const auto found = load::discover(directory_.path());
    ASSERT_TRUE(found.ok()) << found.error().message;
    auto trace = load::load_profile(found->profiles.front(), pool, losses);
    ASSERT_TRUE(trace.ok()) << trace.error().message;
    trace_ = std::move(trace).value();
    link::link_all(trace_, &pool);
    work_ = analyze::operator_work(trace_);
  }

  static fs::path peer(const std::string& run) {
    return shared_data_path("data/peer/module_db") / run /
           "cluster_analysis_output/cluster_analysis.db";
  }

  // Parent, module, operator, kernels, total, average, count and, if asked for, utilization.
  std::vector<std::string> our_rows(const analyze::ModuleStatisticOptions& options = {}) const {
    const auto statistic = analyze::module_statistic(trace_, work_, options);
    EXPECT_TRUE(statistic.ok()) << statistic.error().message;
    std::vector<std::string> rows;
    for (const auto& row : statistic->rows) {
      rows.push_back(fmt::format(
          "{}|{}|{}|{}|{}|{}|{}", statistic->paths.view(row.parent_module),
          statistic->paths.view(row.module), trace_.strings.view(row.op_name),
          statistic->kernels(trace_.strings, row), printed(static_cast<double>(row.total_ns)),
          printed(row.average_ns()), row.count));
      if (!options.utilization.empty()) {
        rows.back() += '|' + analyze::utilization_text(row.utilization);
      }
    }
    return rows;
  }

  TemporaryDirectory directory_;
  trace::Trace trace_;
  analyze::OperatorWork work_;
};

constexpr const char* kModuleColumns =
    "parentModule, module, opName, kernelList, \"totalKernelDuration(ns)\", "
    "\"avgKernelDuration(ns)\", opCount";

TEST_F(ModulesOfPeer, RulesOfAttributionGiveTheSameRows) {
  load("--edge");
  if (IsSkipped()) return;
  EXPECT_THAT(our_rows(), ElementsAreArray(peer_rows(
                              peer("syn_edge_module_statistic_db"),
                              fmt::format("SELECT {} FROM ModuleStatistic", kModuleColumns))));
}

TEST_F(ModulesOfPeer, StepsOfTrainingGiveTheSameRows) {
  load("--kernels 2000 --layers 4");
  if (IsSkipped()) return;
  EXPECT_THAT(our_rows(), ElementsAreArray(peer_rows(
                              peer("syn_k2_module_statistic_db"),
                              fmt::format("SELECT {} FROM ModuleStatistic", kModuleColumns))));
}

TEST_F(ModulesOfPeer, UtilizationFromShapesIsTheSame) {
  load("--kernels 2000 --layers 4");
  if (IsSkipped()) return;
  const analyze::Peaks peaks(trace_, {});
  const std::vector<double> values = analyze::peer_mfu_of_shapes(trace_, work_, peaks);
  EXPECT_THAT(our_rows({.utilization = values}),
              ElementsAreArray(peer_rows(
                  peer("old_syn_k2_module_statistic_db"),
                  fmt::format("SELECT {}, avgMFU FROM ModuleStatistic", kModuleColumns))));
}

TEST_F(ModulesOfPeer, UtilizationFromRangesIsTheSame) {
  load("--kernels 2000 --layers 4");
  if (IsSkipped()) return;
  const analyze::Peaks peaks(trace_, {});
  const analyze::PeerMfu mfu = analyze::peer_mfu_of_ranges(trace_, work_, peaks);
  EXPECT_THAT(
      our_rows({.backward = false, .utilization = mfu.by_work}),
      ElementsAreArray(peer_rows(
          peer("syn_k2_operator_mfu_db"),
          "SELECT parent_module, module, op_name, kernel_list, \"total_kernel_duration(ns)\", "
          "\"avg_kernel_duration(ns)\", op_count, avg_mfu FROM ModuleMFU")));
  std::vector<std::string> rows;
  for (const analyze::PeerKernelMfu& row : mfu.rows) {
    const std::size_t work = row.work_row;
    rows.push_back(fmt::format("{}|{}|{}|{:.4f}|{:.2f}|{:.2f}|{}",
                               trace_.strings.view(work_.name[work]), work_.start_ns[work],
                               printed(static_cast<double>(work_.duration_ns[work])), row.mfu,
                               row.tflops, row.peak_tflops, row.flops_name));
  }
  EXPECT_THAT(rows, ElementsAreArray(peer_rows(
                        peer("syn_k2_operator_mfu_db"),
                        "SELECT kernel_name, \"kernel_start(ns)\", \"kernel_duration(ns)\", "
                        "printf('%.4f', mfu), printf('%.2f', actual_tflops), "
                        "printf('%.2f', chip_peak_tflops), flops_op_name FROM OperatorMFU")));
}

}  // namespace
}  // namespace npuprof
