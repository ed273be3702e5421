#include "format/device/links.h"

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::offset_of;

TEST(Links, RoundTripRandomValues) {
  expect_round_trip<PcieSample>();
  expect_round_trip<UbSample>();
  expect_round_trip<QosSample>();
}

TEST(Links, HaveTheirFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<PcieSample>("sent_posted"), 12u);
  EXPECT_EQ(offset_of<PcieSample>("sent_non_posted_latency"), 48u);
  EXPECT_EQ(offset_of<PcieSample>("received_completion"), 84u);
  EXPECT_EQ(offset_of<UbSample>("port"), 4u);
  EXPECT_EQ(offset_of<UbSample>("time_us"), 8u);
  EXPECT_EQ(offset_of<UbSample>("received"), 32u);
  EXPECT_EQ(offset_of<UbSample>("sent"), 80u);
  EXPECT_EQ(offset_of<QosSample>("syscnt"), 16u);
}

TEST(Links, TellContradictoryPcieSamples) {
  PcieSample sample{.sent_posted = {1, 5, 3}};
  EXPECT_TRUE(sample.is_valid());
  EXPECT_TRUE(sample.sent_posted.is_measured());
  sample.sent_posted = {MinMaxAverage::kNone, 0, 0};
  EXPECT_FALSE(sample.is_valid());
  EXPECT_FALSE(sample.sent_posted.is_measured());
}

}  // namespace
}  // namespace npuprof::format::device
