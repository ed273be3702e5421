#include "base/progress.h"

#include <sstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"

namespace npuprof {
namespace {

using namespace std::chrono_literals;
using Style = ProgressOutput::Style;
using ::testing::HasSubstr;

// A display into a string, with a clock that moves when told to.
struct Display {
  std::ostringstream stream;
  std::chrono::steady_clock::time_point time;

  ProgressOutput output(Style style) {
    return {.style = style, .stream = &stream, .now = [this] { return time; }};
  }
};

TEST(ProgressLines, ShowsQuarters) {
  Display display;
  {
    Progress progress("Parsing", 1000, display.output(Style::kLines));
    for (int i = 0; i < 1000; ++i) progress.advance();
    progress.finish();
  }
  EXPECT_EQ(display.stream.str(),
            "Parsing: 0%\nParsing: 25%\nParsing: 50%\nParsing: 75%\nParsing: 100%\n");
}

TEST(ProgressLines, ShowsSlowWorkMoreOften) {
  Display display;
  Progress progress("Parsing", 100, display.output(Style::kLines));
  progress.advance(5);
  display.time += 11s;
  progress.advance(1);
  progress.advance(1);
  EXPECT_EQ(display.stream.str(), "Parsing: 0%\nParsing: 6%\n");
}

TEST(ProgressLines, DoesNotClaimSuccessForWorkCutShort) {
  Display display;
  {
    Progress progress("Parsing", 10, display.output(Style::kLines));
    progress.advance(10);
  }
  EXPECT_EQ(display.stream.str(), "Parsing: 0%\nParsing: 99%\n");
}

TEST(ProgressLines, TakesNothingToDoAsDone) {
  Display display;
  Progress progress("Parsing", 0, display.output(Style::kLines));
  progress.finish();
  progress.finish();
  progress.advance();
  EXPECT_EQ(display.stream.str(), "Parsing: 100%\n");
}

TEST(ProgressBar, RedrawsOneLine) {
  Display display;
  {
    Progress progress("Reading", 200, display.output(Style::kBar));
    progress.advance(50);  // Too soon after the first drawing.
    display.time += 1s;
    progress.advance(50);
    progress.finish();
  }
  EXPECT_EQ(display.stream.str(),
            "\r\x1b[KReading [........................................]   0%\r"
            "\r\x1b[KReading [####################....................]  50%\r"
            "\r\x1b[KReading [########################################] 100%\r\n");
}

TEST(ProgressBar, EndsItsLineWhenWorkIsCutShort) {
  Display display;
  { const Progress progress("Reading", 200, display.output(Style::kBar)); }
  EXPECT_THAT(display.stream.str(), ::testing::EndsWith("  0%\r\n"));
}

TEST(Progress, SaysNothingWithoutAStyle) {
  Progress progress("Reading", 10, ProgressOutput{});
  progress.advance(20);
  progress.finish();
}

TEST(Progress, IsSilentOnStandardErrorWhenQuiet) {
  const auto before = log::level();
  log::configure(true, 0);
  EXPECT_EQ(ProgressOutput::standard_error().style, Style::kNone);
  log::set_level(log::Level::kInfo);
  EXPECT_NE(ProgressOutput::standard_error().style, Style::kNone);
  log::set_level(before);
}

TEST(Progress, CountsFromManyThreads) {
  Display display;
  Progress progress("Reading", 40'000, display.output(Style::kLines));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 7500; ++j) progress.advance();
    });
  }
  for (auto& thread : threads) thread.join();
  // A thread may find the display taken, so which line stands last depends on the schedule.
  EXPECT_THAT(display.stream.str(), ::testing::StartsWith("Reading: 0%\n"));
  display.time += 11s;
  progress.advance(9'000);  // 39 000 of 40 000.
  EXPECT_THAT(display.stream.str(), HasSubstr("%\nReading: 97%\n"));
  progress.finish();
  EXPECT_THAT(display.stream.str(), ::testing::EndsWith("Reading: 97%\nReading: 100%\n"));
}

}  // namespace
}  // namespace npuprof
