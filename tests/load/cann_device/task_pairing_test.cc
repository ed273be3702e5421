#include "load/cann_device/task_pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof::load {
namespace {

using ::testing::ElementsAre;

class TaskPairingTest : public ::testing::Test {
 protected:
  TaskPairingTest() { clock_.device_counter.frequency_hz = 1'000'000'000; }

  void start(std::uint64_t time, std::uint32_t task, std::uint32_t context = trace::kNone,
             std::uint16_t stream = 1) {
    pairing_.add({.syscnt = time, .task = task, .context = context, .stream = stream});
  }
  void end(std::uint64_t time, std::uint32_t task, std::uint32_t context = trace::kNone,
           std::uint16_t stream = 1) {
    pairing_.add(
        {.syscnt = time, .task = task, .context = context, .stream = stream, .is_end = true});
  }

  DeviceClock clock_;
  trace::DeviceTasks tasks_;
  TaskPairing pairing_{clock_, 0, tasks_};
};

TEST_F(TaskPairingTest, RowsAreInOrderOfStart) {
  start(10, 1);
  start(12, 1, trace::kNone, 2);
  end(15, 1, trace::kNone, 2);
  end(20, 1);
  pairing_.finish();
  EXPECT_THAT(tasks_.start_ns, ElementsAre(10, 12));
  EXPECT_THAT(tasks_.end_ns, ElementsAre(20, 15));
  EXPECT_THAT(tasks_.stream, ElementsAre(1, 2));
  EXPECT_EQ(pairing_.lost_partners(), 0u);
}

TEST_F(TaskPairingTest, ContextsAreTasksOfTheirOwn) {
  start(10, 1);
  start(11, 1, 0);
  start(12, 1, 5);
  end(13, 1, 0);
  end(14, 1, 5);
  end(15, 1);
  pairing_.finish();
  EXPECT_THAT(tasks_.context, ElementsAre(trace::kNone, 0, 5));
  EXPECT_THAT(tasks_.end_ns, ElementsAre(15, 13, 14));
}

TEST_F(TaskPairingTest, ASecondStartMeansThatTheEndBetweenWasLost) {
  start(10, 1);
  start(30, 1);
  end(40, 1);
  pairing_.finish();
  EXPECT_THAT(tasks_.start_ns, ElementsAre(30));
  EXPECT_EQ(pairing_.lost_partners(), 1u);
}

TEST_F(TaskPairingTest, AnEndWithoutAStartIsDropped) {
  end(5, 9);  // Ran when collecting began.
  start(10, 1);
  end(20, 1);
  end(30, 2);
  pairing_.finish();
  EXPECT_THAT(tasks_.start_ns, ElementsAre(10));
  EXPECT_EQ(pairing_.lost_partners(), 1u);
}

TEST_F(TaskPairingTest, TheLastTaskOfAStreamMayOutliveTheCollection) {
  start(10, 1);
  start(12, 2);
  end(13, 2);
  start(20, 3);
  start(21, 7, trace::kNone, 2);
  pairing_.finish();
  EXPECT_THAT(tasks_.task, ElementsAre(2));
  EXPECT_EQ(pairing_.lost_partners(), 1u);  // Task 1.
}

TEST_F(TaskPairingTest, WideTaskIdsWithoutStream) {
  start(10, 0x10001, trace::kNone, trace::kUnknownStream);
  start(11, 1, trace::kNone, trace::kUnknownStream);
  end(12, 1, trace::kNone, trace::kUnknownStream);
  end(13, 0x10001, trace::kNone, trace::kUnknownStream);
  pairing_.finish();
  EXPECT_THAT(tasks_.end_ns, ElementsAre(13, 12));
}

}  // namespace
}  // namespace npuprof::load
