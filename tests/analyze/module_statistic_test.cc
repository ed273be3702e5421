#include "analyze/module_statistic.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/module_trace.h"

namespace npuprof::analyze {
namespace {

using ::testing::ElementsAre;
using testing::ModuleTrace;
using trace::kNone;

// Parent, module, operator, kernels, total, count.
std::vector<std::string> statistic_lines(const trace::Trace& trace,
                                         const ModuleStatisticOptions& options = {}) {
  const OperatorWork work = operator_work(trace);
  const auto statistic = module_statistic(trace, work, options);
  std::vector<std::string> lines;
  if (!statistic.ok()) return {statistic.error().message};
  for (const ModuleStatisticRow& row : statistic->rows) {
    lines.push_back(fmt::format("{}|{}|{}|{}|{}|{}", statistic->paths.view(row.parent_module),
                                statistic->paths.view(row.module), trace.strings.view(row.op_name),
                                statistic->kernels(trace.strings, row), row.total_ns, row.count));
  }
  return lines;
}

TEST(ModuleStatisticTest, CallsWithTheSameOperatorsAreOneAndOthersAreNumbered) {
  ModuleTrace trace;
  trace.module("A", 0, 1000);
  trace.module("X", 100, 200);
  trace.working_op("op1", 110, 120, 10);
  trace.working_op("op2", 130, 140, 20);
  trace.module("X", 210, 300);
  trace.working_op("op1", 220, 230, 12);
  trace.module("X", 310, 400);
  trace.working_op("op1", 320, 330, 10);
  trace.working_op("op2", 340, 350, 10);
  trace.working_op("opA", 410, 420, 1);
  trace.module("X", 430, 500);
  trace.working_op("op3", 440, 450, 10);
  EXPECT_THAT(statistic_lines(*trace),
              ElementsAre("A|X_0|op1|k|20|2", "A|X_0|op2|k|30|2", "A|X_1|op1|k|12|1",
                          "|A|opA|k|1|1", "A|X|op3|k|10|1"));
}

TEST(ModuleStatisticTest, AModuleThatDoesNotContainAnOperatorIsOver) {
  ModuleTrace trace;
  trace.module("A", 0, 1000);
  trace.module("Y", 600, 700);
  trace.working_op("other_thread", 650, 660, 1, 2);
  trace.working_op("straddling", 690, 710, 2);
  trace.working_op("too_late", 695, 698, 3);
  trace.module("Z", 900, 1100);
  trace.working_op("in_both", 950, 960, 4);
  trace.working_op("outside", 1500, 1510, 5);
  EXPECT_THAT(statistic_lines(*trace), ElementsAre("A|Y|other_thread|k|1|1", "|A|straddling|k|2|1",
                                                   "|A|too_late|k|3|1", "|Z|in_both|k|4|1"));
}

TEST(ModuleStatisticTest, OperatorsWithOtherKernelsAreOtherRows) {
  ModuleTrace trace;
  trace.module("W", 0, 100);
  trace.working_op("op", 10, 20, 7);
  trace.module("W", 200, 300);
  const std::uint32_t op = trace.op("op", 210, 220);
  trace.kernel(op, "k", 200'000, 200'003);
  trace.kernel(op, "k2", 200'004, 200'006);
  EXPECT_THAT(statistic_lines(*trace), ElementsAre("|W|op|k|7|1", "|W|op|k, k2|5|1"));
}

TEST(ModuleStatisticTest, OtherDomainsAndPushedRangesAreNoModules) {
  ModuleTrace trace;
  trace.mark("default", "Q", 0, 100);
  trace.mark("Module", "P", 0, 100, 1, format::host::Msproftx::kPushPop);
  trace.working_op("op", 10, 20, 7);
  EXPECT_THAT(statistic_lines(*trace),
              ElementsAre("the profile has no ranges of the mstx domain 'Module'"));
}

TEST(ModuleStatisticTest, BackwardOperatorsGetRangesNamedLikeTheirModule) {
  ModuleTrace trace;
  trace.module("Model", 0, 100);
  trace.module("Layer", 10, 50);
  const std::uint32_t first = trace.working_op("mm", 20, 30, 1);
  const std::uint32_t second = trace.working_op("mul", 35, 40, 2);
  const std::uint32_t loss = trace.working_op("loss", 60, 70, 4);
  const std::uint32_t loss_backward = trace.working_op("LossBackward", 200, 210, 8, 2);
  const std::uint32_t second_backward = trace.working_op("MulBackward", 220, 230, 16, 2);
  trace.working_op("between", 232, 234, 32, 2);
  const std::uint32_t first_backward = trace.working_op("MmBackward", 240, 250, 64, 2);
  trace.pair(first, first_backward);
  trace.pair(second, second_backward);
  trace.pair(loss, loss_backward);
  EXPECT_THAT(
      statistic_lines(*trace),
      ElementsAre("Model|Layer|mm|k|1|1", "Model|Layer|mul|k|2|1", "|Model|loss|k|4|1",
                  "|[Backward]Model|LossBackward|k|8|1", "Model|[Backward]Layer|MulBackward|k|16|1",
                  "Model|[Backward]Layer|between|k|32|1",
                  "Model|[Backward]Layer|MmBackward|k|64|1"));
  EXPECT_EQ(statistic_lines(*trace, {.backward = false}).size(), 3u);
}

TEST(ModuleStatisticTest, OfUtilizationsThePositiveOnesAreAveragedKernelByKernel) {
  ModuleTrace trace;
  for (const std::int64_t start : {0, 1000, 2000}) {
    trace.module("M", start, start + 100);
    const std::uint32_t op = trace.op("op", start + 10, start + 20);
    trace.kernel(op, "a", 10'000 + start, 10'010 + start);
    trace.kernel(op, "b", 10'020 + start, 10'030 + start);
    trace.kernel(op, "c", 10'040 + start, 10'050 + start);
  }
  const OperatorWork work = operator_work(*trace);
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {0.5, none, 0.25, 0.6, none, -1, none, none, 0.26};
  const auto statistic = module_statistic(*trace, work, {.utilization = values});
  ASSERT_TRUE(statistic.ok());
  ASSERT_EQ(statistic->rows.size(), 1u);
  EXPECT_EQ(utilization_text(statistic->rows[0].utilization), "55.0%,25.5%");
}

TEST(ModuleStatisticTest, TextsOfUtilizationHaveNoMoreDecimalsThanNeeded) {
  EXPECT_EQ(utilization_text(std::vector<double>{0.5551, 0.559, 1}), "55.51%,55.9%,100.0%");
  EXPECT_EQ(utilization_text(std::vector<double>{}), "");
}

TEST(ModuleStatisticTest, KernelsWithoutOperatorSayThatNothingIsKnown) {
  ModuleTrace trace;
  trace.module("M", 0, 100);
  trace.kernel(kNone, "k", 10, 20);
  EXPECT_THAT(
      statistic_lines(*trace),
      ElementsAre("no kernel of the profile is known to come from an operator of the framework"));
}

}  // namespace
}  // namespace npuprof::analyze
