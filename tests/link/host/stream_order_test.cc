#include "link/host/stream_order.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/host/levels.h"
#include "link/host_trace.h"
#include "trace/host/task_tracks.h"

namespace npuprof::link {
namespace {

using format::host::TaskType;
using ::testing::ElementsAre;
using ::testing::Pair;

class StreamOrder : public ::testing::Test, protected testing::HostTrace {
 protected:
  void task(std::int64_t time, std::uint32_t id, std::uint16_t stream = 2) {
    track(time, stream, id, TaskType::kKernelAicore);
  }
  // (batch, task) in order.
  std::vector<std::pair<int, int>> batches(bool use_flips = true) {
    std::vector<std::pair<int, int>> result;
    for (const std::uint32_t row : order_tracks(trace().task_tracks(), use_flips)) {
      result.emplace_back(trace().task_tracks().batch[row], trace().task_tracks().task[row]);
    }
    return result;
  }
};

TEST_F(StreamOrder, EachFlipBeginsABatch) {
  task(10, 65533);
  task(20, 65534);
  flip(30, 2, 0, 1);
  task(40, 1);
  task(50, 65534);
  flip(60, 2, 0, 2);
  task(70, 1);
  EXPECT_THAT(batches(),
              ElementsAre(Pair(0, 65533), Pair(0, 65534), Pair(1, 1), Pair(1, 65534), Pair(2, 1)));
}

TEST_F(StreamOrder, TasksThatOvertookTheFlipAreMovedToItsBatch) {
  task(10, 65534);
  task(20, 0);  // Another thread took the ids 0 and 1 before the flip got 2.
  task(25, 1);
  flip(30, 2, 2, 1);
  task(40, 3);
  EXPECT_THAT(batches(), ElementsAre(Pair(0, 65534), Pair(1, 0), Pair(1, 1), Pair(1, 3)));
}

TEST_F(StreamOrder, AtEqualTimesTheIdTellsTheBatch) {
  task(10, 65533);
  task(30, 65534);
  flip(30, 2, 0, 1);
  task(30, 1);
  EXPECT_THAT(batches(), ElementsAre(Pair(0, 65533), Pair(0, 65534), Pair(1, 1)));
}

TEST_F(StreamOrder, DestroyingAStreamBeginsABatchWithoutMovingTasks) {
  task(10, 3);
  task(20, 4);
  flip(30, 2, 0xFFFF, 0xFFFF);
  task(40, 0);
  EXPECT_THAT(batches(), ElementsAre(Pair(0, 3), Pair(0, 4), Pair(1, 0)));
}

TEST_F(StreamOrder, StreamsFlipOnTheirOwn) {
  task(10, 5, 2);
  flip(20, 3, 0, 1);
  task(30, 6, 2);
  task(30, 1, 3);
  EXPECT_THAT(batches(), ElementsAre(Pair(0, 5), Pair(0, 6), Pair(1, 1)));
}

TEST_F(StreamOrder, WithoutFlipsTheReportedNumberStays) {
  task(10, 5);
  trace().task_tracks().batch[0] = 9;
  EXPECT_THAT(batches(false), ElementsAre(Pair(9, 5)));
}

}  // namespace
}  // namespace npuprof::link
