#include "load/cann_device/frequency_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/device/frequency.h"
#include "raw_device.h"
#include "trace/device/frequencies.h"

namespace npuprof::load {
namespace {

using format::device::FrequencyRecord;
using ::testing::ElementsAre;
using testing::RawDevice;

FrequencyRecord changes(std::uint32_t kind,
                        std::initializer_list<std::pair<std::uint64_t, std::uint32_t>> list) {
  FrequencyRecord record{};
  record.kind = kind;
  for (const auto& [syscnt, value] : list) {
    record.changes[record.count].syscnt = syscnt;
    record.changes[record.count].value = value;
    record.count = record.count + 1;
  }
  return record;
}

TEST(FrequencyTableTest, TheLastChangeBeforeCounts) {
  FrequencyTable table(1000, 1800);
  EXPECT_EQ(table.at(500), 1800);
  table.add(900, 1700);
  table.add(2000, 1650);
  table.add(3000, 1500);
  EXPECT_EQ(table.at(500), 1700);
  EXPECT_EQ(table.at(1999), 1700);
  EXPECT_EQ(table.at(2000), 1650);
  EXPECT_EQ(table.at(9000), 1500);
}

TEST(FrequencyTableTest, AZeroMeansThatTheTableIsOfNoUse) {
  FrequencyTable table(1000, 1800);
  table.add(2000, 1650);
  table.add(3000, 0);
  EXPECT_EQ(table.at(2500), 1800);
}

TEST(FrequencyFileTest, FirstRowIsTheFrequencyCollectingBeganWith) {
  RawDevice device;
  device.write_records<FrequencyRecord>(
      "lpmFreqConv.data",
      {changes(77, {{999000, 1800}, {1000500, 1650}}), changes(0, {{1000900, 1500}})});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.frequencies().value, ElementsAre(1800, 1650, 1500));
  EXPECT_THAT(trace.frequencies().kind, ElementsAre(0, 0, 0));
  EXPECT_THAT(trace.frequencies().time_ns,
              ElementsAre(RawDevice::kStartNs, RawDevice::at(1000500), RawDevice::at(1000900)));
  EXPECT_TRUE(device.losses.empty());
}

TEST(FrequencyFileTest, NewerFilesHoldVoltagesToo) {
  RawDevice device;
  FrequencyRecord damaged = changes(0, {});
  damaged.count = 56;
  device.write_records<FrequencyRecord>(
      "lpmInfoConv.data", {changes(1, {{1000100, 850}}), changes(0, {{1000200, 1650}}), damaged});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.frequencies().kind, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(trace.frequencies().value, ElementsAre(1650, 1650, 900, 850));
  ASSERT_EQ(device.losses.items().size(), 1u);
  EXPECT_EQ(device.losses.items()[0].offset, 2u * sizeof(FrequencyRecord));
}

}  // namespace
}  // namespace npuprof::load
