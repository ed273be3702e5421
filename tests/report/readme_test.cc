#include "report/readme.h"

#include <gtest/gtest.h>

#include "base/file.h"
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

}  // namespace
}  // namespace npuprof::report
