#include "format/framework/gc_record.h"

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::framework {
namespace {

TEST(GcRecord, RoundTripsRandomValues) { format::testing::expect_round_trip<GcRecord>(); }

TEST(GcRecord, DecodesBytesWrittenByHand) {
  const auto bytes = format::testing::hex(
      "4d 00 00 00 00 00 00 00 e8 03 00 00 00 00 00 00 c4 09 00 00 00 00 00 00");
  ASSERT_EQ(bytes.size(), sizeof(GcRecord));
  const auto record = load<GcRecord>(bytes.data());
  EXPECT_EQ(record.process_id, 77u);
  EXPECT_EQ(record.start, 1000u);
  EXPECT_EQ(record.end, 2500u);
}

}  // namespace
}  // namespace npuprof::format::framework
