#include "format/device/ccu.h"

#include <vector>

#include <gtest/gtest.h>

#include "format/device/tscpu.h"
#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::offset_of;

TEST(Ccu, RoundTripsRandomValues) {
  expect_round_trip<CcuMission>();
  expect_round_trip<CcuChannelDelays>();
  EXPECT_EQ(offset_of<CcuMission>("set_cke_start"), 32u);
  EXPECT_EQ(offset_of<CcuMission>("loop_end"), 42u);
  EXPECT_EQ(offset_of<CcuMission>("task_id"), 60u);
}

TEST(Ccu, CountsRanksFromTheEnd) {
  CcuMission mission{};
  mission.relative_ends[15] = 10;
  mission.relative_ends[0] = 0xFFFF;
  EXPECT_FALSE(mission.end_of_rank(0));
  mission.set_cke_start = 1000;
  EXPECT_EQ(mission.end_of_rank(0), 1040u);
  EXPECT_EQ(mission.end_of_rank(15), 1000u + 4 * 0xFFFF);
}

// The widths are 5 x 11 and 9, ten times over, then 11, 5, 5, 11 twice; in channels 120 and 124 the
// sample is the last 5 words.
TEST(Ccu, FindsEveryChannel) {
  std::vector<std::size_t> starts;
  std::size_t word = 0;
  for (int group = 0; group < 10; ++group) {
    for (int i = 0; i < 12; ++i) {
      starts.push_back(word);
      word += i < 11 ? 5 : 9;
    }
  }
  for (int group = 0; group < 2; ++group) {
    for (const std::size_t width : {11, 5, 5, 11}) {
      starts.push_back(starts.size() % 4 == 0 ? word + 6 : word);
      word += width;
    }
  }
  ASSERT_EQ(starts.size(), CcuChannelDelays::kChannels);
  ASSERT_EQ(word, CcuChannelDelays::kWords);
  CcuChannelDelays record{};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_EQ(CcuChannelDelays::first_word(i), starts[i]) << i;
    record.set_channel(i, {.syscnt = i << 33, .average = 1, .minimum = 2, .maximum = 3});
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_EQ(record.channel(i).syscnt, i << 33);
    EXPECT_EQ(record.words[starts[i] + 4], 3u);
  }
}

TEST(TsCpu, RoundTripsRandomValues) {
  expect_round_trip<TsCpuSample>();
  expect_round_trip<TsCpuSample610>();
  EXPECT_EQ(offset_of<TsCpuSample>("pc"), 176u);
  EXPECT_EQ(offset_of<TsCpuSample>("events"), 192u);
  EXPECT_EQ(offset_of<TsCpuSample610>("timestamp"), 96u);
  EXPECT_TRUE(TsCpuSample{}.has_magic());
  EXPECT_FALSE(TsCpuSample{.magic = 0}.has_magic());
}

}  // namespace
}  // namespace npuprof::format::device
