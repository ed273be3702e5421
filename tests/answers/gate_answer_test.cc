#include "answers/gate_answer.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "answers/compare_answer.h"

namespace npuprof::answers {
namespace {

using analyze::PartSeries;
using analyze::ProfileParts;

PartSeries gate_series(std::string key, std::vector<std::int64_t> ns) {
  PartSeries part;
  part.key = std::move(key);
  part.counts.assign(ns.size(), 2);
  part.ns = std::move(ns);
  return part;
}

// Steps of 1000 us with a little noise, in which one kernel takes a tenth.
ProfileParts simple_parts(std::size_t steps, double step_factor = 1, double kernel_factor = 1) {
  ProfileParts parts;
  std::vector<std::int64_t> whole;
  std::vector<std::int64_t> kernel;
  for (std::size_t i = 0; i < steps; ++i) {
    const double noise = 1 + 0.004 * static_cast<double>(i * 7 % 5);
    parts.steps.push_back(static_cast<std::int64_t>(i));
    whole.push_back(static_cast<std::int64_t>(1'000'000 * noise * step_factor));
    kernel.push_back(static_cast<std::int64_t>(100'000 * noise * kernel_factor));
  }
  parts.overall = {gate_series("Computing Time", whole), gate_series("E2E Time", whole)};
  parts.kernels = {gate_series("Ma<tMul", kernel)};
  parts.kernel_types = parts.kernels;
  return parts;
}

const GateRow& row_of(const GateResult& result, std::string_view level, std::string_view name) {
  static const GateRow kAbsent;
  const auto found = std::find_if(result.rows.begin(), result.rows.end(), [&](const GateRow& row) {
    return row.level == level && row.name == name;
  });
  return found == result.rows.end() ? kAbsent : *found;
}

TEST(Gate, PassesWhatIsSlowerWithinTheLimits) {
  EXPECT_TRUE(gate_parts(simple_parts(6), simple_parts(6, 1.04, 1.09), {}).passed);
  EXPECT_FALSE(gate_parts(simple_parts(6), simple_parts(6, 1.06), {}).passed);
  EXPECT_TRUE(gate_parts(simple_parts(6), simple_parts(6, 1.06), {.max_regression = 0.1}).passed);
}

TEST(Gate, ExactlyWhatIsAllowedPassesAndMoreFails) {
  for (const std::size_t steps : {2U, 6U, 30U}) {
    SCOPED_TRACE(steps);
    EXPECT_TRUE(gate_parts(simple_parts(steps), simple_parts(steps, 1.05, 1.1), {}).passed);
    ProfileParts constant = simple_parts(steps);
    for (PartSeries& series : constant.overall) series.ns.assign(steps, 1'000'000);
    ProfileParts slower = constant;
    for (PartSeries& series : slower.overall) series.ns.assign(steps, 1'050'000);
    EXPECT_TRUE(gate_parts(constant, slower, {}).passed);
    for (PartSeries& series : slower.overall) series.ns.assign(steps, 1'050'100);
    const GateResult result = gate_parts(constant, slower, {});
    EXPECT_FALSE(result.passed);
    const Answer answer = gate_answer(result);
    EXPECT_TRUE(std::any_of(
        answer.sentences.begin(), answer.sentences.end(), [](const std::string& sentence) {
          return sentence.find("+5.0100 %, allowed +5.0000 %") != std::string::npos;
        }));
  }
}

// The change is certain, that it is beyond the limit is not.
TEST(Gate, WhatCannotBeToldFromTheLimitIsAtIt) {
  const GateResult near = gate_parts(simple_parts(6), simple_parts(6, 1.051), {});
  const GateRow& row = row_of(near, "step", "E2E Time");
  EXPECT_TRUE(row.is_significant);
  EXPECT_GT(row.change, row.allowed);
  EXPECT_GT(row.excess_chance, 0.1);
  EXPECT_EQ(row.verdict, GateVerdict::kAtLimit);
  EXPECT_TRUE(near.passed);
  EXPECT_NE(gate_answer(near).sentences[1].find("at the limit"), std::string::npos);
  // More steps tell it.
  EXPECT_FALSE(gate_parts(simple_parts(600), simple_parts(600, 1.051), {}).passed);
}

TEST(Gate, FamiliesHaveALimitOfTheirOwn) {
  const ProfileParts slower = simple_parts(6, 1, 1.08);
  EXPECT_TRUE(gate_parts(simple_parts(6), slower, {}).passed);
  EXPECT_FALSE(gate_parts(simple_parts(6), slower, {.max_family_regression = 0.05}).passed);
  EXPECT_FALSE(
      gate_parts(simple_parts(6), slower, {.max_regression = 0.2, .max_family_regression = 0.05})
          .passed);
}

TEST(Gate, FailsOneSlowFamilyInAnUnchangedStep) {
  const GateResult result = gate_parts(simple_parts(6), simple_parts(6, 1, 1.2), {});
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(row_of(result, "step", "E2E Time").verdict, GateVerdict::kPassed);
  const GateRow& row = row_of(result, "kernel type", "Ma<tMul");
  EXPECT_EQ(row.verdict, GateVerdict::kFailed);
  EXPECT_TRUE(row.is_significant);
  EXPECT_NEAR(row.change, 0.2, 1e-3);
  EXPECT_EQ(result.rows.front().verdict, GateVerdict::kFailed) << "failures come first";
}

TEST(Gate, KernelsAreJudgedByCallSoThatMoreOfThemAreNoSlowerOnes) {
  ProfileParts more = simple_parts(6);
  for (auto* list : {&more.kernels, &more.kernel_types}) {
    for (std::int64_t& ns : list->front().ns) ns *= 2;
    for (std::uint64_t& count : list->front().counts) count *= 2;
  }
  const GateResult result = gate_parts(simple_parts(6), more, {});
  EXPECT_EQ(row_of(result, "kernel", "Ma<tMul").verdict, GateVerdict::kPassed);
  EXPECT_EQ(row_of(result, "kernel type", "Ma<tMul").verdict, GateVerdict::kFailed);
}

TEST(Gate, DifferencesThatNoiseExplainsPass) {
  ProfileParts base = simple_parts(4);
  ProfileParts now = simple_parts(4);
  base.overall[1].ns = {1'000'000, 1'400'000, 900'000, 1'200'000};
  now.overall[1].ns = {1'300'000, 1'000'000, 1'500'000, 1'250'000};
  const GateResult result = gate_parts(base, now, {});
  const GateRow& row = row_of(result, "step", "E2E Time");
  EXPECT_GT(row.change, row.allowed);
  EXPECT_FALSE(row.is_significant);
  EXPECT_TRUE(result.passed);
}

TEST(Gate, TwoStepsAreJudgedByTheLimitsAlone) {
  const GateResult result = gate_parts(simple_parts(2), simple_parts(2, 1.2), {});
  EXPECT_FALSE(result.is_tested);
  EXPECT_FALSE(result.passed);
  EXPECT_TRUE(std::isnan(result.rows.front().chance));
  const Answer answer = gate_answer(result);
  EXPECT_NE(answer.sentences[1].find("limits alone"), std::string::npos);
}

TEST(Gate, SmallPartsAreNotJudged) {
  ProfileParts base = simple_parts(6);
  base.kernel_types.push_back(gate_series("Tiny", std::vector<std::int64_t>(6, 100)));
  ProfileParts now = simple_parts(6);
  now.kernel_types.push_back(gate_series("Tiny", std::vector<std::int64_t>(6, 1000)));
  EXPECT_TRUE(gate_parts(base, now, {}).passed);
  EXPECT_FALSE(gate_parts(base, now, {.smallest_share = 0}).passed);
}

TEST(Gate, WhatIsNewOrGoneIsTold) {
  ProfileParts now = simple_parts(6);
  now.kernel_types.front().key = "Other";
  const GateResult result = gate_parts(simple_parts(6), now, {});
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(row_of(result, "kernel type", "Other").verdict, GateVerdict::kNew);
  EXPECT_EQ(row_of(result, "kernel type", "Ma<tMul").verdict, GateVerdict::kGone);
}

TEST(Gate, FasterPartsPass) {
  const GateResult result = gate_parts(simple_parts(6), simple_parts(6, 0.8, 0.8), {});
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(row_of(result, "step", "E2E Time").verdict, GateVerdict::kFaster);
}

TEST(Gate, LimitsThatMakeNoSenseAndEmptyProfilesAreErrors) {
  const trace::Trace empty;
  const analyze::SharedResults results(empty);
  const Request request{.trace = empty, .results = results};
  const auto nothing = gate_profiles(request, request, {});
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().code, ErrorCode::kNoData);
  const auto wrong = gate_profiles(request, request, {.max_regression = -1});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(compare_profiles(request, request).ok());
}

TEST(Gate, WritesTestCasesWithEscapedNames) {
  const std::string xml =
      gate_junit(gate_parts(simple_parts(6), simple_parts(6, 1, 1.2), {}), "a \"suite\" & more");
  EXPECT_NE(xml.find("<testsuite name=\"a &quot;suite&quot; &amp; more\" tests=\"4\" "
                     "failures=\"2\" errors=\"0\">"),
            std::string::npos)
      << xml;
  EXPECT_NE(xml.find("<testcase classname=\"kernel type\" name=\"Ma&lt;tMul\""), std::string::npos);
  EXPECT_NE(xml.find("<failure type=\"regression\""), std::string::npos);
  EXPECT_EQ(xml.find("Ma<tMul"), std::string::npos);
}

TEST(Gate, AnswerHasARowForAllThatWasJudged) {
  const GateResult result = gate_parts(simple_parts(6), simple_parts(6, 1, 1.2), {});
  const Answer answer = gate_answer(result);
  ASSERT_EQ(answer.tables.size(), 1u);
  EXPECT_EQ(answer.tables[0].size(), result.rows.size());
  EXPECT_TRUE(answer.sentences[0].starts_with("Failed: 2 of 4 parts are"));
}

}  // namespace
}  // namespace npuprof::answers
