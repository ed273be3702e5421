#include "base/write_behind.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "temporary_directory.h"

namespace npuprof {
namespace {

using testing::TemporaryDirectory;

// Several of the windows in which files are sent to the disk, so that some leave the cache.
constexpr std::size_t kChunks = 24;
constexpr std::size_t kChunkBytes = 8 << 20;

TEST(WriteBehind, LeavesAllOfALargeFile) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "large";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  std::vector<char> chunk(kChunkBytes);
  for (std::size_t i = 0; i < kChunks; ++i) {
    // Pairs the other way round, as threads that are not equally fast would write them.
    const std::size_t place = i ^ 1;
    std::fill(chunk.begin(), chunk.end(), static_cast<char>('a' + place));
    const std::uint64_t begin = place * kChunkBytes;
    ASSERT_EQ(::pwrite(file, chunk.data(), kChunkBytes, static_cast<off_t>(begin)),
              static_cast<ssize_t>(kChunkBytes));
    write_behind(file, begin, begin + kChunkBytes);
  }
  for (std::size_t place = 0; place < kChunks; ++place) {
    ASSERT_EQ(::pread(file, chunk.data(), kChunkBytes, static_cast<off_t>(place * kChunkBytes)),
              static_cast<ssize_t>(kChunkBytes));
    const auto is_right = [&](char byte) { return byte == static_cast<char>('a' + place); };
    EXPECT_TRUE(std::all_of(chunk.begin(), chunk.end(), is_right)) << place;
  }
  ::close(file);
}

TEST(WriteBehind, DoesNothingToWhatIsNoFile) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  write_behind(ends[1], 0, std::uint64_t{1} << 30);
  char text[4];
  EXPECT_EQ(::read(ends[0], text, 4), 4);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace npuprof
