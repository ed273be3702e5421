#include "load/done_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "format/host/control.h"
#include "temporary_directory.h"

namespace npuprof::load {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class DoneMarks : public ::testing::Test {
 protected:
  void add(const std::string& name, const std::string& content) {
    ASSERT_TRUE(write_file(directory_ / name, content).ok());
  }
  const std::vector<trace::Loss>& check() {
    check_done_marks(directory_.path(), losses_);
    return losses_.items();
  }

  npuprof::testing::TemporaryDirectory directory_;
  trace::Losses losses_;
};

TEST_F(DoneMarks, FilesOfTheSizeTheyHadAreFine) {
  add("a.slice_0", "12345");
  add("a.slice_0.done", format::host::make_slice_done(5));
  add("unfinished.slice_1", "1");
  EXPECT_TRUE(check().empty());
}

TEST_F(DoneMarks, AShorterFileHasLostItsEnd) {
  add("a.slice_0", "123");
  add("a.slice_0.done", format::host::make_slice_done(5));
  ASSERT_EQ(check().size(), 1u);
  EXPECT_THAT(losses_.items()[0].file, EndsWith("a.slice_0"));
  EXPECT_EQ(losses_.items()[0].offset, 3u);
  EXPECT_THAT(losses_.items()[0].what, HasSubstr("3 of 5 bytes"));
}

TEST_F(DoneMarks, AMarkAloneTellsOfAMissingFile) {
  add("end_info.done", format::host::make_control_done(177));
  add("b.done", format::host::make_control_done(1));
  ASSERT_EQ(check().size(), 2u);
  EXPECT_THAT(losses_.items()[0].file, EndsWith("/b"));  // By name, wherever they are on disk.
  EXPECT_THAT(losses_.items()[1].file, EndsWith("end_info"));
  EXPECT_THAT(losses_.items()[1].what, HasSubstr("missing"));
}

TEST_F(DoneMarks, DamagedMarksTellNothing) {
  add("a", "1");
  add("a.done", "");
  add("b.done", "filesize:many");
  EXPECT_TRUE(check().empty());
  check_done_marks(directory_ / "nowhere", losses_);
  EXPECT_TRUE(losses_.empty());
}

}  // namespace
}  // namespace npuprof::load
