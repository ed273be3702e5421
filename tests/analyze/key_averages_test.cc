#include "analyze/key_averages.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "link/framework/op_tree.h"
#include "link/framework_trace.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/linked/forward_backward.h"

namespace npuprof::analyze {
namespace {

class KeyAveragesTest : public ::testing::Test {
 protected:
  std::uint32_t add(std::int64_t start_ns, std::int64_t end_ns, std::string_view name,
                    std::string_view shapes, std::string_view stack) {
    const std::uint32_t row = trace_.add_op(1, start_ns, end_ns, name);
    auto& ops = trace_->framework_ops();
    ops.has_inputs[row] = 1;
    ops.input_shapes[row] = trace_->strings.intern(shapes);
    ops.stack[row] = trace_->strings.intern(stack);
    return row;
  }
  void SetUp() override {
    add(0, 1000, "ProfilerStep#7", "", "");
    add(100, 300, "aten::linear", "2,3;3,3", "a(1): f;m(9): main");
    add(120, 250, "aten::mm", "2,3;3,3", "a(1): f;m(9): main");
    add(400, 500, "aten::mm", "4,4;4,4", "b(2): g;m(9): main");
    add(1000, 1100, "ProfilerStep#8", "", "");
    trace_.add_memory(0, 130, 64);
    trace_.add_memory(1, 290, 64);
    trace_.add_memory(0, 410, 64);
    trace_.add_memory(2, 420, 64);
    trace_->framework_ops().extra_args[2] = trace_->strings.intern("flops:36");
    trace_->framework_ops().extra_args[3] = trace_->strings.intern("other:1;flops:128");
    link::link_op_tree(*trace_, link::ops_by_thread(trace_->framework_ops()));
  }

  link::testing::FrameworkTrace trace_;
};

TEST_F(KeyAveragesTest, CallsOfOneNameAreAddedUp) {
  const auto averages = key_averages(*trace_, {});
  ASSERT_EQ(averages.size(), 3u);
  EXPECT_EQ(averages[0].name, "ProfilerStep*");
  EXPECT_EQ(averages[0].count, 2u);
  EXPECT_EQ(averages[0].cpu_ns, 1100);
  EXPECT_EQ(averages[0].self_cpu_ns, 1100 - 200 - 100);
  EXPECT_EQ(averages[0].npu_bytes, 512);
  EXPECT_EQ(averages[0].self_npu_bytes, 0);
  EXPECT_EQ(averages[1].name, "aten::linear");
  EXPECT_EQ(averages[1].self_cpu_ns, 200 - 130);
  EXPECT_EQ(averages[1].npu_bytes, 0) << "what was allocated is freed in it";
  EXPECT_EQ(averages[1].self_npu_bytes, -512);
  EXPECT_EQ(averages[2].name, "aten::mm");
  EXPECT_EQ(averages[2].count, 2u);
  EXPECT_EQ(averages[2].cpu_ns, 130 + 100);
  EXPECT_EQ(averages[2].npu_bytes, 1024) << "going back to the pool does not count";
  EXPECT_EQ(averages[2].flops, 36 + 128);
  EXPECT_FALSE(averages[2].has_shapes);
}

class EqualOperators : public ::testing::Test {
 protected:
  std::vector<KeyAverage> averages() {
    link::link_op_tree(*trace_, link::ops_by_thread(trace_->framework_ops()));
    return key_averages(*trace_, {});
  }
  link::testing::FrameworkTrace trace_;
};

TEST_F(EqualOperators, OfOneNameCountOnce) {
  trace_.add_op(1, 100, 200, "aten::mm");
  trace_.add_op(1, 100, 200, "aten::mm");
  const auto rows = averages();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].count, 1u);
  EXPECT_EQ(rows[0].cpu_ns, 100);
  EXPECT_EQ(rows[0].self_cpu_ns, 100);
}

TEST_F(EqualOperators, DoNotAddToTheRowOfAnother) {
  trace_.add_op(1, 0, 10, "aten::add");
  trace_.add_op(1, 100, 200, "aten::mm");
  trace_.add_op(1, 100, 200, "aten::mm");
  const auto rows = averages();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].self_cpu_ns, 10);
  EXPECT_EQ(rows[1].self_cpu_ns, 100);
}

// Few times make many intervals that are equal, of no length, or share an end.
TEST_F(EqualOperators, SelfTimesAddUpToTheTimesOfTheOutermost) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    trace_ = {};
    // Ranges of threads nest: each new one lies in a random part of its parent.
    for (std::uint32_t tid = 1; tid <= 2; ++tid) {
      std::vector<std::pair<std::int64_t, std::int64_t>> ranges = {{0, 8}};
      while (ranges.size() < 12) {
        const auto [begin, end] = ranges[random() % ranges.size()];
        const auto length = static_cast<std::uint64_t>(end - begin) + 1;
        std::int64_t a = begin + static_cast<std::int64_t>(random() % length);
        std::int64_t b = begin + static_cast<std::int64_t>(random() % length);
        if (a > b) std::swap(a, b);
        const bool crosses = std::any_of(ranges.begin(), ranges.end(), [&](const auto& other) {
          return (a < other.first && other.first < b && b < other.second) ||
                 (other.first < a && a < other.second && other.second < b);
        });
        if (!crosses) ranges.emplace_back(a, b);
      }
      std::shuffle(ranges.begin(), ranges.end(), random);
      for (const auto& [start, end] : ranges) {
        trace_.add_op(tid, start, end, random() % 2 == 0 ? "aten::a" : "aten::b");
      }
    }
    const auto rows = averages();
    std::int64_t self_ns = 0;
    for (const KeyAverage& row : rows) {
      self_ns += row.self_cpu_ns;
      EXPECT_LE(row.self_cpu_ns, row.cpu_ns) << row.name << " in round " << round;
    }
    EXPECT_EQ(self_ns, 2 * 8) << "round " << round;
    const auto& ops = trace_->framework_ops();
    std::vector<std::uint8_t> seen(ops.size());
    for (const std::uint32_t op : link::ops_in_nesting_order(ops)) {
      EXPECT_TRUE(ops.parent[op] == trace::kNone || seen[ops.parent[op]] != 0);
      seen[op] = 1;
    }
  }
}

TEST_F(KeyAveragesTest, AnOperatorThatOnlyCallsItselfCountsOnce) {
  add(2000, 2100, "aten::div_", "1", "");
  add(2010, 2090, "aten::div_", ";", "");
  add(2020, 2050, "aten::to", "1", "");
  add(2200, 2300, "aten::sum", "1", "");
  add(2210, 2220, "aten::sum", ";", "");
  add(2230, 2240, "aten::fill_", "1", "");
  trace_.add_memory(0, 2015, 64);
  link::link_op_tree(*trace_, link::ops_by_thread(trace_->framework_ops()));
  const auto averages = key_averages(*trace_, {.by_input_shape = true});
  ASSERT_EQ(averages.size(), 9u);
  EXPECT_EQ(averages[4].name, "aten::div_");
  EXPECT_EQ(averages[4].shapes, "1");
  EXPECT_EQ(averages[4].count, 1u);
  EXPECT_EQ(averages[4].cpu_ns, 100);
  EXPECT_EQ(averages[4].self_cpu_ns, 70);
  EXPECT_EQ(averages[4].npu_bytes, 512);
  EXPECT_EQ(averages[4].self_npu_bytes, 512);
  EXPECT_EQ(averages[5].name, "aten::to");
  EXPECT_EQ(averages[7].name, "aten::sum") << "it also fills";
}

TEST_F(KeyAveragesTest, ShapesTellThemApart) {
  const auto averages = key_averages(*trace_, {.by_input_shape = true});
  ASSERT_EQ(averages.size(), 4u);
  EXPECT_EQ(averages[2].shapes, "2,3;3,3");
  EXPECT_EQ(averages[3].shapes, "4,4;4,4");
  EXPECT_EQ(averages[3].flops, 128);
}

TEST_F(KeyAveragesTest, FramesTellThemApart) {
  EXPECT_EQ(key_averages(*trace_, {.stack_frames = 1})[3].stack, "b(2): g");
  EXPECT_EQ(key_averages(*trace_, {.stack_frames = 2})[3].stack, "b(2): g;m(9): main");
  EXPECT_EQ(key_averages(*trace_, {.stack_frames = 9})[3].stack, "b(2): g;m(9): main");
}

TEST_F(KeyAveragesTest, MemoryOutsideOfOperatorsHasARow) {
  trace_.add_memory(0, 2000, 128);
  trace_.add_memory(2, 2100, 128);  // Back to the pool: no change for the program.
  const std::uint32_t of_host = trace_.add_memory(1, 2200, 192);
  trace_->memory_events().device_type[of_host] = 0;
  const auto averages = key_averages(*trace_, {.stack_frames = 2});
  EXPECT_EQ(averages.back().name, "[memory]");
  EXPECT_EQ(averages.back().count, 2u);
  EXPECT_EQ(averages.back().npu_bytes, 512);
  EXPECT_EQ(averages.back().self_npu_bytes, 512);
  EXPECT_EQ(averages.back().cpu_bytes, -512);
  EXPECT_EQ(averages.back().cpu_ns, 0);
}

TEST_F(KeyAveragesTest, WhatRunsBackwardHasTheStackOfItsForwardOperator) {
  add(2000, 2100, "autograd::engine::evaluate_function: MmBackward0", "", "c(3): backward");
  const std::uint32_t node = add(2010, 2090, "MmBackward0", "", "");
  trace_->framework_ops().scope[node] = 1;
  const std::uint32_t inner = add(2020, 2080, "aten::transpose", "", "c(3): backward");
  link::link_op_tree(*trace_, link::ops_by_thread(trace_->framework_ops()));
  auto& pairs = trace_->forward_backward();
  pairs.sequence.push_back(5);
  pairs.forward.push_back(3);
  pairs.backward.push_back(node);
  const auto events = operator_events(*trace_);
  EXPECT_EQ(events[inner - 2].numbers.stack, "c(3): backward");
  EXPECT_EQ(events[node].numbers.stack, "b(2): g;m(9): main");
  EXPECT_EQ(events[inner].numbers.stack, "b(2): g;m(9): main");
  EXPECT_EQ(key_averages(*trace_, {.stack_frames = 1}).back().stack, "b(2): g");
}

TEST_F(KeyAveragesTest, EventsAreSingleCalls) {
  trace_.add_memory(0, 2000, 128, 9);
  trace_->framework_ops().sequence[2] = 4;
  const auto events = operator_events(*trace_);
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[0].numbers.name, "ProfilerStep#7");
  EXPECT_EQ(events[2].numbers.name, "aten::mm");
  EXPECT_EQ(events[2].numbers.shapes, "2,3;3,3");
  EXPECT_EQ(events[2].numbers.npu_bytes, 512);
  EXPECT_EQ(events[2].numbers.flops, 36);
  EXPECT_EQ(events[2].start_ns, 120);
  EXPECT_EQ(events[2].end_ns, 250);
  EXPECT_EQ(events[2].parent, 1u);
  EXPECT_EQ(events[2].sequence, 4);
  EXPECT_EQ(events[1].numbers.self_cpu_ns, 200 - 130);
  EXPECT_EQ(events[5].numbers.name, "[memory]");
  EXPECT_EQ(events[5].start_ns, 2000);
  EXPECT_EQ(events[5].tid, 9u);
  EXPECT_EQ(events[5].parent, trace::kNone);
}

}  // namespace
}  // namespace npuprof::analyze
