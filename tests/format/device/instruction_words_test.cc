#include "format/device/instruction_words.h"

#include <vector>

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

class InstructionWords : public ::testing::Test {
 protected:
  void feed(InstructionWord word) {
    decoder_.feed(word, [&](const PipeEvent& event) { events_.push_back(event); });
  }
  void start(std::uint64_t syscnt, std::uint16_t block) {
    for (const InstructionWord word : make_start_stamp(syscnt, block)) feed(word);
  }
  void state(std::uint16_t pipes, std::uint16_t delta) {
    feed(InstructionWord::make(InstructionWord::kState, pipes, delta));
  }

  InstructionDecoder decoder_{0.5};  // Two cycles a tick.
  std::vector<PipeEvent> events_;
};

TEST(InstructionWord, PacksItsFields) {
  format::testing::expect_round_trip<InstructionWord>();
  const auto word = InstructionWord::make(15, 0xABC, 0x1234);
  EXPECT_EQ(word.bits, 0xFABC1234u);
  EXPECT_EQ(word.kind(), 15);
  EXPECT_EQ(word.events(), 0xABC);
  EXPECT_EQ(word.delta(), 0x1234);
}

TEST_F(InstructionWords, OpensAndClosesPipes) {
  start(0x0123456789ABCDEF, 0xBEEF);
  state(0b0000011, 10);  // SU and VEC begin.
  state(0b0000010, 10);  // SU ends.
  state(0b1000000, 10);  // VEC ends, FIXP begins.
  ASSERT_EQ(events_.size(), 2u);
  EXPECT_EQ(kPipeNames[events_[0].pipe], "SU");
  EXPECT_EQ(events_[0].block_id, 0xBEEF);
  EXPECT_EQ(events_[0].start_syscnt, 0x0123456789ABCDEFu + 5);
  EXPECT_EQ(events_[0].end_syscnt, 0x0123456789ABCDEFu + 10);
  EXPECT_EQ(kPipeNames[events_[1].pipe], "VEC");
  EXPECT_EQ(events_[1].end_syscnt, 0x0123456789ABCDEFu + 15);
  EXPECT_EQ(decoder_.damaged_words(), 0u);
}

TEST_F(InstructionWords, ReportsCheckpoints) {
  start(100, 1);
  feed(InstructionWord::make(4, 0x321, 20));
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_TRUE(events_[0].is_checkpoint);
  EXPECT_EQ(kPipeNames[events_[0].pipe], "MTE2");
  EXPECT_EQ(events_[0].checkpoint_events, 0x321);
  EXPECT_EQ(events_[0].start_syscnt, 110u);
  EXPECT_EQ(events_[0].end_syscnt, 110u);
}

TEST_F(InstructionWords, PassesOverTheEndOfARunAndItsFiller) {
  start(100, 1);
  state(1, 2);
  feed({InstructionWord::kEndOfRun});
  feed({InstructionWord::kFiller});
  feed({InstructionWord::kFiller});
  start(200, 2);
  state(0, 2);
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_EQ(events_[0].start_syscnt, 101u);
  EXPECT_EQ(events_[0].end_syscnt, 201u);
  EXPECT_EQ(decoder_.damaged_words(), 0u);
}

TEST_F(InstructionWords, CountsWhatMakesNoSense) {
  feed(make_start_stamp(1, 1)[0]);
  state(0, 0);                           // A stamp of one word.
  feed(InstructionWord::make(9, 0, 0));  // No such kind.
  feed({InstructionWord::kFiller});      // Filler without an end before it: kind 13.
  EXPECT_EQ(decoder_.damaged_words(), 3u);
  EXPECT_TRUE(events_.empty());
}

TEST_F(InstructionWords, DoesNotLetRoundingAddUp) {
  InstructionDecoder decoder(1.0 / 3);
  for (const InstructionWord word : make_start_stamp(0, 0))
    decoder.feed(word, [](const PipeEvent&) {});
  std::uint64_t last = 0;
  for (int i = 0; i < 3000; ++i) {
    decoder.feed(InstructionWord::make(0, 0, 1), [&](const PipeEvent& e) { last = e.end_syscnt; });
  }
  EXPECT_EQ(last, 1000u);
}

}  // namespace
}  // namespace npuprof::format::device
