#include "record/slice_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/host/api_event.h"
#include "format/host/control.h"
#include "temporary_directory.h"

namespace npuprof::record {
namespace {

using format::host::ApiEvent;
using npuprof::testing::TemporaryDirectory;

TEST(SliceWriter, MakesNoFileWithoutRecords) {
  const TemporaryDirectory directory;
  SliceWriter writer(directory.path(), "a.b");
  EXPECT_TRUE(writer.close().ok());
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(SliceWriter, CutsBetweenRecordsOnceTheSizeIsReached) {
  const TemporaryDirectory directory;
  SliceWriter writer(directory.path(), "a.b", 100);
  for (std::uint64_t i = 0; i < 7; ++i) writer.append(ApiEvent{.begin = i});
  ASSERT_TRUE(writer.close().ok());
  EXPECT_FALSE(std::filesystem::exists(directory / "a.b.slice_3"));
  // 3 * 40 is the first size >= 100.
  std::string all;
  for (const auto& [name, size] :
       {std::pair{"a.b.slice_0", 120}, {"a.b.slice_1", 120}, {"a.b.slice_2", 40}}) {
    const auto text = read_file(directory / name).value();
    EXPECT_EQ(text.size(), static_cast<std::size_t>(size)) << name;
    EXPECT_EQ(read_file(directory / (std::string(name) + ".done")).value(),
              format::host::make_slice_done(text.size()));
    all += text;
  }
  for (std::uint64_t i = 0; i < 7; ++i) {
    const auto event =
        format::load<ApiEvent>(reinterpret_cast<const std::byte*>(all.data()) + i * 40);
    EXPECT_EQ(event.begin, i);
  }
}

TEST(SliceWriter, ClosesAtTwoMegabytesByDefault) {
  const TemporaryDirectory directory;
  SliceWriter writer(directory.path(), "x");
  const std::size_t per_slice = (2048 * 1024 + 39) / 40;
  for (std::size_t i = 0; i <= per_slice; ++i) writer.append(ApiEvent{});
  ASSERT_TRUE(writer.close().ok());
  EXPECT_EQ(std::filesystem::file_size(directory / "x.slice_0"), per_slice * 40);
  EXPECT_EQ(std::filesystem::file_size(directory / "x.slice_1"), 40u);
}

TEST(SliceWriter, EncodesInPlaceAndTakesLongPieces) {
  const TemporaryDirectory directory;
  SliceWriter writer(directory.path(), "x", SliceWriter::kNeverSplit);
  std::byte* room = writer.reserve(10);
  room[0] = std::byte{'h'};
  room[1] = std::byte{'i'};
  writer.commit(2);
  const std::string long_text(5'000'000, 'z');
  writer.write(long_text);
  ASSERT_TRUE(writer.close().ok());
  EXPECT_TRUE(read_file(directory / "x.slice_0").value() == "hi" + long_text);
  EXPECT_FALSE(std::filesystem::exists(directory / "x.slice_1"));
}

TEST(SliceWriter, FlushMakesRecordsVisible) {
  const TemporaryDirectory directory;
  SliceWriter writer(directory.path(), "x");
  writer.append(ApiEvent{});
  writer.flush();
  EXPECT_EQ(std::filesystem::file_size(directory / "x.slice_0"), 40u);
  EXPECT_FALSE(std::filesystem::exists(directory / "x.slice_0.done"));
}

TEST(SliceWriter, KeepsTheFirstErrorAndGoesOn) {
  const TemporaryDirectory directory;
  SliceWriter writer(directory / "missing", "x", 100);
  for (int i = 0; i < 1000; ++i) writer.append(ApiEvent{});
  const Status status = writer.close();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kNotFound);
}

TEST(SliceWriter, ReportsAFullDiskAndCallsNothingDone) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full on this system";
  const TemporaryDirectory directory;
  ASSERT_EQ(::symlink("/dev/full", (directory / "x.slice_0").c_str()), 0);
  SliceWriter writer(directory.path(), "x", 1000);
  for (int i = 0; i < 100; ++i) writer.append(ApiEvent{});
  const Status status = writer.close();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kNoSpace);
  EXPECT_FALSE(std::filesystem::exists(directory / "x.slice_0.done"));
  EXPECT_FALSE(std::filesystem::exists(directory / "x.slice_1"));
}

}  // namespace
}  // namespace npuprof::record
