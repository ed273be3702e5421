#include "format/host/api_event.h"

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::host {
namespace {

using testing::expect_round_trip;
using testing::hex;
using testing::offset_of;

TEST(ApiEvent, RoundTripsRandomValues) { expect_round_trip<ApiEvent>(); }

TEST(ApiEvent, HasItsFieldsAtTheDocumentedOffsets) {
  EXPECT_EQ(offset_of<ApiEvent>("thread_id"), 8u);
  EXPECT_EQ(offset_of<ApiEvent>("begin"), 16u);
  EXPECT_EQ(offset_of<ApiEvent>("item_id"), 32u);
}

TEST(ApiEvent, DecodesAnIntervalWrittenByHand) {
  const auto bytes = hex(
      "5a5a 204e 05000500 4e000000 00000000 e803000000000000 c409000000000000 0900000000000000");
  const auto event = load<ApiEvent>(bytes.data());
  EXPECT_EQ(event.magic, kMagic);
  EXPECT_EQ(event.level, 20000);
  EXPECT_EQ(event.type, 0x50005u);
  EXPECT_EQ(event.thread_id, 78u);
  EXPECT_EQ(event.begin, 1000u);
  EXPECT_EQ(event.end, 2500u);
  EXPECT_EQ(event.item_id, 9u);
  EXPECT_FALSE(event.is_event());
}

TEST(ApiEvent, AllOnesInTheEndMarkAnEvent) {
  ApiEvent event{.level = 15000, .type = 1, .begin = 5, .end = ApiEvent::kEventMarker};
  EXPECT_TRUE(event.is_event());
}

}  // namespace
}  // namespace npuprof::format::host
