#include "format/framework/tlv.h"

#include <gtest/gtest.h>

#include "format/framework/op_mark.h"
#include "format/framework/op_range.h"
#include "format/framework/record_bytes.h"

namespace npuprof::format::framework {
namespace {

using testing::encode_one;
using testing::expect_round_trip;
using testing::hex;

std::vector<std::string> names_of(Bytes bytes, TlvReport* report) {
  std::vector<std::string> names;
  *report = for_each_tlv_record<OpMark>(bytes,
                                        [&](const OpMark& mark) { names.emplace_back(mark.name); });
  return names;
}

std::vector<std::byte> three_marks() {
  std::vector<std::byte> bytes;
  for (const char* name : {"first", "", "third"}) {
    append(OpMark{.fixed = {.time = 5, .category = 1}, .name = name}, bytes);
  }
  return bytes;
}

// A record of op_mark from its fixed part (zeros) and hand-written field bytes.
std::vector<std::byte> mark_with_fields(std::string_view field_bytes) {
  const auto fields = hex(field_bytes);
  constexpr std::size_t kBegin = sizeof(TlvHeader) + sizeof(OpMarkFixed);
  std::vector<std::byte> bytes(kBegin + fields.size());
  put_bytes(bytes.data() + kBegin, fields);
  store(bytes.data(), TlvHeader{2, static_cast<std::uint32_t>(bytes.size() - sizeof(TlvHeader))});
  return bytes;
}

TEST(Tlv, HeaderRoundTrips) { expect_round_trip<TlvHeader>(); }

TEST(Tlv, EmptyInputHasNoRecords) {
  TlvReport report;
  EXPECT_TRUE(names_of({}, &report).empty());
  EXPECT_TRUE(report.whole());
}

TEST(Tlv, TruncationAtEveryByteKeepsTheRecordsBefore) {
  const auto bytes = three_marks();
  const std::vector<std::string> all{"first", "", "third"};
  const std::size_t ends[] = {0, 57, 109, bytes.size()};
  ASSERT_EQ(bytes.size(), 166u);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    std::size_t whole = 0;
    while (whole < 3 && ends[whole + 1] <= size) ++whole;
    TlvReport report;
    // A copy of exactly this size, so that a sanitizer sees any read past the end.
    const std::vector<std::byte> cut(bytes.begin(),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const auto names = names_of(cut, &report);
    EXPECT_EQ(names, std::vector<std::string>(all.begin(), all.begin() + static_cast<int>(whole)));
    EXPECT_EQ(report.records, whole);
    if (size == ends[whole]) {
      EXPECT_TRUE(report.whole()) << size;
    } else {
      EXPECT_EQ(report.truncated_at, ends[whole]) << size;
    }
  }
}

TEST(Tlv, LengthBeyondTheEndIsATruncationNotAnAllocation) {
  auto bytes = three_marks();
  store(bytes.data() + 57, TlvHeader{2, 0xFFFFFFFFu});
  TlvReport report;
  EXPECT_EQ(names_of(bytes, &report), std::vector<std::string>{"first"});
  EXPECT_EQ(report.truncated_at, 57u);
}

TEST(Tlv, ValueShorterThanItsFixedPartIsSkippedAndCounted) {
  auto bytes = three_marks();
  const auto short_record = hex("02 00 03 00 00 00 aa bb cc");
  bytes.insert(bytes.begin() + 57, short_record.begin(), short_record.end());
  TlvReport report;
  EXPECT_EQ(names_of(bytes, &report), (std::vector<std::string>{"first", "", "third"}));
  EXPECT_EQ(report.short_records, 1u);
  EXPECT_EQ(report.first_flaw_offset, 57u);
  EXPECT_FALSE(report.truncated_at);
}

TEST(Tlv, OuterTypeIsNotLookedAt) {
  auto bytes = three_marks();
  store(bytes.data(), TlvHeader{999, 51});
  TlvReport report;
  EXPECT_EQ(names_of(bytes, &report).size(), 3u);
  EXPECT_TRUE(report.whole());
}

TEST(Tlv, CutFieldKeepsTheFieldsBeforeIt) {
  for (const char* tail : {"02", "02 00 01 00 00", "01 00 05 00 00 00 78 79"}) {
    const auto bytes = mark_with_fields("01 00 02 00 00 00 61 62" + std::string(tail));
    TlvReport report;
    EXPECT_EQ(names_of(bytes, &report), std::vector<std::string>{"ab"}) << tail;
    EXPECT_EQ(report.cut_fields, 1u);
    EXPECT_EQ(report.first_flaw_offset, 0u);
  }
}

TEST(Tlv, UnknownFieldsAreIgnoredAndTheLastOfRepeatedOnesWins) {
  const auto bytes = mark_with_fields(
      "01 00 01 00 00 00 61"
      "1e 00 02 00 00 00 ff ff"  // Unknown, and not even UTF-8.
      "01 00 02 00 00 00 62 63"
      "00 00 00 00 00 00");
  TlvReport report;
  EXPECT_EQ(names_of(bytes, &report), std::vector<std::string>{"bc"});
  EXPECT_TRUE(report.whole());
}

TEST(Tlv, TextThatIsNotUtf8ReadsAsNotAvailable) {
  const auto bytes = mark_with_fields("01 00 02 00 00 00 61 ff");
  TlvReport report;
  EXPECT_EQ(names_of(bytes, &report), std::vector<std::string>{"N/A"});
  EXPECT_EQ(report.undecodable_texts, 1u);
  EXPECT_EQ(report.first_flaw_offset, 0u);
  EXPECT_EQ(report.records, 1u);
}

TEST(Tlv, EncodesIntoGivenRoom) {
  const OpMark mark{.fixed = {.time = 5, .category = 1}, .name = "aclnnMm"};
  std::byte room[64];
  std::byte* end = encode(mark, room);
  EXPECT_EQ(std::vector<std::byte>(room, end), encode_one(mark));
}

}  // namespace
}  // namespace npuprof::format::framework
