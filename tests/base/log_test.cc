#include "base/log.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace npuprof {
namespace {

using log::Level;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

// Restores the level for the tests that follow.
class LogTest : public ::testing::Test {
 protected:
  ~LogTest() override { log::set_level(before_); }

 private:
  Level before_ = log::level();
};

TEST_F(LogTest, WritesLinesFromItsLevelOn) {
  log::set_level(Level::kInfo);
  CaptureStderr();
  log::debug("hidden {}", 1);
  log::info("read {} files", 3);
  log::warning("{} records lost", 2);
  log::error("no such file: {}", "x{}y");
  EXPECT_EQ(GetCapturedStderr(),
            "npuprof: read 3 files\n"
            "npuprof: warning: 2 records lost\n"
            "npuprof: error: no such file: x{}y\n");
}

TEST_F(LogTest, NamesOfFilesGiveNoOrdersToTheTerminal) {
  log::set_level(Level::kInfo);
  CaptureStderr();
  log::error("cannot open '{}'", "a\x1b[2Jb\nnpuprof: all well");
  EXPECT_EQ(GetCapturedStderr(), "npuprof: error: cannot open 'a\\x1b[2Jb\\nnpuprof: all well'\n");
}

TEST_F(LogTest, QuietKeepsWarnings) {
  log::configure(true, 0);
  CaptureStderr();
  log::info("hidden");
  log::warning("shown");
  EXPECT_EQ(GetCapturedStderr(), "npuprof: warning: shown\n");
  EXPECT_FALSE(log::enabled(Level::kInfo));
}

TEST_F(LogTest, VerboseLinesHaveTimeAndThread) {
  log::configure(false, 1);
  CaptureStderr();
  log::debug("step");
  log::trace("hidden");
  const std::string text = GetCapturedStderr();
  EXPECT_THAT(text, ::testing::StartsWith("npuprof ["));
  EXPECT_THAT(text, HasSubstr("]: debug: step\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("hidden")));
}

TEST_F(LogTest, OffSilencesErrors) {
  log::set_level(Level::kOff);
  CaptureStderr();
  log::error("hidden");
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST(ChooseLevel, PutsOptionsBeforeTheEnvironment) {
  EXPECT_EQ(log::choose_level(false, 0, nullptr), Level::kInfo);
  EXPECT_EQ(log::choose_level(false, 0, "error"), Level::kError);
  EXPECT_EQ(log::choose_level(false, 0, "warn"), Level::kWarning);
  EXPECT_EQ(log::choose_level(false, 0, "nonsense"), Level::kInfo);
  EXPECT_EQ(log::choose_level(true, 0, "trace"), Level::kWarning);
  EXPECT_EQ(log::choose_level(false, 1, "error"), Level::kDebug);
  EXPECT_EQ(log::choose_level(false, 2, "error"), Level::kTrace);
}

}  // namespace
}  // namespace npuprof
