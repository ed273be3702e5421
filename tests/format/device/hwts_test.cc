#include "format/device/hwts.h"

#include <gtest/gtest.h>

#include "format/device/aicore.h"
#include "format/device/nano_stars.h"
#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::offset_of;

TEST(Hwts, RoundTripsRandomValues) {
  expect_round_trip<HwtsLog>();
  EXPECT_EQ(offset_of<HwtsLog>("task_id"), 6u);
  EXPECT_EQ(offset_of<HwtsLog>("stream"), 16u);
  EXPECT_EQ(offset_of<HwtsLog>("warning"), 24u);
}

TEST(Hwts, PacksTypeAndSequence) {
  for (unsigned type = 0; type < 8; ++type) {
    const HwtsLog log{.bits = HwtsLog::pack_bits(static_cast<HwtsLog::Type>(type), 16 + type)};
    EXPECT_EQ(static_cast<unsigned>(log.type()), type);
    EXPECT_EQ(log.sequence(), type);
    EXPECT_TRUE(log.has_magic());
  }
}

TEST(AiCorePmu, RoundTripsRandomValues) {
  expect_round_trip<AiCorePmu>();
  EXPECT_EQ(offset_of<AiCorePmu>("task_id"), 6u);
  EXPECT_EQ(offset_of<AiCorePmu>("total_cycles"), 16u);
  EXPECT_EQ(offset_of<AiCorePmu>("counters"), 32u);
  EXPECT_EQ(offset_of<AiCorePmu>("stream"), 96u);
}

TEST(NanoTask, RoundTripsRandomValues) {
  expect_round_trip<NanoTask>();
  EXPECT_EQ(offset_of<NanoTask>("task_id"), 6u);
  EXPECT_EQ(offset_of<NanoTask>("time_middle"), 20u);
  EXPECT_EQ(offset_of<NanoTask>("counters"), 24u);
}

TEST(NanoTask, PutsSplitNumbersTogether) {
  NanoTask task{};
  task.set_syscnt(0x00FEDCBA98765432);
  task.set_total_cycles(0xFF12345678);
  EXPECT_EQ(task.syscnt(), 0x00FEDCBA98765432u);
  EXPECT_EQ(task.total_cycles(), 0xFF12345678u);
  EXPECT_EQ(task.time_middle, 0xDCBA);
  EXPECT_EQ(task.time_high, 0xFE);
  EXPECT_EQ(task.cycles_high, 0xFF);
}

}  // namespace
}  // namespace npuprof::format::device
