#include "load/cann_device/device_files.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "raw_device.h"

namespace npuprof::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RawDevice;

struct Number {
  format::U16 value;
  format::U16 check;  // Complement, so that a shifted record can be told.

  static constexpr void visit(auto& self, auto&& field) {
    field("value", self.value);
    field("check", self.check);
  }
  bool is_whole() const { return static_cast<std::uint16_t>(value + check) == 0xFFFF; }
};

std::string numbers(std::uint16_t first, std::uint16_t last) {
  std::string text;
  for (std::uint16_t value = first; value <= last; ++value) {
    const Number number{value, static_cast<std::uint16_t>(~value)};
    text += as_text(format::bytes_of(number));
  }
  return text;
}

class DeviceFilesTest : public ::testing::Test {
 protected:
  std::vector<int> read(const char* base = "numbers.data") {
    const DeviceFiles files(device_.path(), RawDevice::kDevice, losses_);
    const DeviceFile file = files.open(base, losses_);
    std::vector<int> values;
    file.for_each_record<Number>(
        losses_, [](const Number& number) { return number.is_whole(); },
        [&](const Number& number) {
          if (number.is_whole()) values.push_back(number.value);
          return number.is_whole();
        });
    return values;
  }

  RawDevice device_;
  trace::Losses losses_;
};

TEST_F(DeviceFilesTest, JoinsSlicesInNumericOrderAcrossRecordBoundaries) {
  const std::string all = numbers(1, 6);
  device_.write_slice("numbers.data", 10, all.substr(14));
  device_.write_slice("numbers.data", 9, all.substr(6, 8));
  for (std::uint32_t slice = 0; slice < 9; ++slice) {
    device_.write_slice("numbers.data", slice, slice == 0 ? all.substr(0, 6) : "");
  }
  device_.write_text("numbers.data.3.slice_0.done", "filesize:6\n");
  EXPECT_THAT(read(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_TRUE(losses_.empty()) << testing::describe(losses_);
}

TEST_F(DeviceFilesTest, SkipsAPartOfARecordAtTheBeginning) {
  device_.write_slice("numbers.data", 4, numbers(1, 4).substr(3));
  EXPECT_THAT(read(), ElementsAre(2, 3, 4));
  ASSERT_EQ(losses_.items().size(), 2u);
  EXPECT_THAT(losses_.items()[0].what, HasSubstr("4 slice(s) before this one are missing"));
  EXPECT_THAT(losses_.items()[1].what, HasSubstr("1 bytes at the beginning"));
}

TEST_F(DeviceFilesTest, NoticesThatTheWriterWasKilledInsideTheLastRecord) {
  device_.write_slice("numbers.data", 0, numbers(1, 4).substr(0, 14));
  EXPECT_THAT(read(), ElementsAre(1, 2, 3));
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_EQ(losses_.items()[0].offset, 12u);
  EXPECT_THAT(losses_.items()[0].what, HasSubstr("2 bytes at the end"));
}

TEST_F(DeviceFilesTest, StartsAnewBehindAMissingSlice) {
  device_.write_slice("numbers.data", 0, numbers(1, 2) + numbers(3, 3).substr(0, 1));
  device_.write_slice("numbers.data", 2, numbers(8, 9).substr(2));
  EXPECT_THAT(read(), ElementsAre(1, 2, 9));
}

// Most kinds have nothing by which a shifted record could be told.
TEST_F(DeviceFilesTest, CountsRecordsFromTheBeginOfTheFirstSlice) {
  device_.write_slice("numbers.data", 0, numbers(1, 4).substr(0, 13));
  const DeviceFiles files(device_.path(), RawDevice::kDevice, losses_);
  std::vector<int> values;
  files.open("numbers.data", losses_).for_each_record<Number>(losses_, [&](const Number& number) {
    values.push_back(number.value);
    return true;
  });
  EXPECT_THAT(values, ElementsAre(1, 2, 3));
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_THAT(losses_.items()[0].what, HasSubstr("1 bytes at the end"));
}

// Slices are cut anywhere, so what follows a slice that lost its end begins inside a record.
TEST_F(DeviceFilesTest, GoesOnBehindASliceThatLostItsEnd) {
  const std::string all = numbers(1, 9);
  device_.write_slice("numbers.data", 0, all.substr(0, 9));
  ASSERT_TRUE(write_file(device_.data() / "numbers.data.3.slice_0.done", "filesize:18\n").ok());
  device_.write_slice("numbers.data", 1, all.substr(18));
  EXPECT_THAT(read(), ElementsAre(1, 2, 6, 7, 8, 9));
  EXPECT_FALSE(losses_.empty());
}

TEST_F(DeviceFilesTest, RecordsOfZerosAreNone) {
  device_.write_slice("numbers.data", 0, numbers(1, 2) + std::string(40, '\0'));
  const DeviceFiles files(device_.path(), RawDevice::kDevice, losses_);
  std::size_t records = 0;
  files.open("numbers.data", losses_).for_each_record<Number>(losses_, [&](const Number&) {
    ++records;
    return true;
  });
  EXPECT_EQ(records, 2u);
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_EQ(losses_.items()[0].records, 10u);
  EXPECT_EQ(losses_.items()[0].offset, 8u);
}

TEST_F(DeviceFilesTest, CountsDamagedRecordsAndNamesTheFirst) {
  std::string content = numbers(1, 5);
  content[8] = '\x55';
  content[12] = '\x55';
  device_.write_slice("numbers.data", 0, content.substr(0, 6));
  device_.write_slice("numbers.data", 1, content.substr(6));
  EXPECT_THAT(read(), ElementsAre(1, 2, 5));
  ASSERT_EQ(losses_.items().size(), 1u);
  EXPECT_THAT(losses_.items()[0].file, HasSubstr("slice_1"));
  EXPECT_EQ(losses_.items()[0].offset, 2u);
  EXPECT_EQ(losses_.items()[0].records, 2u);
}

TEST_F(DeviceFilesTest, KnowsTheOlderSpellings) {
  ASSERT_TRUE(write_file(device_.data() / "hwts.log.data.45.dev.profiler_default_tag.3.slice_0",
                         numbers(1, 1))
                  .ok());
  ASSERT_TRUE(write_file(device_.data() / "ts_track.data.44.3.0", numbers(2, 2)).ok());
  EXPECT_THAT(read("hwts.data"), ElementsAre(1));
  EXPECT_THAT(read("ts_track.data"), ElementsAre(2));
}

TEST_F(DeviceFilesTest, IgnoresFilesOfOtherDevices) {
  ASSERT_TRUE(write_file(device_.data() / "numbers.data.4.slice_0", numbers(1, 1)).ok());
  EXPECT_TRUE(read().empty());
}

TEST_F(DeviceFilesTest, AMissingDirectoryIsALoss) {
  const DeviceFiles files(device_.path() / "nowhere", 0, losses_);
  EXPECT_TRUE(files.open("numbers.data", losses_).empty());
  ASSERT_EQ(losses_.items().size(), 1u);
}

}  // namespace
}  // namespace npuprof::load
