#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temporary_directory.h"

namespace npuprof {
namespace {

using testing::TemporaryDirectory;

TEST(MappedFile, MapsContentAndEmptyFiles) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_file(directory / "a", "hello").ok());
  ASSERT_TRUE(write_file(directory / "empty", "").ok());
  EXPECT_EQ(MappedFile::open(directory / "a").value().text(), "hello");
  EXPECT_TRUE(MappedFile::open(directory / "empty").value().bytes().empty());
}

TEST(MappedFile, NamesTheMissingFile) {
  const TemporaryDirectory directory;
  const auto file = MappedFile::open(directory / "nothing_here");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kNotFound);
  EXPECT_NE(file.error().message.find("nothing_here"), std::string::npos);
}

TEST(MappedFile, RefusesDirectories) {
  const TemporaryDirectory directory;
  EXPECT_EQ(MappedFile::open(directory.path()).error().code, ErrorCode::kUnsupported);
}

// Without a writer a pipe would never open, and a device never end.
TEST(MappedFile, RefusesPipesAndDevicesAtOnce) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  for (const std::filesystem::path& path :
       {directory / "pipe", std::filesystem::path("/dev/zero")}) {
    EXPECT_EQ(MappedFile::open(path).error().code, ErrorCode::kUnsupported) << path;
    EXPECT_EQ(read_file(path).error().code, ErrorCode::kUnsupported) << path;
  }
}

TEST(ReadFile, RefusesWhatIsLargerThanItMayBe) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_file(directory / "a", "12345").ok());
  EXPECT_EQ(read_file(directory / "a", 5).value(), "12345");
  const auto refused = read_file(directory / "a", 4);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("more than 4 bytes"), std::string::npos);
}

TEST(FileWriter, WritesAcrossItsBufferAndKeepsModes) {
  const TemporaryDirectory directory;
  auto writer = FileWriter::create(directory / "out", 8).value();
  std::string expected;
  for (int i = 0; i < 50; ++i) {
    const std::string piece(static_cast<std::size_t>(i % 20), static_cast<char>('a' + i % 26));
    writer.write(piece);
    expected += piece;
  }
  EXPECT_EQ(writer.position(), expected.size());
  ASSERT_TRUE(writer.close().ok());
  EXPECT_EQ(read_file(directory / "out").value(), expected);
  struct stat info {};
  ASSERT_EQ(::stat((directory / "out").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777 & ~0640u, 0u);
}

TEST(FileWriter, ReportsAFullDisk) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full on this system";
  auto writer = FileWriter::create("/dev/full", 16).value();
  for (int i = 0; i < 100; ++i) writer.write("some text that does not fit");
  EXPECT_FALSE(writer.flush().ok());
  const auto status = writer.close();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kNoSpace);
}

TEST(MakeDirectories, MakesParentsAndAcceptsExistingOnes) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(make_directories(directory / "a/b/c").ok());
  ASSERT_TRUE(make_directories(directory / "a/b/c").ok());
  EXPECT_TRUE(std::filesystem::is_directory(directory / "a/b/c"));
  ASSERT_TRUE(write_file(directory / "a/file", "").ok());
  EXPECT_FALSE(make_directories(directory / "a/file/x").ok());
  EXPECT_FALSE(make_directories(directory / "a/file").ok());
}

}  // namespace
}  // namespace npuprof
