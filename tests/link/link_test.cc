#include "link/link.h"

#include <map>
#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "generated_raw.h"
#include "link/framework/op_tree.h"
#include "link/framework_trace.h"
#include "load/framework/load_framework.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/python_events.h"
#include "trace/framework/queue_marks.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"

namespace npuprof::link {
namespace {

using npuprof::testing::GeneratedRaw;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FrameworkTrace;
using ::testing::Ne;
using trace::kNone;

TEST(LinkAll, AnEmptyTraceStaysEmpty) {
  trace::Trace trace;
  link_all(trace, nullptr);
  EXPECT_EQ(trace.kernel_ops().size(), 0u);
  EXPECT_EQ(trace.steps().size(), 0u);
}

TEST(LinkAll, RunsTheJoinsInOrder) {
  for (const bool parallel : {false, true}) {
    FrameworkTrace trace;
    const auto op = trace.add_op(1, 10, 60, "aten::mm", 4);
    const auto backward = trace.add_op(2, 70, 80, "MmBackward0", 4, 1);
    const auto step = trace.add_op(1, 0, 100, "ProfilerStep#1");
    trace.add_enqueue(5, 1, 20, 30);
    trace.add_dequeue(5, 9, 40, 90);
    trace.add_memory(0, 50, 0x1000, 9);
    trace.add_python(0, 5, 3);
    trace.add_python(1, 15);
    trace.add_task(9, 60, 120, 130);
    ThreadPool pool(2);
    link_all(*trace, parallel ? &pool : nullptr);
    EXPECT_EQ(trace->framework_ops().parent[op], step);
    EXPECT_THAT(trace->dequeues().op, ElementsAre(op));
    EXPECT_THAT(trace->memory_events().owner, ElementsAre(op));
    EXPECT_THAT(trace->allocations().malloc_event, ElementsAre(0));
    EXPECT_THAT(trace->python_calls().end_ns, ElementsAre(15));
    EXPECT_THAT(trace->forward_backward().backward, ElementsAre(backward));
    EXPECT_THAT(trace->kernel_ops().op, ElementsAre(op));
    EXPECT_THAT(trace->steps().device_end_ns, ElementsAre(130));
    EXPECT_EQ(trace->queue_marks().size(), 0u);
    EXPECT_EQ(trace->python_events().size(), 0u);
  }
}

// The generated program is known: each operator is an outer range with an inner one, which enqueues
// one task and allocates once, on the main thread (inside the step) or on the backward thread.
class GeneratedFramework : public ::testing::Test {
 protected:
  struct Linked {
    trace::Trace trace;
    std::size_t marks = 0;
    std::size_t python_events = 0;
  };

  static void SetUpTestSuite() {
    if (!GeneratedRaw::is_available()) return;
    const GeneratedRaw raw("--steps 3 --ops-per-step 50 --hccl-per-step 4 --python-trace");
    const auto found = load::discover(raw.path());
    ASSERT_TRUE(found.ok()) << found.error().message;
    linked_ = std::make_unique<Linked>();
    trace::Losses losses;
    load::load_framework(found->profiles.at(0), load::read_recording_info(found->profiles.at(0)),
                         linked_->trace, losses);
    ASSERT_TRUE(losses.empty());
    linked_->marks = linked_->trace.queue_marks().size();
    linked_->python_events = linked_->trace.python_events().size();
    link_all(linked_->trace, nullptr);
  }
  static void TearDownTestSuite() { linked_.reset(); }

  void SetUp() override {
    if (!GeneratedRaw::is_available()) GTEST_SKIP() << GeneratedRaw::tool() << " is absent";
    ASSERT_NE(linked_, nullptr);
  }

  std::string name_of(std::uint32_t op) const {
    return op == kNone
               ? ""
               : std::string(linked_->trace.strings.view(linked_->trace.framework_ops().name[op]));
  }
  std::string parent_of(std::uint32_t op) const {
    return name_of(linked_->trace.framework_ops().parent[op]);
  }

  static std::unique_ptr<Linked> linked_;
};
std::unique_ptr<GeneratedFramework::Linked> GeneratedFramework::linked_;

TEST_F(GeneratedFramework, EveryTaskIsEnqueuedAndDequeued) {
  EXPECT_EQ(linked_->trace.enqueues().size(), linked_->marks / 4);
  EXPECT_EQ(linked_->trace.dequeues().size(), linked_->marks / 4);
  EXPECT_THAT(linked_->trace.enqueues().partner, Each(Ne(kNone)));
  EXPECT_THAT(linked_->trace.dequeues().partner, Each(Ne(kNone)));
}

TEST_F(GeneratedFramework, OperatorsNestPerThread) {
  std::map<std::string, int> parents;  // Of operators with shapes and without sequence number.
  for (std::uint32_t op = 0; op < linked_->trace.framework_ops().size(); ++op) {
    const bool is_backward_thread =
        linked_->trace.framework_ops().tid[op] != linked_->trace.framework_ops().pid[op];
    if (linked_->trace.framework_ops().sequence[op] >= 0 || name_of(op).starts_with("autograd")) {
      // The outer range of an operator.
      EXPECT_EQ(parent_of(op).starts_with("ProfilerStep#"), !is_backward_thread) << op;
    }
    if (is_backward_thread) {
      EXPECT_FALSE(parent_of(op).starts_with("ProfilerStep#")) << op;
    }
    ++parents[parent_of(op).substr(0, 8)];
  }
  EXPECT_EQ(parents["Profiler"], 3 * (25 + 1));  // Outer forward ranges and the copy.
  EXPECT_EQ(parents["autograd"], 3 * 25);        // Inner backward ranges.
  EXPECT_EQ(parents[""], 3 * (25 + 4) + 3);      // Outer backward ranges, collectives, steps.
  for (const std::int64_t self : host_self_ns(linked_->trace.framework_ops())) EXPECT_GE(self, 0);
}

TEST_F(GeneratedFramework, MemoryAndEnqueuesBelongToTheInnerRange) {
  EXPECT_EQ(linked_->trace.allocations().size(), 150u);
  for (const std::uint32_t row : linked_->trace.allocations().malloc_event) {
    const std::uint32_t owner = linked_->trace.memory_events().owner[row];
    ASSERT_NE(owner, kNone);
    EXPECT_TRUE(name_of(owner).starts_with("aten::") || name_of(owner).starts_with("npu::"));
    EXPECT_NE(parent_of(owner), "");
  }
  // All but the last four blocks of the run are freed and then unused.
  std::size_t freed = 0;
  for (std::size_t row = 0; row < linked_->trace.allocations().size(); ++row) {
    const bool is_freed = linked_->trace.allocations().free_event[row] != kNone;
    EXPECT_EQ(linked_->trace.allocations().block_free_event[row] != kNone, is_freed);
    freed += is_freed ? 1 : 0;
  }
  EXPECT_EQ(freed, 146u);
  for (std::uint32_t row = 0; row < linked_->trace.enqueues().size(); ++row) {
    if (!linked_->trace.strings.view(linked_->trace.enqueues().name[row]).starts_with("aclnn"))
      continue;
    EXPECT_NE(parent_of(linked_->trace.enqueues().op[row]), "");
  }
}

TEST_F(GeneratedFramework, PythonFramesAndStepsAreComplete) {
  EXPECT_EQ(linked_->trace.python_calls().size(), linked_->python_events / 2);
  for (std::size_t row = 0; row < linked_->trace.python_calls().size(); ++row) {
    EXPECT_GT(linked_->trace.python_calls().end_ns[row],
              linked_->trace.python_calls().start_ns[row]);
  }
  EXPECT_THAT(linked_->trace.steps().id, ElementsAre(1, 2, 3));
}

TEST_F(GeneratedFramework, BackwardOperatorsFindTheirForwardOnes) {
  ASSERT_EQ(linked_->trace.forward_backward().size(), 75u);
  for (std::size_t row = 0; row < linked_->trace.forward_backward().size(); ++row) {
    EXPECT_EQ(linked_->trace.framework_ops()
                  .forward_thread[linked_->trace.forward_backward().forward[row]],
              0u);
    EXPECT_EQ(linked_->trace.framework_ops()
                  .forward_thread[linked_->trace.forward_backward().backward[row]],
              1u);
  }
}

}  // namespace
}  // namespace npuprof::link
