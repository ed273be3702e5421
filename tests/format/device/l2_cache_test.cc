#include "format/device/l2_cache.h"

#include <gtest/gtest.h>

#include "format/device/soc_pmu.h"
#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::offset_of;

TEST(L2Cache, RoundTripsRandomValues) {
  expect_round_trip<L2CacheRecord>();
  expect_round_trip<SocPmuRecord>();
  expect_round_trip<SocPmuRecordV6>();
  EXPECT_EQ(offset_of<L2CacheRecord>("counters"), 8u);
  EXPECT_EQ(offset_of<SocPmuRecord>("raw_stream"), 10u);
  EXPECT_EQ(offset_of<SocPmuRecord>("kind"), 14u);
  EXPECT_EQ(offset_of<SocPmuRecordV6>("kind"), 6u);
  EXPECT_EQ(offset_of<SocPmuRecordV6>("task_id"), 12u);
}

TEST(L2Cache, RatesComeFromCollectedEventsOnly) {
  for (const Chip& chip : all_chips()) {
    const L2Events events = l2_events(chip.id);
    EXPECT_EQ(events.collected.empty(), events.requests.empty());
    for (const auto& list : {events.requests, events.hits, events.victims}) {
      for (const SignedEvent& term : list) {
        EXPECT_NE(std::find(events.collected.begin(), events.collected.end(), term.event),
                  events.collected.end())
            << chip.product;
      }
    }
  }
}

TEST(L2Cache, SumsAndSubtracts) {
  const L2Events stars = l2_events(ChipId::k910B);
  const std::uint64_t counters[] = {1, 20, 30, 4, 15, 10, 5, 8};
  EXPECT_EQ(sum_events(stars.requests, stars.collected, counters), 50);
  EXPECT_EQ(sum_events(stars.hits, stars.collected, counters), 25);
  EXPECT_EQ(sum_events(stars.victims, stars.collected, counters), 5);

  const L2Events newer = l2_events(ChipId::k910_95);
  const std::uint64_t more[] = {100, 1, 2, 3, 4, 5};
  EXPECT_EQ(sum_events(newer.hits, newer.collected, more), 85);
  const std::uint64_t contradictory[] = {1, 10, 0, 0, 0, 0};
  EXPECT_EQ(sum_events(newer.hits, newer.collected, contradictory), -9);
}

TEST(L2Cache, MissingCountersCountNothing) {
  const L2Events stars = l2_events(ChipId::k910B);
  const std::uint16_t other[] = {0xfb};
  const std::uint64_t counters[] = {7};
  EXPECT_EQ(sum_events(stars.requests, other, counters), 7);
  EXPECT_EQ(sum_events(stars.requests, stars.collected, counters), 0);
}

}  // namespace
}  // namespace npuprof::format::device
