#include "format/device/instruction_profile.h"

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::hex;
using testing::offset_of;

TEST(InstructionProfile, RoundTripsRandomValues) {
  expect_round_trip<FlowSample>();
  expect_round_trip<CycleSample>();
  expect_round_trip<CubeInstructionRecord>();
  expect_round_trip<VectorInstructionRecord>();
  EXPECT_EQ(offset_of<FlowSample>("write_flux_l2"), 19u);
  EXPECT_EQ(offset_of<FlowSample>("syscnt"), 22u);
  EXPECT_EQ(offset_of<FlowSample>("l2_hits"), 30u);
}

TEST(InstructionProfile, PacksTwelveBitsWithoutTouchingNeighbours) {
  auto bytes = hex("010010");  // Two numbers: 1 and 256.
  bytes.resize(sizeof(CycleSample));
  const auto given = load<CycleSample>(bytes.data());
  EXPECT_EQ(given.number(0), 1);
  EXPECT_EQ(given.number(1), 256);

  for (std::size_t index = 0; index < CycleSample::kNumbers; ++index) {
    for (const std::uint16_t background : {0x000, 0xFFF}) {
      for (const std::uint16_t value : {0x000, 0x001, 0x00F, 0x0F0, 0xF00, 0x800, 0xFFF}) {
        CycleSample sample{};
        for (std::size_t i = 0; i < CycleSample::kNumbers; ++i) sample.set_number(i, background);
        sample.set_number(index, value);
        for (std::size_t i = 0; i < CycleSample::kNumbers; ++i) {
          EXPECT_EQ(sample.number(i), i == index ? value : background);
        }
        EXPECT_EQ(sample.tail, 0);
      }
    }
  }
}

TEST(InstructionProfile, SpreadsTheTimeOverFiveNumbers) {
  CycleSample sample{};
  sample.set_number(9, 0xABC);
  sample.set_syscnt(0xFEDCBA9876543210);
  EXPECT_EQ(sample.syscnt(), 0xFEDCBA9876543210u);
  EXPECT_EQ(sample.number(7), 0x210);
  EXPECT_EQ(sample.number(8), 0x543);
  EXPECT_EQ(sample.number(14), 0x876);
  EXPECT_EQ(sample.number(15), 0xBA9);
  EXPECT_EQ(sample.tail, 0xFEDC);
  EXPECT_EQ(sample.number(9), 0xABC);
}

TEST(InstructionProfile, Keeps24Bits) {
  EXPECT_EQ(U24::make(0xFF123456).get(), 0x123456u);
  EXPECT_EQ(U24::make(0xFFFFFF).get(), 0xFFFFFFu);
  EXPECT_EQ(U24::make(0x010203).raw[0], 3);
}

TEST(InstructionProfile, InterleavesFlowAndCycles) {
  FlowSample flow{};
  flow.read_commands = 0x1122;
  flow.l2_hits = 0x3344;
  CycleSample cycles{};
  cycles.set_number(0, 0x777);
  cycles.tail = 0x5566;
  CubeInstructionRecord record{};
  record.set(flow, cycles);
  EXPECT_EQ(record.flow().read_commands, 0x1122);
  EXPECT_EQ(record.flow().l2_hits, 0x3344);
  EXPECT_EQ(record.cycles().number(0), 0x777);
  EXPECT_EQ(record.cycles().tail, 0x5566);
  const Bytes bytes = bytes_of(record);
  EXPECT_EQ(bytes[32], std::byte{0x22});      // First lane of the flow,
  EXPECT_EQ(bytes[40], std::byte{0x77});      // first of the cycles,
  EXPECT_EQ(bytes[80 + 7], std::byte{0x33});  // last of the flow,
  EXPECT_EQ(bytes[88 + 7], std::byte{0x55});  // last of the cycles.
}

TEST(InstructionProfile, ReadsGroupAndCoreFromTheName) {
  const auto cube = parse_instruction_file("instr.group_3_aic");
  ASSERT_TRUE(cube);
  EXPECT_EQ(instruction_core_id(*cube), 3u);
  EXPECT_EQ(instruction_core_id(*parse_instruction_file("instr.group_3_aiv0")), 31u);
  EXPECT_EQ(instruction_core_id(*parse_instruction_file("instr.group_3_aiv1")), 32u);
  const auto newer = parse_instruction_file("instr.biu_perf_group12_aiv1");
  ASSERT_TRUE(newer);
  EXPECT_EQ(newer->group, 12u);
  EXPECT_EQ(newer->core, InstructionCore::kVector1);
  for (const char* name : {"", "instr.group_", "instr.group_x_aic", "instr.group_3", "aicore.data",
                           "instr.group_3_aiv2", "instr.group_99999999999_aic"}) {
    EXPECT_FALSE(parse_instruction_file(name)) << name;
  }
}

}  // namespace
}  // namespace npuprof::format::device
