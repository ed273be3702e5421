#include "base/shrinking_files.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "temporary_directory.h"

namespace npuprof {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::TemporaryDirectory;

constexpr std::size_t kPages = 8;

class ShrinkingFilesTest : public ::testing::Test {
 protected:
  ShrinkingFilesTest() {
    survive_shrinking_files();
    EXPECT_TRUE(make_directories(path_.parent_path()).ok());
    EXPECT_TRUE(write_file(path_, std::string(size_, 'x')).ok());
  }

  const TemporaryDirectory directory_;
  const std::filesystem::path path_ = directory_ / "folder/file";
  const std::size_t page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t size_ = kPages * page_;
};

TEST_F(ShrinkingFilesTest, BytesThatAreGoneReadAsZeros) {
  auto file = MappedFile::open(path_).value();
  ASSERT_EQ(::truncate(path_.c_str(), static_cast<off_t>(page_ + 10)), 0);
  const std::string_view text = file.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), static_cast<std::ptrdiff_t>(page_ + 10));
  EXPECT_EQ(text.back(), '\0');
  { const MappedFile closed = std::move(file); }
  const auto shrunk = take_shrunk_files(directory_.path());
  ASSERT_THAT(shrunk, SizeIs(1));
  EXPECT_EQ(shrunk[0].path, path_.native());
  EXPECT_EQ(shrunk[0].bytes_left, page_ + 10);
  EXPECT_THAT(take_shrunk_files(directory_.path()), IsEmpty()) << "each is told once";
}

TEST_F(ShrinkingFilesTest, AFewBytesAtTheEndAreMissedToo) {
  {
    const auto file = MappedFile::open(path_).value();
    ASSERT_EQ(::truncate(path_.c_str(), static_cast<off_t>(size_ - 3)), 0);
  }
  EXPECT_THAT(take_shrunk_files(directory_ / "elsewhere"), IsEmpty());
  EXPECT_THAT(take_shrunk_files(path_), SizeIs(1));
}

TEST_F(ShrinkingFilesTest, FilesThatAreReplacedOrRemovedStayWhole) {
  {
    const auto file = MappedFile::open(path_).value();
    ASSERT_TRUE(write_file(directory_ / "other", "short").ok());
    std::filesystem::rename(directory_ / "other", path_);
    EXPECT_EQ(file.text(), std::string(size_, 'x'));
  }
  {
    const auto file = MappedFile::open(path_).value();
    std::filesystem::remove(path_);
    EXPECT_EQ(file.text(), "short");
  }
  EXPECT_THAT(take_shrunk_files(directory_.path()), IsEmpty());
}

}  // namespace
}  // namespace npuprof
