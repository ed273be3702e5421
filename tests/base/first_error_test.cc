#include "base/first_error.h"

#include <gtest/gtest.h>

namespace npuprof {
namespace {

TEST(FirstError, IsNoneAtFirstAndAfterWhatGoesWell) {
  FirstError first;
  first.keep(ok_status());
  EXPECT_FALSE(first.failed());
  EXPECT_FALSE(first.error().has_value());
  EXPECT_TRUE(first.status().ok());
}

TEST(FirstError, KeepsTheFirstOfErrorsAndStatuses) {
  FirstError first;
  first.keep(Status(Error{ErrorCode::kNoSpace, "the disk is full"}));
  first.keep(Error{ErrorCode::kIo, "cannot close"});
  first.keep(ok_status());
  EXPECT_TRUE(first.failed());
  ASSERT_FALSE(first.status().ok());
  EXPECT_EQ(first.status().error().code, ErrorCode::kNoSpace);
  ASSERT_TRUE(first.error().has_value());
  EXPECT_EQ(first.error()->message, "the disk is full");
}

}  // namespace
}  // namespace npuprof
