#include "analyze/kernel_groups.h"

#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include "analyze/statistics.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

struct GroupedKernel {
  std::string_view name;
  std::string_view type;
  std::string_view shapes = {};
  std::uint16_t device = 0;
};

class KernelGroupsTest : public ::testing::Test {
 protected:
  void add(std::int64_t start_ns, std::int64_t end_ns, const GroupedKernel& of) {
    trace::Tasks& tasks = trace_.tasks();
    trace::Kernels& kernels = trace_.kernels();
    resize_rows(tasks, tasks.size() + 1);
    resize_rows(kernels, kernels.size() + 1);
    tasks.start_ns.back() = start_ns;
    tasks.end_ns.back() = end_ns;
    tasks.device.back() = of.device;
    kernels.task.back() = static_cast<std::uint32_t>(tasks.size() - 1);
    kernels.name.back() = trace_.strings.intern(of.name);
    kernels.op_type.back() = trace_.strings.intern(of.type);
    kernels.input_shapes.back() = trace_.strings.intern(of.shapes);
  }
  std::vector<KernelGroup> groups(KernelKey key) {
    rows_ = operator_rows(trace_);
    return kernel_groups(trace_, rows_, key);
  }
  std::string_view text(StringId id) const { return trace_.strings.view(id); }

  trace::Trace trace_;
  OperatorRows rows_;
};

TEST_F(KernelGroupsTest, ByTypeTheyAreThoseOfTheStatistic) {
  for (int i = 0; i < 40; ++i) {
    const std::uint16_t device = i < 20 ? 0 : 1;
    const std::string_view type = i % 3 == 0 ? "MatMul" : i % 3 == 1 ? "Add" : "Mul";
    add(100 * i, 100 * i + 10 + i * 7 % 50, {"k", type, "8", device});
  }
  const auto rows = groups(KernelKey::kType);
  const auto statistic = operator_statistic(trace_, rows_);
  ASSERT_EQ(rows.size(), statistic.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].device, statistic[i].device);
    EXPECT_EQ(rows[i].type, statistic[i].type);
    EXPECT_EQ(rows[i].times.count, statistic[i].count);
    EXPECT_EQ(rows[i].times.total_ns, statistic[i].total_ns);
    EXPECT_EQ(rows[i].times.max_ns, statistic[i].max_ns);
    EXPECT_DOUBLE_EQ(rows[i].share, statistic[i].ratio);
  }
}

TEST_F(KernelGroupsTest, KernelsWithoutATypeGoByTheirNames) {
  add(0, 10, {"a", ""});
  add(20, 40, {"b", ""});
  add(50, 60, {"a", "MatMul"});
  const auto rows = groups(KernelKey::kType);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(text(rows[0].name), "b");
  // A type needs no name.
  EXPECT_EQ(text(rows[1].name), "");
  EXPECT_EQ(text(rows[1].type), "MatMul");
  EXPECT_EQ(text(rows[2].name), "a");
}

TEST_F(KernelGroupsTest, AlikeAreEqualShapesOrElseEqualNames) {
  add(0, 10, {"a", "MatMul", "8,8"});
  add(20, 40, {"b", "MatMul", "8,8"});
  add(50, 60, {"a", "Zeros"});
  add(70, 85, {"b", "Zeros"});
  EXPECT_EQ(groups(KernelKey::kShape).size(), 2u);
  const auto rows = groups(KernelKey::kAlike);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].times.count, 2u);
  EXPECT_EQ(text(rows[1].name), "b");
  EXPECT_EQ(rows[1].times.longest, 3u);
}

TEST_F(KernelGroupsTest, CollectivesAreNotCountedButWaitedFor) {
  auto& ops = trace_.collective_ops();
  resize_rows(ops, 1);
  ops.start_ns[0] = 5;
  ops.end_ns[0] = 90;
  add(0, 4, {"a", "Add"});
  add(100, 110, {"a", "Add"});
  const auto rows = groups(KernelKey::kName);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].times.count, 2u);
  EXPECT_EQ(rows[0].wait_ns, 10);
  EXPECT_EQ(rows_.start_ns[rows[0].times.longest], 100);
}

TEST(KernelOutlier, NeedsFiveCallsAndThreeTimesTheMedian) {
  DurationSummary times{.count = 5, .median_ns = 10, .max_ns = 31};
  EXPECT_TRUE(has_outlier(times));
  times.max_ns = 30;
  EXPECT_FALSE(has_outlier(times));
  times = {.count = 4, .median_ns = 10, .max_ns = 1000};
  EXPECT_FALSE(has_outlier(times));
  times = {.count = 5, .median_ns = 0, .max_ns = 1000};
  EXPECT_FALSE(has_outlier(times));
  times = {.count = 5, .median_ns = INT64_MAX / 2, .max_ns = INT64_MAX};
  EXPECT_FALSE(has_outlier(times));
}

}  // namespace
}  // namespace npuprof::analyze
