#include "analyze/host_lead.h"

#include <string_view>

#include <gtest/gtest.h>

#include "link/framework/op_tree.h"
#include "link/framework/queue.h"
#include "link/framework_trace.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"

namespace npuprof::analyze {
namespace {

constexpr std::int64_t kLeadUs = 1'000;
constexpr std::int64_t kLeadOrigin = 1'700'000'000'000'000'000;
constexpr std::uint32_t kPythonThread = 1;
constexpr std::uint32_t kLaunchThread = 2;

std::int64_t lead_us(std::int64_t time) { return kLeadOrigin + time * kLeadUs; }

// Times in microseconds. Calls must be added in order of their start.
class HostLeadTest : public ::testing::Test {
 protected:
  std::uint32_t call(std::int64_t start, std::int64_t end, std::string_view name,
                     std::uint32_t tid) {
    auto& calls = trace_->api_calls();
    trace::resize_rows(calls, calls.size() + 1);
    calls.start_ns.back() = lead_us(start);
    calls.end_ns.back() = lead_us(end);
    calls.tid.back() = tid;
    calls.name.back() = trace_->strings.intern(name);
    return static_cast<std::uint32_t>(calls.size() - 1);
  }
  // A kernel whose launch ends at `launched`.
  std::uint32_t kernel(std::int64_t launched, std::int64_t start, std::int64_t end,
                       std::uint32_t call_row = trace::kNone) {
    const std::uint32_t task =
        trace_.add_task(kLaunchThread, lead_us(launched), lead_us(start), lead_us(end));
    trace_->tasks().api[task] = call_row;
    auto& kernels = trace_->kernels();
    trace::resize_rows(kernels, kernels.size() + 1);
    kernels.task.back() = task;
    trace_->tasks().kernel[task] = static_cast<std::uint32_t>(kernels.size() - 1);
    return task;
  }
  void launched_by(std::uint32_t op, std::uint32_t task) {
    trace_->kernel_ops().op.push_back(op);
    trace_->kernel_ops().task.push_back(task);
  }
  HostLead analyzed(std::size_t buckets = 4) {
    const auto rows = link::ops_by_thread(trace_->framework_ops());
    link::link_op_tree(*trace_, rows);
    return host_lead(*trace_, buckets);
  }
  std::string_view text(StringId id) { return trace_->strings.view(id); }

  link::testing::FrameworkTrace trace_;
};

TEST_F(HostLeadTest, TheLeadIsTheStartAfterTheEndOfTheLaunch) {
  const std::uint32_t launch = call(0, 8, "launch", kLaunchThread);
  kernel(1, 18, 100, launch);  // 10 us after the end of the call, 17 after the time of the launch.
  kernel(30, 100, 200);
  kernel(40, 300, 400);
  kernel(0, 0, 0);
  trace_->tasks().launch_ns[3] = 0;
  const HostLead lead = analyzed();
  EXPECT_EQ(lead.kernels, 3u);
  EXPECT_EQ(lead.not_known, 1u);
  EXPECT_EQ(lead.by_launch_time, 2u);
  EXPECT_EQ(lead.starved, 1u);
  EXPECT_EQ(lead.median_ns, 70 * kLeadUs);
}

TEST_F(HostLeadTest, TwentyMicrosecondsAreTheLimit) {
  kernel(0, 20, 30);
  kernel(100, 119, 130);
  EXPECT_EQ(analyzed().starved, 1u);
}

TEST_F(HostLeadTest, TheCurveHoldsEachKernelOnce) {
  for (int i = 0; i < 10; ++i) kernel(i * 100, i * 100 + i * 10, i * 100 + 95);
  const HostLead lead = analyzed(4);
  ASSERT_EQ(lead.curve.size(), 4u);
  std::uint64_t kernels = 0;
  std::uint64_t starved = 0;
  for (const LeadBucket& bucket : lead.curve) {
    kernels += bucket.kernels;
    starved += bucket.starved;
  }
  EXPECT_EQ(kernels, 10u);
  EXPECT_EQ(starved, lead.starved);
  EXPECT_EQ(lead.curve[0].min_ns, 0);
  EXPECT_EQ(lead.curve[0].median_ns, 10 * kLeadUs);
  EXPECT_EQ(lead.curve[3].begin_ns, lead.curve[2].end_ns);
}

TEST_F(HostLeadTest, ASynchronizationBetweenLaunchesLosesTheLead) {
  trace_.add_op(kPythonThread, lead_us(100), lead_us(900), "aten::item");
  trace_.add_op(kPythonThread, lead_us(150), lead_us(890), "aten::_local_scalar_dense");
  kernel(0, 5, 100);
  kernel(10, 200, 300);  // 190 us ahead.
  kernel(20, 300, 800);  // 280 us ahead.
  call(160, 805, "aclrtSynchronizeStream", kPythonThread);
  call(170, 800, "StreamSynchronize", kPythonThread);  // Inside it.
  kernel(950, 955, 1000);
  kernel(960, 1000, 1100);
  kernel(970, 1100, 1200);
  const HostLead lead = analyzed();
  ASSERT_EQ(lead.lost.size(), 2u);
  EXPECT_EQ(lead.lost[0].cause, LostLead::Cause::kFirstKernel);
  const LostLead& lost = lead.lost[1];
  EXPECT_EQ(lost.cause, LostLead::Cause::kSynchronization);
  EXPECT_EQ(lost.begin_ns, lead_us(955));
  EXPECT_EQ(lost.end_ns, lead_us(1100));  // The last kernel has 130 us of lead again.
  EXPECT_EQ(lost.kernels, 2u);
  EXPECT_EQ(lost.idle_ns, 155 * kLeadUs);
  EXPECT_EQ(lost.lead_before_ns, 280 * kLeadUs);
  EXPECT_EQ(lost.host_after_ns, 145 * kLeadUs);
  ASSERT_EQ(lead.synchronizations.size(), 1u);
  EXPECT_EQ(text(lead.synchronizations[0].name), "aclrtSynchronizeStream");
  EXPECT_EQ(text(lead.synchronizations[0].op), "aten::_local_scalar_dense");
  EXPECT_EQ(lead.synchronizations[0].lost_leads, 1u);
  EXPECT_EQ(lead.synchronizations[0].total_ns, 645 * kLeadUs);
}

TEST_F(HostLeadTest, WithoutASynchronizationTheHostIsTooSlow) {
  kernel(0, 150, 300);
  kernel(500, 502, 600);
  const HostLead lead = analyzed();
  ASSERT_EQ(lead.lost.size(), 1u);
  EXPECT_EQ(lead.lost[0].cause, LostLead::Cause::kHost);
  EXPECT_EQ(lead.lost[0].idle_ns, 202 * kLeadUs);
}

TEST_F(HostLeadTest, OperatorsCostTheirOwnTimeTheQueueAndTheLaunch) {
  trace_.add_op(kPythonThread, lead_us(0), lead_us(100), "aten::linear");
  const std::uint32_t mm = trace_.add_op(kPythonThread, lead_us(10), lead_us(90), "aten::mm");
  trace_.add_enqueue(7, kPythonThread, lead_us(60), lead_us(65));
  trace_.add_dequeue(7, kLaunchThread, lead_us(80), lead_us(130));
  link::link_queue(*trace_);
  const auto rows = link::ops_by_thread(trace_->framework_ops());
  link::link_op_tree(*trace_, rows);
  link::link_queue_ops(*trace_, rows);
  const std::uint32_t launch = call(100, 112, "launch", kLaunchThread);
  launched_by(mm, kernel(100, 130, 200, launch));
  launched_by(mm, kernel(100, 200, 300, launch));  // One call, two tasks.
  const HostLead lead = analyzed();
  ASSERT_EQ(lead.costs.size(), 2u);
  const DispatchCost& cost = lead.costs[0];
  EXPECT_EQ(text(cost.name), "aten::mm");
  EXPECT_EQ(cost.self_ns, 75 * kLeadUs);
  EXPECT_EQ(cost.enqueue_ns, 5 * kLeadUs);
  EXPECT_EQ(cost.queue_wait_ns, 15 * kLeadUs);
  EXPECT_EQ(cost.dequeue_ns, 50 * kLeadUs);
  EXPECT_EQ(cost.launch_ns, 12 * kLeadUs);
  EXPECT_EQ(cost.kernels, 2u);
  EXPECT_EQ(cost.host_ns(), 130 * kLeadUs);
  EXPECT_EQ(lead.costs[1].self_ns, 20 * kLeadUs);
  EXPECT_EQ(lead.queue_wait_median_ns, 15 * kLeadUs);
}

TEST_F(HostLeadTest, WaitingForTheDeviceIsNoCostOfTheOperator) {
  trace_.add_op(kPythonThread, lead_us(0), lead_us(1000), "aten::item");
  call(100, 950, "aclrtSynchronizeStreamWithTimeout", kPythonThread);
  kernel(0, 500, 900);
  const HostLead lead = analyzed();
  EXPECT_EQ(lead.costs[0].self_ns, 150 * kLeadUs);
  EXPECT_EQ(lead.costs[0].synchronize_ns, 850 * kLeadUs);
}

TEST_F(HostLeadTest, StepsAreNoOperators) {
  const std::uint32_t step =
      trace_.add_op(kPythonThread, lead_us(0), lead_us(1000), "ProfilerStep#1");
  trace::resize_rows(trace_->steps(), 1);
  trace_->steps().op[0] = step;
  call(100, 950, "aclrtSynchronizeDevice", kPythonThread);
  kernel(0, 500, 900);
  const HostLead lead = analyzed();
  EXPECT_TRUE(lead.costs.empty());
  EXPECT_EQ(lead.synchronizations[0].op, kEmptyString);
}

TEST_F(HostLeadTest, DevicesHaveCurvesOfTheirOwn) {
  kernel(0, 500, 600);
  const std::uint32_t other = kernel(0, 5, 600);
  trace_->tasks().device[other] = 1;
  const HostLead lead = analyzed();
  ASSERT_EQ(lead.curve.size(), 2u);
  EXPECT_EQ(lead.curve[1].device, 1);
  EXPECT_EQ(lead.curve[1].starved, 1u);
}

TEST_F(HostLeadTest, AnEmptyProfileHasNoLead) { EXPECT_EQ(analyzed().kernels, 0u); }

}  // namespace
}  // namespace npuprof::analyze
