#include "report/output_file.h"

#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "own_device.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::device_to_write;
using npuprof::testing::MemoryDevice;
using npuprof::testing::TemporaryDirectory;
using ::testing::HasSubstr;

Status write_text(const fs::path& given, const std::string& text) {
  NPUPROF_ASSIGN_OR_RETURN(const auto output, OutputFile::find(given));
  return output.write([&](const fs::path& file) { return write_file(file, text); });
}

TEST(OutputFile, ANewFileAndItsFoldersAreMade) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(write_text(folder / "a/b/c.json", "text").ok());
  EXPECT_EQ(read_file(folder / "a/b/c.json").value(), "text");
}

TEST(OutputFile, ALinkStaysAndItsTargetIsReplaced) {
  const TemporaryDirectory folder;
  fs::create_directory(folder / "disk");
  ASSERT_TRUE(write_file(folder / "disk/real.json", "old").ok());
  fs::create_symlink("disk/real.json", folder / "link.json");
  ASSERT_TRUE(write_text(folder / "link.json", "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder / "link.json"));
  EXPECT_EQ(read_file(folder / "disk/real.json").value(), "new");
}

TEST(OutputFile, TheNameThatWasGivenSaysWhetherToCompress) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(write_file(folder / "plain", "old").ok());
  fs::create_symlink("plain", folder / "link.json.gz");
  ASSERT_TRUE(write_text(folder / "link.json.gz", "new").ok());
  EXPECT_EQ(read_file(folder / "plain").value().substr(0, 2), "\x1f\x8b");
}

TEST(OutputFile, ADeviceIsWrittenToAndStaysOne) {
  const TemporaryDirectory folder;
  const std::string null = device_to_write(folder, MemoryDevice::kNull);
  const std::string full_disk = device_to_write(folder, MemoryDevice::kFull);
  if (null.empty() || full_disk.empty()) GTEST_SKIP() << "no device can be made here";
  ASSERT_TRUE(write_text(null, "text").ok());
  EXPECT_TRUE(fs::is_character_file(null));
  const Status full = write_text(full_disk, "text");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code, ErrorCode::kNoSpace);
}

TEST(OutputFile, APipeGetsTheContent) {
  const TemporaryDirectory folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] {
    std::ifstream input(pipe, std::ios::binary);
    got.assign(std::istreambuf_iterator<char>(input), {});
  });
  const std::string text(300'000, 'x');
  EXPECT_TRUE(write_text(pipe, text).ok());
  reader.join();
  EXPECT_TRUE(got == text);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(OutputFile, WhatCannotBeAFileIsRefused) {
  const TemporaryDirectory folder;
  fs::create_symlink("nowhere", folder / "dangling");
  for (const fs::path& place : {folder.path(), folder / "dangling", folder / "new/"}) {
    const auto output = OutputFile::find(place);
    ASSERT_FALSE(output.ok()) << place;
    EXPECT_THAT(output.error().message, HasSubstr(place.native()));
    EXPECT_THAT(output.error().message, HasSubstr("give the name of a file"));
  }
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

TEST(OutputFile, ADashIsStandardOutput) {
  const auto output = OutputFile::find("-");
  ASSERT_TRUE(output.ok());
  EXPECT_TRUE(output->is_stream());
  EXPECT_EQ(output->name(), "");
  EXPECT_TRUE(OutputFile::find("/dev/stdout")->is_stream());
}

}  // namespace
}  // namespace npuprof::report
