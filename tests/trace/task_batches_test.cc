#include "trace/task_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof::trace {
namespace {

using ::testing::ElementsAre;

struct Task {
  std::int64_t time_ns;
  std::uint32_t task;
  std::uint16_t stream = 1;
};

std::vector<int> batches(std::vector<BatchBegin> flips, const std::vector<Task>& tasks) {
  std::vector<int> result(tasks.size(), 0);
  std::vector<std::uint16_t> streams;
  std::vector<std::uint32_t> ids;
  std::vector<std::int64_t> times;
  for (const Task& task : tasks) {
    streams.push_back(task.stream);
    ids.push_back(task.task);
    times.push_back(task.time_ns);
  }
  TaskBatches(std::move(flips))
      .assign(streams, ids, times,
              [&](std::uint32_t row, std::uint16_t batch) { result[row] = batch; });
  return result;
}

TEST(TaskBatchesTest, CountsTheFlipsOfTheStream) {
  EXPECT_THAT(batches({{20, 1, 1, 0}, {40, 1, 2, 0}, {25, 2, 1, 0}},
                      {{10, 65534}, {30, 1}, {50, 2}, {15, 9, 2}, {30, 1, 2}, {30, 1, 3}}),
              ElementsAre(0, 1, 2, 0, 1, 0));
}

TEST(TaskBatchesTest, AtTheTimeOfTheFlipTheIdTells) {
  EXPECT_THAT(batches({{20, 1, 1, 0}}, {{20, 65534}, {21, 1}}), ElementsAre(0, 1));
  EXPECT_THAT(batches({{20, 1, 1, 0}}, {{19, 65534}, {20, 1}}), ElementsAre(0, 1));
  EXPECT_THAT(batches({{20, 1, 0xFFFF, 0xFFFF}}, {{20, 5}, {21, 0}}), ElementsAre(0, 1));
}

TEST(TaskBatchesTest, TasksThatTookTheirIdBeforeTheFlipBelongBehindIt) {
  // The flip got id 2: ids 0 and 1 were taken by tasks that ran before it.
  EXPECT_THAT(batches({{20, 1, 1, 2}}, {{10, 65533}, {11, 65534}, {12, 0}, {13, 1}, {30, 3}}),
              ElementsAre(0, 0, 1, 1, 1));
}

TEST(TaskBatchesTest, DestroyingAStreamBeginsABatchWithoutLookingBack) {
  EXPECT_THAT(batches({{20, 1, 0xFFFF, 0xFFFF}}, {{10, 5}, {11, 6}, {30, 0}}),
              ElementsAre(0, 0, 1));
}

TEST(TaskBatchesTest, RowsNeedNotBeSorted) {
  EXPECT_THAT(batches({{20, 1, 1, 0}}, {{30, 1}, {10, 65534}}), ElementsAre(1, 0));
}

}  // namespace
}  // namespace npuprof::trace
