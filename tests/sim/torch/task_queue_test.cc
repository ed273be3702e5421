#include "sim/torch/task_queue.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "sim/torch/framework_fixture.h"

namespace npuprof::sim {
namespace {

using format::framework::OpMark;
using format::framework::OpMarkCategory;
using testing::kMainThread;
using testing::kQueueThread;

class TaskQueueTest : public testing::FrameworkFixture {
 protected:
  static TaskQueue::Options options() {
    return {.thread_id = kQueueThread,
            .wake_up_ns = 1000,
            .gap_ns = 200,
            .call_lead_ns = 300,
            .capacity = 4};
  }
  std::vector<OpMark> marks() { return records<OpMark>(format::framework::kOpMarkFile); }
};

TEST_F(TaskQueueTest, WritesFourMarksOfWhichTheFirstHasNoId) {
  TaskQueue queue(open(), options());
  queue.done(queue.put("first", kMainThread, 100, 200), 3000);
  const auto task = queue.put("aclnnMm", kMainThread, 5000, 6000);
  EXPECT_EQ(task.correlation_id, 1u);
  EXPECT_EQ(task.thread_id, kQueueThread);
  EXPECT_EQ(task.taken_ns, 7000);
  EXPECT_EQ(task.start_ns, 7300);
  queue.done(task, 9000);

  const auto found = marks();
  ASSERT_EQ(found.size(), 8u);
  const std::int64_t times[] = {5000, 6000, 7000, 9000};
  for (std::size_t i = 0; i < 4; ++i) {
    const OpMark& mark = found[4 + i];
    EXPECT_EQ(mark.fixed.mark_category(), static_cast<OpMarkCategory>(i));
    EXPECT_EQ(mark.fixed.time, static_cast<std::int64_t>(ticks(times[i])));
    EXPECT_EQ(mark.fixed.correlation_id, i == 0 ? 0u : 1u);
    EXPECT_EQ(mark.fixed.thread_id, i < 2 ? kMainThread : kQueueThread);
    EXPECT_EQ(mark.name, "aclnnMm");
  }
}

TEST_F(TaskQueueTest, TasksLeaveInOrderAndNeverOverlap) {
  TaskQueue queue(open(), options());
  std::int64_t last_end = 0;
  for (int i = 0; i < 50; ++i) {
    const auto task = queue.put("op", kMainThread, i * 300, i * 300 + 100);
    EXPECT_EQ(task.correlation_id, static_cast<std::uint64_t>(i));
    EXPECT_GE(task.taken_ns, task.put_end_ns + 1000);
    if (i > 0) {
      EXPECT_GE(task.taken_ns, last_end + 200);
    }
    last_end = task.start_ns + 5000;
    queue.done(task, last_end);
  }
  EXPECT_EQ(queue.idle_at_ns(), last_end);
}

TEST_F(TaskQueueTest, AFullQueueHoldsTheProducerBack) {
  TaskQueue queue(open(), options());
  std::vector<std::int64_t> starts;
  for (int i = 0; i < 6; ++i) {
    const auto task = queue.put("op", kMainThread, i * 10, i * 10 + 5);
    // The fifth task needs the place of the first, and so on.
    const std::int64_t expected =
        i < 4 ? i * 10 + 5
              : std::max<std::int64_t>(i * 10 + 5, starts[static_cast<std::size_t>(i - 4)]);
    EXPECT_EQ(task.put_end_ns, expected) << i;
    starts.push_back(task.taken_ns);
    queue.done(task, task.start_ns + 10'000);
  }
}

TEST_F(TaskQueueTest, WithoutAQueueTasksRunWhereTheyArePut) {
  FrameworkOptions framework = testing::all_options();
  framework.task_queue = false;
  TaskQueue queue(open(framework), options());
  const auto task = queue.put("aclnnMm", kMainThread, 5000, 6000);
  EXPECT_EQ(task.thread_id, kMainThread);
  EXPECT_EQ(task.start_ns, 5000);
  queue.done(task, 9000);
  EXPECT_TRUE(marks().empty());
}

TEST_F(TaskQueueTest, DequeueNamesAreCutAndBatchCopiesRenamed) {
  TaskQueue queue(open(), options());
  const std::string long_name(150, 'x');
  queue.done(queue.put(long_name, kMainThread, 0, 1), 2000);
  queue.done(queue.put("acl_memcpy_batch_async", kMainThread, 10, 11), 4000);
  const auto found = marks();
  ASSERT_EQ(found.size(), 8u);
  EXPECT_EQ(found[1].name.size(), 150u);
  EXPECT_EQ(found[2].name.size(), 99u);
  EXPECT_EQ(found[5].name, "acl_memcpy_batch_async");
  EXPECT_EQ(found[7].name, "aclrtMemcpyBatchAsync");
}

}  // namespace
}  // namespace npuprof::sim
