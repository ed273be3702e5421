#include "report/perfetto/proto_buffer.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "report/perfetto/trace_reader.h"

namespace npuprof::report {
namespace {

using npuprof::testing::read_message;

TEST(ProtoBuffer, WritesKnownBytes) {
  ProtoBuffer buffer;
  buffer.varint(1, 150);
  buffer.bytes(2, "testing");
  EXPECT_EQ(buffer.view(), std::string_view("\x08\x96\x01\x12\x07testing"));
}

TEST(ProtoBuffer, ValuesOfAllSizesComeBack) {
  for (int shift = 0; shift < 64; ++shift) {
    const std::uint64_t value = std::uint64_t{1} << shift;
    ProtoBuffer buffer(1);
    buffer.varint(50, value - 1);
    buffer.varint(1, value);
    buffer.fixed64(47, value);
    const auto fields = read_message(buffer.view());
    ASSERT_EQ(fields.size(), 3u);
    EXPECT_EQ(fields[0].number, 50u);
    EXPECT_EQ(fields[0].value, value - 1);
    EXPECT_EQ(fields[1].value, value);
    EXPECT_EQ(fields[2].number, 47u);
    EXPECT_EQ(fields[2].value, value);
  }
  ProtoBuffer buffer;
  buffer.varint(4, std::numeric_limits<std::uint64_t>::max());
  buffer.real(5, -0.25);
  const auto fields = read_message(buffer.view());
  EXPECT_EQ(fields[0].value, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(std::bit_cast<double>(fields[1].value), -0.25);
}

TEST(ProtoBuffer, GrowsForLongTexts) {
  const std::string text(100000, 'x');
  ProtoBuffer buffer(1);
  buffer.bytes(3, "");
  buffer.bytes(4, text);
  const auto fields = read_message(buffer.view());
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[0].bytes, "");
  EXPECT_EQ(fields[1].bytes, text);
}

}  // namespace
}  // namespace npuprof::report
