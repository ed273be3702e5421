#include "format/device/ffts_profile.h"

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::hex;
using testing::offset_of;

TEST(FftsProfile, RoundTripsRandomValues) {
  expect_round_trip<ContextPmu>();
  expect_round_trip<BlockPmu>();
  expect_round_trip<CorePmuV6>();
  expect_round_trip<AiCoreSample>();
  expect_round_trip<AiCoreSampleV6>();
}

TEST(FftsProfile, HasItsFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<ContextPmu>("sub_task"), 16u);
  EXPECT_EQ(offset_of<ContextPmu>("ffts"), 20u);
  EXPECT_EQ(offset_of<ContextPmu>("total_cycles"), 32u);
  EXPECT_EQ(offset_of<ContextPmu>("counters"), 48u);
  EXPECT_EQ(offset_of<ContextPmu>("start_syscnt"), 112u);
  EXPECT_EQ(offset_of<BlockPmu>("core"), 20u);
  EXPECT_EQ(offset_of<BlockPmu>("sub_block_id"), 28u);
  EXPECT_EQ(offset_of<BlockPmu>("counters"), 48u);
  EXPECT_EQ(offset_of<CorePmuV6>("total_cycles"), 8u);
  EXPECT_EQ(offset_of<CorePmuV6>("core_id"), 21u);
  EXPECT_EQ(offset_of<CorePmuV6>("block_id"), 26u);
  EXPECT_EQ(offset_of<CorePmuV6>("counters"), 32u);
  EXPECT_EQ(offset_of<AiCoreSample>("total_cycles"), 72u);
  EXPECT_EQ(offset_of<AiCoreSample>("core_id"), 89u);
  EXPECT_EQ(offset_of<AiCoreSampleV6>("total_cycles"), 88u);
  EXPECT_EQ(offset_of<AiCoreSampleV6>("core_id"), 105u);
}

TEST(FftsProfile, DecodesAContextPmuWrittenByHand) {
  auto bytes = hex(
      "6800d36b 03000800 00000000 00000000 06000000 00800000 00000000 00000000 c0a80000 00000000");
  bytes.resize(sizeof(ContextPmu));
  const auto record = load<ContextPmu>(bytes.data());
  EXPECT_EQ(record.head.function(), StarsFunction::kContextPmu);
  EXPECT_EQ(record.head.sequence(), 1);
  EXPECT_EQ(record.raw_stream, 3);
  EXPECT_EQ(record.raw_task, 8);
  EXPECT_EQ(core_kind(record.ffts_type(), record.sub_task_type()), CoreKind::kMixAic);
  EXPECT_FALSE(record.overflowed());
  EXPECT_EQ(record.total_cycles, 43200u);

  ContextPmu built{.head = StarsHead::make(StarsFunction::kContextPmu, 1, 0),
                   .raw_stream = 3,
                   .raw_task = 8,
                   .sub_task = ContextPmu::pack_sub_task(6, false),
                   .ffts = ContextPmu::pack_ffts(4),
                   .total_cycles = 43200};
  const Bytes encoded = bytes_of(built);
  EXPECT_TRUE(std::equal(encoded.begin(), encoded.end(), bytes.begin(), bytes.end()));
}

TEST(FftsProfile, DecodesABlockPmuWrittenByHand) {
  auto bytes = hex(
      "a900d36b 03000800 00000000 00000000 06000000 35800000 00000000 00000000 e8030000 00000000");
  bytes.resize(sizeof(BlockPmu));
  const auto record = load<BlockPmu>(bytes.data());
  EXPECT_EQ(record.head.function(), StarsFunction::kBlockPmu);
  EXPECT_EQ(record.head.sequence(), 2);
  EXPECT_TRUE(record.is_vector_core());
  EXPECT_EQ(record.core_id(), 26);
  EXPECT_EQ(record.ffts_type(), 4);
  EXPECT_EQ(record.sub_task_type(), 6);
  EXPECT_EQ(record.total_cycles, 1000u);

  BlockPmu built{.head = StarsHead::make(StarsFunction::kBlockPmu, 2, 0),
                 .raw_stream = 3,
                 .raw_task = 8,
                 .sub_task = 6,
                 .core = BlockPmu::pack_core(true, 26),
                 .ffts = BlockPmu::pack_ffts(4),
                 .total_cycles = 1000};
  const Bytes encoded = bytes_of(built);
  EXPECT_TRUE(std::equal(encoded.begin(), encoded.end(), bytes.begin(), bytes.end()));
}

TEST(FftsProfile, KeepsTheOverflowFlagApartFromTheType) {
  const ContextPmu record{.sub_task = ContextPmu::pack_sub_task(0xFF, true)};
  EXPECT_EQ(record.sub_task_type(), 0xFF);
  EXPECT_TRUE(record.overflowed());
  const CorePmuV6 newer{.flags = CorePmuV6::pack_flags(true, false, true)};
  EXPECT_TRUE(newer.is_main_core());
  EXPECT_FALSE(newer.is_mixed());
  EXPECT_TRUE(newer.overflowed());
}

TEST(FftsProfile, TellsTheKindOfCore) {
  EXPECT_EQ(core_kind(0, 9), CoreKind::kAic);
  EXPECT_EQ(core_kind(4, 0), CoreKind::kAic);
  EXPECT_EQ(core_kind(1, 0), CoreKind::kAiv);
  EXPECT_EQ(core_kind(4, 1), CoreKind::kAiv);
  EXPECT_EQ(core_kind(4, 6), CoreKind::kMixAic);
  EXPECT_EQ(core_kind(4, 7), CoreKind::kMixAiv);
  EXPECT_EQ(core_kind(5, 0), CoreKind::kAiv);
  EXPECT_EQ(core_kind(4, 8), std::nullopt);
  EXPECT_EQ(core_kind(2, 0), std::nullopt);
  EXPECT_TRUE(leads_with_vector(CoreKind::kMixAiv));
  EXPECT_FALSE(leads_with_vector(CoreKind::kMixAic));
  EXPECT_TRUE(is_mixed(CoreKind::kMixAic));
}

TEST(FftsProfile, TellsSampledCoresApart) {
  EXPECT_EQ(sampled_core_kind(ChipId::k910B, 24), CoreKind::kAic);
  EXPECT_EQ(sampled_core_kind(ChipId::k910B, 25), CoreKind::kAiv);
  EXPECT_EQ(sampled_core_kind(ChipId::k310B, 0), CoreKind::kAic);
  EXPECT_EQ(sampled_core_kind(ChipId::k310B, 1), CoreKind::kAiv);
  EXPECT_EQ(sampled_core_kind(ChipId::k910_95, 35), CoreKind::kAic);
  EXPECT_EQ(sampled_core_kind(ChipId::k910_95, 36), CoreKind::kAiv);
}

}  // namespace
}  // namespace npuprof::format::device
