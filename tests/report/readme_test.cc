#include "report/readme.h"

#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

TEST(ReadmeTest, DescribesTheFilesThatAreThere) {
  const npuprof::testing::TemporaryDirectory directory;
  for (const char* name :
       {"msprof_tx_1.csv", "msprof_1.json", "op_summary_slice_0_1.csv", "new.x"}) {
    ASSERT_TRUE(write_file(directory / name, "").ok());
  }
  ASSERT_TRUE(write_readme(directory.path()).ok());
  const std::string text = read_file(directory / "README.txt").value();
  EXPECT_NE(text.find("msprof_1.json\n    Timeline of all layers."), std::string::npos) << text;
  EXPECT_NE(text.find("msprof_tx_1.csv\n    Marks and ranges"), std::string::npos) << text;
  EXPECT_NE(text.find("op_summary_slice_0_1.csv\n    All kernels"), std::string::npos) << text;
  EXPECT_NE(text.find("new.x\n"), std::string::npos) << "an unknown file is named, not described";
  EXPECT_LT(text.find("msprof_1.json"), text.find("msprof_tx_1.csv"));
}

TEST(ReadmeTest, DescribesEveryFileOfTheGoldenCases) {
  const auto cases = std::filesystem::path(NPUPROF_SOURCE_DIR) / "tests/golden/cases";
  int readmes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cases)) {
    if (entry.path().filename() != "README.txt") continue;
    ++readmes;
    const std::string text = read_file(entry.path()).value();
    const std::size_t files = text.find("\n\n") + 2;
    bool is_described = true;
    for (const std::string_view line : split(trim(std::string_view(text).substr(files)), '\n')) {
      const bool is_description = line.starts_with(' ');
      EXPECT_TRUE(is_described || is_description) << entry.path() << ": before " << line;
      is_described = is_description;
    }
    EXPECT_TRUE(is_described) << entry.path() << ": the last file";
  }
  EXPECT_GT(readmes, 0);
}

}  // namespace
}  // namespace npuprof::report
