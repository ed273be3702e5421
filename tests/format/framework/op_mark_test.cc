#include "format/framework/op_mark.h"

#include <gtest/gtest.h>

#include "format/framework/record_bytes.h"

namespace npuprof::format::framework {
namespace {

TEST(OpMark, RoundTripsRandomValues) {
  testing::expect_round_trip<OpMarkFixed>();
  testing::expect_record_round_trip<OpMark>();
}

TEST(OpMark, DecodesBytesWrittenByHand) {
  const auto bytes = testing::hex(
      "02 00 35 00 00 00 e8 03 00 00 00 00 00 00 01 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 "
      "4e 00 00 00 00 00 00 00 4d 00 00 00 00 00 00 00 01 00 07 00 00 00 61 63 6c 6e 6e 4d 6d");
  const auto mark = testing::expect_same_bytes<OpMark>(bytes);
  EXPECT_EQ(mark.fixed.time, 1000);
  EXPECT_EQ(mark.fixed.mark_category(), OpMarkCategory::kEnqueueEnd);
  EXPECT_EQ(mark.fixed.correlation_id, 5u);
  EXPECT_EQ(mark.fixed.thread_id, 78u);
  EXPECT_EQ(mark.fixed.process_id, 77u);
  EXPECT_EQ(mark.name, "aclnnMm");
}

TEST(OpMark, KnowsFourCategories) {
  OpMarkFixed mark{};
  mark.category = 3;
  EXPECT_EQ(mark.mark_category(), OpMarkCategory::kDequeueEnd);
  mark.category = 4;
  EXPECT_FALSE(mark.mark_category());
  mark.category = ~std::uint64_t{0};
  EXPECT_FALSE(mark.mark_category());
}

}  // namespace
}  // namespace npuprof::format::framework
