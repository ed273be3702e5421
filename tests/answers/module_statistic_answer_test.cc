#include "answers/module_statistic_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/module_trace.h"
#include "answers/operator_mfu_answer.h"

namespace npuprof::answers {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> keys_of(const Table& table) {
  std::vector<std::string> keys;
  for (const Column& column : table.columns()) keys.push_back(column.key);
  return keys;
}

class ModuleAnswers : public ::testing::Test {
 protected:
  ModuleAnswers() {
    trace_.device(24, 1800);
    trace_->session.rank = 3;
    trace_.module("Model", 0, 100);
    trace_.mark("mfu_flops", "1000000-mm", 10, 40);
    trace_.kernel(trace_.op("mm", 20, 30), "k", 1'000, 2'000,
                  {.op_type = "MatMulV2", .input_shapes = "64,64;64,64", .output_shapes = "64,64"});
    trace_.working_op("outside", 200, 300, 500);
  }

  Answer answer_of(const Mode& mode, std::map<std::string, std::string, std::less<>> options = {}) {
    const analyze::SharedResults results(*trace_);
    auto answer = mode.answer({*trace_, results, std::move(options)});
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    return std::move(answer).value();
  }

  analyze::testing::ModuleTrace trace_;
};

TEST_F(ModuleAnswers, TheTreeEndsWithWhatIsOutside) {
  const Answer answer = answer_of(kModuleStatisticMode);
  ASSERT_EQ(answer.tables.size(), 2u);
  const Table& tree = answer.tables[0];
  EXPECT_EQ(tree.name(), "modules");
  ASSERT_EQ(tree.size(), 2u);
  EXPECT_EQ(tree.text_at(0, 0), "Model");
  EXPECT_EQ(tree.text_at(0, 1), "(outside of all modules)");
  EXPECT_THAT(tree.column(1).numbers, ElementsAre(1'000, 500));
  EXPECT_FALSE(tree.is_absent(*tree.find("forward"), 0));
  EXPECT_TRUE(tree.is_absent(*tree.find("forward"), 1)) << "it may be the optimizer";
}

TEST_F(ModuleAnswers, TheTableOfOtherToolsHasTheirColumns) {
  const Answer plain = answer_of(kModuleStatisticMode);
  EXPECT_THAT(keys_of(plain.tables[1]),
              ElementsAre("parentModule", "module", "opName", "kernelList",
                          "totalKernelDuration(ns)", "avgKernelDuration(ns)", "opCount", "rankID"));
  EXPECT_FALSE(plain.tables[1].on_terminal);
  EXPECT_THAT(plain.tables[1].columns().back().numbers, ElementsAre(3));
  const Answer with_mfu = answer_of(kModuleStatisticMode, {{"avg-mfu", "yes"}});
  EXPECT_EQ(keys_of(with_mfu.tables[1])[7], "avgMFU");
}

TEST_F(ModuleAnswers, UtilizationHasTablesForPeopleAndForOtherTools) {
  const Answer answer = answer_of(kOperatorMfuMode);
  std::vector<std::string> names;
  for (const Table& table : answer.tables) names.push_back(table.name());
  EXPECT_THAT(names, ElementsAre("mfu", "mfu_shapes", "mfu_calls", "OperatorMFU", "ModuleMFU"));
  EXPECT_THAT(keys_of(answer.tables[3]),
              ElementsAre("rank_id", "op_name", "kernel_name", "kernel_start(ns)", "kernel_end(ns)",
                          "kernel_duration(ns)", "mfu", "actual_tflops", "chip_peak_tflops",
                          "flops", "flops_op_name", "input_shapes", "output_shapes"));
  EXPECT_THAT(
      keys_of(answer.tables[4]),
      ElementsAre("rank_id", "parent_module", "module", "op_name", "kernel_list",
                  "total_kernel_duration(ns)", "avg_kernel_duration(ns)", "op_count", "avg_mfu"));
}

TEST_F(ModuleAnswers, APeakThatIsNoNumberIsRefused) {
  const analyze::SharedResults results(*trace_);
  const auto answer = kOperatorMfuMode.answer({*trace_, results, {{"peak-tflops", "many"}}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace npuprof::answers
