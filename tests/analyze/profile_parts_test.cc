#include "analyze/profile_parts.h"

#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "link/framework/op_tree.h"
#include "link/framework_trace.h"

namespace npuprof::analyze {
namespace {

TEST(ProfileParts, WhatAnOperatorLaunchesThroughCountsToIt) {
  link::testing::FrameworkTrace trace;
  trace.add_op(1, 0, 100, "aten::mm");
  trace.add_op(1, 10, 50, "aclnnMm");
  trace.add_op(1, 110, 160, "c10d::allreduce_");
  trace.add_op(1, 120, 150, "record_param_comms");
  trace.add_op(1, 130, 140, "HcclAllreduce");
  trace.add_op(1, 200, 300, "autograd::engine::evaluate_function: MmBackward0");
  trace.add_op(1, 210, 290, "MmBackward0");
  trace.add_op(1, 220, 280, "aten::mm");
  trace.add_op(1, 400, 440, "aclnnMm");  // The program itself called it.
  link::link_op_tree(*trace, link::ops_by_thread(trace->framework_ops()));
  std::map<std::string, std::pair<std::uint64_t, std::int64_t>> operators;
  for (const PartSeries& series : profile_parts(*trace).operators) {
    operators[series.key] = {series.total_count(), series.host_ns.front()};
  }
  const std::map<std::string, std::pair<std::uint64_t, std::int64_t>> expected = {
      {"aten::mm", {2, 160}},
      {"c10d::allreduce_", {1, 50}},
      {"autograd::engine::evaluate_function: MmBackward0", {1, 20}},
      {"MmBackward0", {1, 20}},
      {"aclnnMm", {1, 40}}};
  EXPECT_EQ(operators, expected);
}

}  // namespace
}  // namespace npuprof::analyze
