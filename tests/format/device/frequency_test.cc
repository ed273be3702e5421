#include "format/device/frequency.h"

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::offset_of;

TEST(Frequency, RoundTripsRandomValues) {
  expect_round_trip<FrequencyChange>();
  expect_round_trip<FrequencyRecord>();
  EXPECT_EQ(offset_of<FrequencyRecord>("changes"), 8u);
  EXPECT_EQ(offset_of<FrequencyChange>("value"), 8u);
}

TEST(Frequency, NeverReadsPastTheRecord) {
  FrequencyRecord record{.count = 2};
  record.changes[1] = {.syscnt = 7, .value = 1650};
  ASSERT_EQ(record.used().size(), 2u);
  EXPECT_EQ(record.used()[1].value, 1650u);
  EXPECT_TRUE(record.has_valid_count());
  record.count = 0xFFFFFFFF;
  EXPECT_EQ(record.used().size(), FrequencyRecord::kMaxChanges);
  EXPECT_FALSE(record.has_valid_count());
}

}  // namespace
}  // namespace npuprof::format::device
