#include "report/text/parallel_file.h"

#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

TEST(ParallelFile, KeepsTheOrderWhateverTheNumberOfThreads) {
  const testing::TemporaryDirectory directory;
  std::string expected = "[";
  for (int i = 0; i < 50000; ++i) expected += std::to_string(i) + ",";
  expected += "]";
  for (const std::size_t threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    auto file = ParallelFile::create(directory / "out", pool).value();
    file.text("[");
    file.rows(50000, [](TextBuffer& out, std::size_t first, std::size_t last) {
      for (std::size_t row = first; row < last; ++row) out.integer(row).character(',');
    });
    file.rows(0, [](TextBuffer&, std::size_t, std::size_t) { FAIL(); });
    file.text("]");
    EXPECT_EQ(file.size(), expected.size());
    ASSERT_TRUE(file.close().ok());
    EXPECT_EQ(read_file(directory / "out").value(), expected);
  }
}

TEST(ParallelFile, ReportsAFullDisk) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full on this system";
  ThreadPool pool(2);
  auto file = ParallelFile::create("/dev/full", pool).value();
  file.rows(100000, [](TextBuffer& out, std::size_t, std::size_t) { out.text("some text"); });
  const auto status = file.close();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kNoSpace);
}

}  // namespace
}  // namespace npuprof::report
