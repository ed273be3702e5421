#include "format/device/ts_track_310.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/round_trip.h"

namespace npuprof::format::device {
namespace {

using testing::expect_round_trip;
using testing::hex;
using testing::offset_of;

TEST(TsTrack310, RoundTripsRandomValues) {
  expect_round_trip<VariableHead>();
  expect_round_trip<TimelineRecord>();
  expect_round_trip<EventCountRecord>();
  EXPECT_EQ(offset_of<TimelineRecord>("syscnt"), 16u);
  EXPECT_EQ(offset_of<TimelineRecord>("device_id"), 28u);
  EXPECT_EQ(offset_of<EventCountRecord>("counters"), 24u);
  EXPECT_EQ(offset_of<EventCountRecord>("block_count"), 104u);
}

TEST(TsTrack310, WalksRecordsOfDifferentSizes) {
  std::string data;
  const TimelineRecord timeline{.head = {0, 3, 32}, .state = 7, .stream_id = 5, .syscnt = 99};
  const EventCountRecord counts{.head = {0, 4, 112}, .total_cycles = 1234};
  data += as_text(bytes_of(timeline));
  data += as_text(bytes_of(counts));
  data += as_text(bytes_of(timeline));
  std::string types;  // One digit per record.
  const std::size_t left =
      for_each_variable_record(as_bytes(data), [&](VariableHead head, Bytes record) {
        types += std::to_string(head.type.get());
        EXPECT_EQ(record.size(), head.size);
        if (record.size() == sizeof(EventCountRecord)) {
          EXPECT_EQ(load<EventCountRecord>(record.data()).total_cycles, 1234u);
        }
      });
  EXPECT_EQ(left, 0u);
  EXPECT_EQ(types, "343");
}

TEST(TsTrack310, StopsAtACutOrImpossibleRecord) {
  const auto count_records = [](const std::vector<std::byte>& data, std::size_t* left) {
    int records = 0;
    *left = for_each_variable_record(data, [&](VariableHead, Bytes) { ++records; });
    return records;
  };
  std::size_t left = 0;
  EXPECT_EQ(count_records(hex("00030800 00000000 00032000 00"), &left), 1);
  EXPECT_EQ(left, 5u);
  EXPECT_EQ(count_records(hex("00030000 00000000"), &left), 0);  // A size of 0 would never end.
  EXPECT_EQ(left, 8u);
  EXPECT_EQ(count_records(hex("00030400 0003"), &left), 1);
  EXPECT_EQ(left, 2u);
  EXPECT_EQ(count_records({}, &left), 0);
  EXPECT_EQ(left, 0u);
}

}  // namespace
}  // namespace npuprof::format::device
