#include "format/host/msproftx.h"

#include <gtest/gtest.h>

#include "format/host/layout_check.h"

namespace npuprof::format::host {
namespace {

using testing::expect_layout;

Msproftx mark_with_id(std::uint64_t id, std::uint16_t info_type = Msproftx::kMstx) {
  Msproftx mark{};
  mark.info_type = info_type;
  mark.mark_id = id;
  mark.start = id * 10;
  return mark;
}

std::vector<Msproftx> segments_of(const Msproftx& mark, std::string_view text) {
  std::vector<Msproftx> records;
  write_segments(mark, text, [&](const Msproftx& record) { records.push_back(record); });
  return records;
}

TEST(Msproftx, HasItsFieldsInPlace) {
  expect_layout<Msproftx>({{"info_type", 24},
                           {"segment", 26},
                           {"stamp_magic", 32},
                           {"stamp_tag", 34},
                           {"process_id", 36},
                           {"category", 44},
                           {"event_type", 48},
                           {"payload_type", 52},
                           {"payload", 56},
                           {"start", 64},
                           {"end", 72},
                           {"mark_id", 80},
                           {"domain", 88},
                           {"message_type", 96},
                           {"message", 100}});
}

TEST(Msproftx, ReadsAMessageWithoutItsZero) {
  Msproftx mark{};
  mark.message.fill('x');
  EXPECT_EQ(mark.message_text(), std::string(156, 'x'));
  mark.set_message("step");
  EXPECT_EQ(mark.message_text(), "step");
}

TEST(WriteSegments, SplitsLongMessagesAtTheRecordSize) {
  EXPECT_EQ(segments_of(mark_with_id(1), "").size(), 1u);
  EXPECT_EQ(segments_of(mark_with_id(1), std::string(155, 'a')).size(), 1u);
  const auto two = segments_of(mark_with_id(1), std::string(155, 'a') + "b");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].segment, 1);
  EXPECT_EQ(two[1].message_text(), "b");
  EXPECT_EQ(two[1].mark_id, 1u);
}

TEST(WriteSegments, DoesNotCutACharacter) {
  const std::string text = std::string(154, 'a') + "\u6b65" + "end";
  const auto records = segments_of(mark_with_id(1), text);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].message_text().size(), 154u);
  EXPECT_EQ(records[1].message_text(),
            "\u6b65"
            "end");
}

TEST(WriteSegments, CutsBytesThatAreNotTextAnywhere) {
  const auto records = segments_of(mark_with_id(1), std::string(200, '\x80'));
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].message_text().size(), 155u);
}

TEST(WriteSegments, CutsTheMessageOfAStamp) {
  const auto records = segments_of(mark_with_id(1, Msproftx::kStamp), std::string(400, 's'));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].message_text().size(), 155u);
}

TEST(MarkJoiner, JoinsSegmentsThatCameMixedAndOutOfOrder) {
  const std::string long_text(400, 'q');
  auto first = segments_of(mark_with_id(1), long_text);
  const auto second = segments_of(mark_with_id(2), std::string(200, 'w'));
  ASSERT_EQ(first.size(), 3u);
  MarkJoiner joiner;
  for (const Msproftx& record :
       {first[0], second[0], first[2], second[1], first[1], mark_with_id(1, Msproftx::kStamp)}) {
    joiner.add(record);
  }
  std::size_t lost = 99;
  const auto marks = joiner.finish(&lost);
  EXPECT_EQ(lost, 0u);
  ASSERT_EQ(marks.size(), 3u);
  EXPECT_EQ(marks[0].message, long_text);
  EXPECT_EQ(marks[1].message, std::string(200, 'w'));
  EXPECT_EQ(marks[2].first.info_type, Msproftx::kStamp);
}

TEST(MarkJoiner, CountsLostSegments) {
  const auto records = segments_of(mark_with_id(7), std::string(155 * 5, 'z'));
  MarkJoiner joiner;
  joiner.add(records[1]);
  joiner.add(records[4]);
  std::size_t lost = 0;
  const auto marks = joiner.finish(&lost);
  EXPECT_EQ(lost, 3u);
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].message.size(), 310u);
  EXPECT_EQ(marks[0].first.start, 70u);
}

}  // namespace
}  // namespace npuprof::format::host
