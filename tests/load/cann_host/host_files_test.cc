#include "load/cann_host/host_files.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/host/compact.h"
#include "load/cann_host/host_directory.h"

namespace npuprof::load {
namespace {

using format::host::Age;
using format::host::NodeAttrInfo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HostDirectory;
using ::testing::IsEmpty;

class HostFilesTest : public ::testing::Test, protected HostDirectory {
 protected:
  static std::string record(std::uint64_t name) {
    const NodeAttrInfo made{.header = testing::header(0), .op_name = name};
    return std::string(as_text(format::bytes_of(made)));
  }
  void slice(int number, std::string_view content, Age age = Age::kAging) {
    append(format::host::make_host_file_name(age, format::host::Module::kCompact, "node_attr_info",
                                             static_cast<std::uint32_t>(number)),
           content);
  }
  std::vector<std::uint64_t> names() {
    const HostFiles files(data(), losses);
    const auto slices = files.open(NodeAttrInfo::kKind, losses);
    std::vector<std::uint64_t> result;
    for_each_host_record<NodeAttrInfo>(
        slices, RecordMark::kChecked, losses,
        [&](const NodeAttrInfo& read, const HostSlice&) { result.push_back(read.op_name); });
    return result;
  }
};

TEST_F(HostFilesTest, ReadsUnagingFirstAndSlicesByNumber) {
  slice(10, record(4));
  slice(9, record(3));
  slice(0, record(2));
  slice(5, record(1), Age::kUnaging);
  write("host/data/aging.compact.node_attr_info.slice_0.done", "filesize:64\n");
  write("host/data/aging.compact.node_attr_info.slice_0.complete", record(9));
  write("host/data/aging.compact.node_attr_info.slice_1.zip", record(9));
  EXPECT_THAT(names(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(all_losses(), IsEmpty());
}

TEST_F(HostFilesTest, JoinsRecordsAcrossSlices) {
  const std::string all = record(1) + record(2) + record(3) + record(4);
  slice(0, all.substr(0, 70));
  slice(1, all.substr(70, 3));
  slice(2, "");
  slice(3, all.substr(73));
  EXPECT_THAT(names(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(all_losses(), IsEmpty());
}

TEST_F(HostFilesTest, ReportsARecordThatWasNeverFinished) {
  slice(0, record(1) + record(2).substr(0, 20));
  EXPECT_THAT(names(), ElementsAre(1));
  ASSERT_EQ(losses.items().size(), 1u);
  EXPECT_THAT(losses.items()[0].file, HasSubstr("slice_0"));
  EXPECT_EQ(losses.items()[0].offset, 64u);
  EXPECT_EQ(losses.items()[0].records, 1u);
}

TEST_F(HostFilesTest, ASliceCutShortDoesNotShiftTheNext) {
  slice(0, record(1) + record(2).substr(0, 20));
  slice(1, record(3) + record(4));
  EXPECT_THAT(names(), ElementsAre(1, 3, 4));
  ASSERT_EQ(losses.items().size(), 1u);
  EXPECT_EQ(losses.items()[0].offset, 64u);
}

TEST_F(HostFilesTest, TheFirstSliceLeftMayBeginInsideARecord) {
  slice(3, record(1).substr(10) + record(2) + record(3));
  EXPECT_THAT(names(), ElementsAre(2, 3));
  ASSERT_EQ(losses.items().size(), 1u);
  EXPECT_EQ(losses.items()[0].offset, 0u);
}

TEST_F(HostFilesTest, SkipsAndCountsRecordsWithoutTheMark) {
  std::string bad = record(7);
  bad[0] = 0;
  slice(0, record(1) + bad + bad + record(2));
  slice(1, bad + record(3));
  EXPECT_THAT(names(), ElementsAre(1, 2, 3));
  ASSERT_EQ(losses.items().size(), 2u);
  EXPECT_EQ(losses.items()[0].offset, 64u);
  EXPECT_EQ(losses.items()[0].records, 2u);
  EXPECT_EQ(losses.items()[1].records, 1u);
}

TEST_F(HostFilesTest, RecordsOfZerosAreNone) {
  slice(0, record(1) + std::string(3 * sizeof(NodeAttrInfo), '\0'));
  EXPECT_THAT(names(), ElementsAre(1));
  EXPECT_THAT(all_losses(), HasSubstr("3 records are zeros"));
}

// Its mark tells how much it lost, and so where in the next slice a record begins.
TEST_F(HostFilesTest, GoesOnBehindASliceThatLostItsEnd) {
  const std::string all = record(1) + record(2) + record(3) + record(4) + record(5);
  slice(0, all.substr(0, 70));
  write("host/data/aging.compact.node_attr_info.slice_0.done", "filesize:140\n");
  slice(1, all.substr(140));
  EXPECT_THAT(names(), ElementsAre(1, 4, 5));
}

TEST_F(HostFilesTest, AMissingDirectoryIsALoss) {
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(all_losses(), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace npuprof::load
