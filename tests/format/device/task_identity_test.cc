#include "format/device/task_identity.h"

#include <gtest/gtest.h>

namespace npuprof::format::device {
namespace {

constexpr std::uint8_t kSdma = 11;

constexpr RawIdentityForm kForms[] = {RawIdentityForm::kPlain, RawIdentityForm::kTaskBitsInStream,
                                      RawIdentityForm::kSwapped};

TEST(TaskIdentity, DecodesTheThreeFormsOfNormalMode) {
  const auto decode = [](std::uint16_t stream, std::uint16_t task) {
    return decode_task_identity({stream, task}, StreamMode::kNormal, 0);
  };
  EXPECT_EQ(decode(3, 7), (TaskIdentity{3, 7}));
  EXPECT_EQ(decode(0x07FF, 0xFFFF), (TaskIdentity{0x7FF, 0xFFFF}));
  // Bit 11 and bit 15 carry nothing in the plain form.
  EXPECT_EQ(decode(0x8803, 7), (TaskIdentity{3, 7}));
  // Bit 12: the task's bits 13..15 are in the stream word.
  EXPECT_EQ(decode(0xB003, 0xFFFF), (TaskIdentity{3, 0xBFFF}));
  // Bit 13 alone: the words changed places.
  EXPECT_EQ(decode(0x2005, 4), (TaskIdentity{4, 5}));
  EXPECT_EQ(decode(0x2FFF, 0xF7FF), (TaskIdentity{0x7FF, 0xFFFF}));
}

TEST(TaskIdentity, DecodesExpandedMode) {
  const auto decode = [](std::uint16_t stream, std::uint16_t task, std::uint8_t sqe_type) {
    return decode_task_identity({stream, task}, StreamMode::kExpanded, sqe_type);
  };
  EXPECT_EQ(decode(0x7FFF, 9, kSdma), (TaskIdentity{0x7FFF, 9}));
  EXPECT_EQ(decode(0x8005, 0x9234, kSdma), (TaskIdentity{0x1234, 0x8005}));
  // Place holders and event records are never swapped.
  EXPECT_EQ(decode(0x8005, 0x9234, 3), (TaskIdentity{5, 0x9234}));
  EXPECT_EQ(decode(0x8005, 0x9234, 4), (TaskIdentity{5, 0x9234}));
}

TEST(TaskIdentity, EncodesWhatItDecodes) {
  constexpr std::uint16_t kTasks[] = {0, 1, 0x0FFF, 0x1000, 0x1FFF, 0x2000, 0x7FFF, 0x8000, 0xFFFF};
  for (const StreamMode mode : {StreamMode::kNormal, StreamMode::kExpanded}) {
    for (const RawIdentityForm form : kForms) {
      for (const std::uint16_t stream : {0, 1, 0x7FF, 0x800, 0x7FFF, 0x8000}) {
        for (const std::uint16_t task : kTasks) {
          const TaskIdentity identity{stream, task};
          const auto raw = encode_task_identity(identity, mode, kSdma, form);
          const bool fits =
              mode == StreamMode::kNormal
                  ? stream < kStreamLimit
                  : stream < kExpandedStreamLimit && form != RawIdentityForm::kTaskBitsInStream;
          ASSERT_EQ(raw.has_value(), fits) << stream << ' ' << task;
          if (raw) {
            EXPECT_EQ(decode_task_identity(*raw, mode, kSdma), identity);
          }
        }
      }
    }
  }
}

TEST(TaskIdentity, DoesNotSwapWhatReadersDoNotSwap) {
  EXPECT_FALSE(encode_task_identity({1, 2}, StreamMode::kExpanded, 4, RawIdentityForm::kSwapped));
  EXPECT_TRUE(encode_task_identity({1, 2}, StreamMode::kExpanded, 4));
}

TEST(TaskIdentity, MasksTheStreamOfTrackRecords) {
  EXPECT_EQ(stream_of_track(0xFFFFF803), 3);
  EXPECT_EQ(stream_of_track(0x7FF), 0x7FF);
}

}  // namespace
}  // namespace npuprof::format::device
