#include "analyze/module_totals.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/module_folding.h"
#include "analyze/module_trace.h"

namespace npuprof::analyze {
namespace {

using ::testing::ElementsAre;
using testing::ModuleTrace;
using trace::kNone;

ModuleTotals totals_of(ModuleTrace& trace) {
  auto totals = module_totals(*trace, operator_work(*trace));
  EXPECT_TRUE(totals.ok()) << totals.error().message;
  return std::move(totals).value();
}

// Name with its depth, forward, backward, self, calls.
std::vector<std::string> total_lines(const ModuleTotals& totals) {
  std::vector<std::string> lines;
  for (const ModuleTotal& module : totals.modules) {
    lines.push_back(fmt::format("{} {} {}+{} self {} x{}", module.depth, module.name,
                                module.forward_ns, module.backward_ns, module.self_ns,
                                module.calls));
  }
  return lines;
}

TEST(ModuleTotalsTest, WhatIsOutsideOfModulesIsToldSoThatAllAddsUp) {
  ModuleTrace trace;
  trace.module("A", 0, 100);
  trace.module("B", 10, 50);
  trace.working_op("op", 20, 30, 1);
  trace.working_op("op", 60, 70, 2);
  trace.working_op("outside", 200, 210, 4);
  trace.working_op("other_thread", 22, 24, 8, 2);
  trace.kernel(kNone, "k", 300'000, 300'016);
  const ModuleTotals totals = totals_of(trace);
  EXPECT_THAT(total_lines(totals), ElementsAre("0 A 3+0 self 2 x1", "1 B 1+0 self 1 x1"));
  EXPECT_EQ(totals.outside_ns, 12);
  EXPECT_EQ(totals.without_operator_ns, 16);
  EXPECT_EQ(totals.total_ns, 31);
}

TEST(ModuleTotalsTest, AStraddlingOperatorTakesNothingFromItsModule) {
  ModuleTrace trace;
  trace.module("A", 0, 1000);
  trace.module("Y", 600, 700);
  trace.working_op("straddling", 690, 710, 2);
  trace.working_op("in_time", 695, 698, 3);
  trace.module("Z", 900, 1100);
  trace.working_op("in_both", 950, 960, 4);
  trace.module("End", 985, 990);
  trace.working_op("op", 986, 987, 5);
  EXPECT_THAT(total_lines(totals_of(trace)),
              ElementsAre("0 A 5+0 self 2 x1", "1 Y 3+0 self 3 x1", "0 Z 9+0 self 4 x1",
                          "1 End 5+0 self 5 x1"));
}

TEST(ModuleTotalsTest, BackwardBelongsToTheModuleOfTheForwardOperator) {
  ModuleTrace trace;
  trace.module("Model", 0, 100);
  trace.module("A", 10, 30);
  const std::uint32_t a = trace.working_op("mm", 12, 20, 1);
  trace.module("B", 40, 60);
  const std::uint32_t b = trace.working_op("mm", 42, 50, 2);
  const std::uint32_t loss = trace.working_op("loss", 120, 130, 4);
  const std::uint32_t loss_backward = trace.working_op("LossBackward", 200, 210, 8, 2);
  // A node of autograd whose inner operator launches; then what has no forward operator.
  const std::uint32_t b_backward = trace.op("MmBackward", 220, 240, 2);
  trace.working_op("aten::mm", 225, 235, 16, 2, b_backward);
  trace.working_op("between", 242, 244, 32, 2);
  const std::uint32_t a_backward = trace.working_op("MmBackward", 250, 260, 64, 2);
  trace.working_op("after", 270, 280, 128, 2);
  trace.pair(a, a_backward);
  trace.pair(b, b_backward);
  trace.pair(loss, loss_backward);
  const ModuleTotals totals = totals_of(trace);
  EXPECT_THAT(total_lines(totals), ElementsAre("0 Model 3+112 self 32 x1", "1 A 1+64 self 65 x1",
                                               "1 B 2+16 self 18 x1"));
  EXPECT_EQ(totals.outside_ns, 4 + 8 + 128);
  EXPECT_EQ(totals.outside_backward_ns, 8);
}

TEST(ModuleTotalsTest, OneSlowLayerStandsOut) {
  ModuleTrace trace;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t begin = step * 10'000;
    trace.module("Model", begin, begin + 9'000);
    for (std::int64_t layer = 0; layer < 5; ++layer) {
      const std::int64_t start = begin + 100 + layer * 1'000;
      trace.module("Layer", start, start + 900);
      trace.module("MLP", start + 10, start + 800);
      trace.working_op("mm", start + 20, start + 30, layer == 3 ? 150 : 100);
    }
  }
  const ModuleTotals totals = totals_of(trace);
  ASSERT_THAT(total_lines(totals),
              ElementsAre("0 Model 1650+0 self 0 x3", "1 Layer 1650+0 self 0 x15",
                          "2 MLP 1650+0 self 1650 x15"));
  EXPECT_EQ(totals.modules[0].places, 1u);
  EXPECT_EQ(totals.modules[0].slowest_place, "");
  EXPECT_EQ(totals.modules[1].places, 5u);
  EXPECT_EQ(totals.modules[1].slowest_place, "Layer #3");
  EXPECT_EQ(totals.modules[1].slowest_ns, 150);
  EXPECT_EQ(totals.modules[1].typical_ns, 100);
  EXPECT_EQ(totals.modules[1].min_ns, 100);
  EXPECT_EQ(totals.modules[1].max_ns, 150);
  EXPECT_EQ(totals.modules[2].slowest_place, "Layer #3/MLP");
}

TEST(ModuleTotalsTest, NumberedLayersFromPythonAreOneLine) {
  ModuleTrace trace;
  // In order of their end, as recorded.
  for (int layer = 0; layer < 4; ++layer) {
    const std::int64_t start = 100 + layer * 100;
    trace.working_op("mm", start + 20, start + 30, layer == 2 ? 20 : 10);
    trace.python_module(fmt::format("nn.Module: Linear_{}", layer), start + 10, start + 80);
    trace.python_module(fmt::format("nn.Module: Block_{}", layer), start, start + 90);
  }
  trace.python_module("forward", 50, 700);
  trace.python_module("nn.Module: Model_0", 0, 1'000);
  const ModuleTotals totals = totals_of(trace);
  EXPECT_TRUE(totals.is_from_python);
  EXPECT_THAT(total_lines(totals),
              ElementsAre("0 Model_0 50+0 self 0 x1", "1 Block_[0-3] 50+0 self 0 x4",
                          "2 Linear_[0-3] 50+0 self 50 x4"));
  EXPECT_EQ(totals.modules[1].slowest_place, "Block_2");
}

TEST(ModuleTotalsTest, MarksFromTheTaskQueueCountWhereTheyWerePutOnIt) {
  ModuleTrace trace;
  trace.working_op("before", 5, 9, 1);
  trace.working_op("inside", 20, 30, 2);
  trace.working_op("behind", 60, 70, 4);
  // Begin and end are asked for at 10 and 50, and recorded at 62 and 90 by another thread.
  trace.module("M", 62, 90, 9);
  trace.queued(10, 60, 65, 9);
  trace.queued(50, 88, 95, 9);
  const ModuleTotals totals = totals_of(trace);
  EXPECT_THAT(total_lines(totals), ElementsAre("0 M 2+0 self 2 x1"));
  EXPECT_EQ(totals.outside_ns, 5);
}

TEST(ModuleTotalsTest, WithoutTheQueueMarksOfAThreadWithoutOperatorsCountByTime) {
  ModuleTrace trace;
  trace.working_op("inside", 20, 30, 2);
  trace.module("M", 10, 50, 9);
  EXPECT_THAT(total_lines(totals_of(trace)), ElementsAre("0 M 2+0 self 2 x1"));
}

TEST(ModuleTotalsTest, WhatRunsSideBySideIsBusyOnce) {
  ModuleTrace trace;
  trace.module("M", 0, 100);
  const std::uint32_t op = trace.op("op", 10, 20);
  trace.kernel(op, "a", 1'000, 1'010);
  trace.kernel(op, "b", 1'005, 1'020);
  trace.kernel(op, "c", 1'030, 1'040);
  const ModuleTotals totals = totals_of(trace);
  EXPECT_EQ(totals.modules[0].total_ns(), 35);
  EXPECT_EQ(totals.modules[0].busy_ns, 30);
}

TEST(ModuleTotalsTest, AProfileWithoutModulesSaysSo) {
  ModuleTrace trace;
  trace.working_op("op", 10, 20, 7);
  const auto totals = module_totals(*trace, operator_work(*trace));
  ASSERT_FALSE(totals.ok());
  EXPECT_EQ(totals.error().code, ErrorCode::kNoData);
}

TEST(ModuleFoldingTest, SiblingsOfOneStructureBecomeOneAndOthersStay) {
  const FoldedTree tree = fold_modules({{"model", kNone},
                                        {"layers.0", 0},
                                        {"mlp", 1},
                                        {"layers.1", 0},
                                        {"moe", 3},
                                        {"layers.2", 0},
                                        {"mlp", 5},
                                        {"head.0", 0},
                                        {"head.1", 0}});
  std::vector<std::string> names;
  for (const FoldedModule& module : tree.modules) names.push_back(module.name);
  EXPECT_THAT(names,
              ElementsAre("model", "layers.[0-2]", "mlp", "layers.1", "moe", "head.0", "head.1"));
  EXPECT_THAT(tree.of, ElementsAre(0, 1, 2, 3, 4, 1, 2, 5, 6));
}

TEST(ModuleFoldingTest, OnlyNumbersThatStandAloneAreNumbersOfLayers) {
  EXPECT_EQ(numberless_name("layers.12.mlp"), "layers.*.mlp");
  EXPECT_EQ(numberless_name("Conv2d_3"), "Conv2d_*");
  EXPECT_EQ(numberless_name("conv1"), "conv1");
  EXPECT_EQ(joint_name({"h.3.a.1", "h.10.a.1"}), "h.[3-10].a.1");
  EXPECT_EQ(joint_name({}), "");
}

}  // namespace
}  // namespace npuprof::analyze
