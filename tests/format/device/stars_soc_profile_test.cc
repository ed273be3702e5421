#include "format/device/stars_soc_profile.h"

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::offset_of;

TEST(StarsSocProfile, RoundTripsRandomValues) {
  expect_round_trip<SocSample>();
  expect_round_trip<AccPmuSample>();
  expect_round_trip<SioBytes>();
  expect_round_trip<SioSample>();
  expect_round_trip<SioSampleV6>();
  expect_round_trip<ChipTransSample>();
  expect_round_trip<ChipTransSampleV6>();
  expect_round_trip<InterSocSample>();
  expect_round_trip<LowPowerSample>();
  expect_round_trip<QosSampleV6>();
}

TEST(StarsSocProfile, HasItsFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<AccPmuSample>("accelerator_id"), 18u);
  EXPECT_EQ(offset_of<AccPmuSample>("bandwidth"), 32u);
  EXPECT_EQ(offset_of<AccPmuSample>("outstanding"), 48u);
  EXPECT_EQ(offset_of<SioSample>("received"), 32u);
  EXPECT_EQ(offset_of<SioSample>("sent"), 48u);
  EXPECT_EQ(offset_of<SioSampleV6>("received"), 28u);
  EXPECT_EQ(offset_of<SioSampleV6>("sent"), 48u);
  EXPECT_EQ(offset_of<ChipTransSample>("link"), 18u);
  EXPECT_EQ(offset_of<ChipTransSample>("sent"), 40u);
  EXPECT_EQ(offset_of<ChipTransSampleV6>("written"), 16u);
  EXPECT_EQ(offset_of<InterSocSample>("levels"), 32u);
  EXPECT_EQ(offset_of<LowPowerSample>("raw"), 24u);
  EXPECT_EQ(offset_of<QosSampleV6>("bandwidth"), 24u);
}

TEST(StarsSocProfile, DispatchesOnTheHead) {
  const AccPmuSample written{.head = StarsHead::make(StarsFunction::kAccPmu, 3, 0),
                             .syscnt = 77,
                             .accelerator_id = 9,
                             .bandwidth = {5, 6}};
  const auto record = load<SocSample>(bytes_of(written).data());
  EXPECT_EQ(record.syscnt, 77u);
  ASSERT_EQ(record.head.function(), StarsFunction::kAccPmu);
  const auto sample = record.as<AccPmuSample>();
  EXPECT_EQ(sample.accelerator_id, 9);
  EXPECT_EQ(sample.bandwidth[1], 6u);
}

TEST(StarsSocProfile, SwapsNeighboursOfPowerChannels) {
  LowPowerSample sample{};
  for (std::size_t i = 0; i < LowPowerSample::kChannels; ++i) {
    sample.set_channel(i, static_cast<std::uint16_t>(100 + i));
  }
  EXPECT_EQ(sample.raw[0], 101);
  EXPECT_EQ(sample.raw[1], 100);
  EXPECT_EQ(sample.raw[11], 110);
  EXPECT_EQ(sample.channel(LowPowerSample::kAiCoreMhzChannel), 110);
}

TEST(StarsSocProfile, PacksLevels) {
  const InterSocSample sample{.levels = InterSocSample::pack_levels(5, 0xC3)};
  EXPECT_EQ(sample.mata_level(), 5);
  EXPECT_EQ(sample.l2_buffer_level(), 0xC3);
}

TEST(StarsSocProfile, TellsLinksFromPcie) {
  ChipTransSample sample{
      .head = StarsHead::make(StarsFunction::kChipTrans, 0, ChipTransSample::kPcieUnit),
      .link = 0xFFC5};
  EXPECT_TRUE(sample.is_pcie());
  EXPECT_EQ(sample.link_id(), 5);
  sample.head = StarsHead::make(StarsFunction::kChipTrans, 0, ChipTransSample::kPaLinkUnit);
  EXPECT_FALSE(sample.is_pcie());
}

TEST(StarsSocProfile, DropsInvalidPcieSamples) {
  ChipTransSampleV6 sample{.written = 1, .read = 2};
  EXPECT_TRUE(sample.is_valid());
  sample.read = ChipTransSampleV6::kInvalid;
  EXPECT_FALSE(sample.is_valid());
}

}  // namespace
}  // namespace npuprof::format::device
