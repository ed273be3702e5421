#include "format/device/stars_soc.h"

#include <gtest/gtest.h>

#include "format/device/task_identity.h"
#include "format/device/task_types.h"
#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::hex;
using testing::offset_of;

// The bytes written down, followed by zeros up to the record's size.
template <Record T>
T decode(std::string_view text) {
  std::vector<std::byte> bytes = hex(text);
  bytes.resize(sizeof(T));
  return load<T>(bytes.data());
}

template <Record T>
void expect_bytes(const T& record, std::string_view text) {
  std::vector<std::byte> expected = hex(text);
  expected.resize(sizeof(T));
  const Bytes encoded = bytes_of(record);
  EXPECT_TRUE(std::equal(encoded.begin(), encoded.end(), expected.begin(), expected.end()));
}

TEST(StarsSoc, RoundTripsRandomValues) {
  expect_round_trip<TaskLog>();
  expect_round_trip<FftsPlusLog>();
  expect_round_trip<TaskLogV6>();
  expect_round_trip<BlockLogV6>();
  expect_round_trip<FusionLogV6>();
}

TEST(StarsSoc, HasItsFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<TaskLog>("magic"), 2u);
  EXPECT_EQ(offset_of<TaskLog>("raw_stream"), 4u);
  EXPECT_EQ(offset_of<TaskLog>("syscnt"), 8u);
  EXPECT_EQ(offset_of<TaskLog>("accelerator"), 18u);
  EXPECT_EQ(offset_of<FftsPlusLog>("sub_task"), 16u);
  EXPECT_EQ(offset_of<FftsPlusLog>("context_id"), 18u);
  EXPECT_EQ(offset_of<FftsPlusLog>("thread_id"), 22u);
  EXPECT_EQ(offset_of<TaskLogV6>("accelerator"), 18u);
  EXPECT_EQ(offset_of<BlockLogV6>("core_type"), 20u);
  EXPECT_EQ(offset_of<BlockLogV6>("block_id"), 26u);
  EXPECT_EQ(offset_of<FusionLogV6>("part"), 16u);
}

TEST(StarsHead, PacksEveryValueOfItsBitFields) {
  for (unsigned function = 0; function < 64; ++function) {
    for (unsigned unit = 0; unit < 64; ++unit) {
      auto head = StarsHead::make(static_cast<StarsFunction>(function), function + unit, unit);
      EXPECT_EQ(static_cast<unsigned>(head.function()), function);
      EXPECT_EQ(head.sequence(), (function + unit) % 16);
      EXPECT_EQ(head.unit(), unit);
      EXPECT_TRUE(head.has_magic());
      head.set_sequence(21);
      EXPECT_EQ(static_cast<unsigned>(head.function()), function);
      EXPECT_EQ(head.sequence(), 5);
      EXPECT_EQ(head.unit(), unit);
    }
  }
}

TEST(StarsHead, TellsAWrongMagic) {
  EXPECT_FALSE(decode<TaskLog>("0000 d26b 0300 0700").head.has_magic());
  EXPECT_FALSE(decode<TaskLog>("").head.has_magic());
}

TEST(StarsSoc, DecodesATaskPairWrittenByHand) {
  const auto start = decode<TaskLog>("0000d36b 03000700 28460f00 00000000");
  EXPECT_TRUE(start.head.has_magic());
  EXPECT_EQ(start.head.function(), StarsFunction::kTaskStart);
  EXPECT_EQ(start.head.sequence(), 0);
  EXPECT_EQ(start.head.sqe_type(), 0);
  EXPECT_EQ(start.raw_stream, 3);
  EXPECT_EQ(start.raw_task, 7);
  EXPECT_EQ(start.syscnt, 1001000u);

  const auto end = decode<TaskLog>("4100d36b 03000700 1c480f00 00000000");
  EXPECT_EQ(end.head.function(), StarsFunction::kTaskEnd);
  EXPECT_EQ(end.head.sequence(), 1);
  EXPECT_EQ(end.syscnt, 1001500u);

  const TaskLog built{.head = StarsHead::make(StarsFunction::kTaskEnd, 1, 0),
                      .raw_stream = 3,
                      .raw_task = 7,
                      .syscnt = 1001500};
  expect_bytes(built, "4100d36b 03000700 1c480f00 00000000");
}

TEST(StarsSoc, DecodesAnFftsPlusStartWrittenByHand) {
  constexpr std::string_view kText = "e200d36b 03000800 1a4a0f00 00000000 06000000 00800000";
  const auto start = decode<FftsPlusLog>(kText);
  EXPECT_EQ(start.head.function(), StarsFunction::kFftsPlusStart);
  EXPECT_EQ(start.head.sequence(), 3);
  EXPECT_EQ(start.raw_stream, 3);
  EXPECT_EQ(start.raw_task, 8);
  EXPECT_EQ(start.syscnt, 1002010u);
  EXPECT_EQ(sub_task_type_name(start.sub_task_type()), "MIX_AIC");
  EXPECT_EQ(start.context_id, 0);
  EXPECT_EQ(start.ffts_type(), 4);
  const FftsPlusLog built{.head = StarsHead::make(StarsFunction::kFftsPlusStart, 3, 0),
                          .raw_stream = 3,
                          .raw_task = 8,
                          .syscnt = 1002010,
                          .sub_task = 6,
                          .ffts = FftsPlusLog::pack_ffts(4)};
  expect_bytes(built, kText);
}

TEST(StarsSoc, DecodesASwappedIdentityWrittenByHand) {
  const auto start = decode<TaskLog>("802ed36b 05200400 386d0f00 00000000");
  EXPECT_EQ(start.head.sqe_type(), 11);
  EXPECT_EQ(start.head.sequence(), 10);
  EXPECT_EQ(decode_task_identity({start.raw_stream, start.raw_task}, StreamMode::kNormal,
                                 start.head.sqe_type()),
            (TaskIdentity{4, 5}));
}

TEST(StarsSoc, PacksAcceleratorBits) {
  const auto bits = AcceleratorBits::make(61, 100);
  EXPECT_EQ(bits.accelerator(), 61);
  EXPECT_EQ(bits.queue(), 100);
}

TEST(StarsSoc, TellsTheFlagsOfABlock) {
  BlockLogV6 block{};
  block.flags = 1;
  EXPECT_TRUE(block.is_main_core());
  EXPECT_FALSE(block.is_mixed());
  block.flags = 2;
  block.core_type = 1;
  EXPECT_FALSE(block.is_main_core());
  EXPECT_TRUE(block.is_mixed());
  EXPECT_TRUE(block.is_vector_core());
}

TEST(StarsSoc, TellsThePartsOfAFusedTask) {
  for (unsigned part = 0; part < 5; ++part) {
    for (unsigned mission = 0; mission < 16; ++mission) {
      const FusionLogV6 log{.part = FusionLogV6::pack_part(static_cast<FusionPart>(part), mission)};
      EXPECT_EQ(log.part_bits(), 1u << part);
      EXPECT_EQ(log.mission_id(), mission);
    }
  }
}

}  // namespace
}  // namespace npuprof::format::device
