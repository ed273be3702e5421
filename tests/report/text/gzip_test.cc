#include "report/text/gzip.h"

#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/file.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

std::string unzipped(const std::filesystem::path& path) {
  std::string text;
  gzFile file = ::gzopen(path.c_str(), "rb");
  char buffer[1 << 16];
  for (int size = 0; (size = ::gzread(file, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  EXPECT_EQ(::gzclose(file), Z_OK);
  return text;
}

TEST(GzipTest, ContentComesBack) {
  const testing::TemporaryDirectory directory;
  std::string large;
  for (int i = 0; i < 400'000; ++i) large += std::to_string(i * 31 % 10'007);
  for (const std::string& content : {std::string(), std::string("x"), large}) {
    ASSERT_TRUE(write_file(directory / "plain", content).ok());
    ASSERT_TRUE(gzip_file(directory / "plain", directory / "a.gz").ok());
    ASSERT_TRUE(gzip_file(directory / "plain", directory / "b.gz").ok());
    EXPECT_TRUE(unzipped(directory / "a.gz") == content);
    EXPECT_TRUE(read_file(directory / "a.gz").value() == read_file(directory / "b.gz").value());
  }
  EXPECT_LT(read_file(directory / "a.gz").value().size(), large.size());
}

TEST(GzipTest, WhatIsNotThereIsAnError) {
  const testing::TemporaryDirectory directory;
  EXPECT_FALSE(gzip_file(directory / "none", directory / "a.gz").ok());
}

}  // namespace
}  // namespace npuprof::report
