#include "report/html/memory_page.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace npuprof::report {
namespace {

using analyze::MemoryTimeline;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// What the script is given.
nlohmann::json points_of(const std::string& page) {
  constexpr std::string_view kBegin = "const points = ";
  const std::size_t begin = page.find(kBegin) + kBegin.size();
  return nlohmann::json::parse(page.substr(begin, page.find(";\n", begin) - begin));
}

TEST(MemoryPageTest, DrawsTheCategoriesThereAre) {
  MemoryTimeline timeline;
  timeline.time_us = {1000, 1500, 3000};
  timeline.bytes = {{1 << 20, 0, 0, 0, 0, 0, 0, 0},
                    {1 << 20, 0, 0, 0, 3 << 20, 0, 0, 0},
                    {1 << 20, 0, 0, 0, 0, 0, 0, 0}};
  const std::string page =
      memory_page(timeline, {.device = "npu:0", .peaks = {5 << 20, 8 << 20}, .simulated = true});
  EXPECT_THAT(page, HasSubstr("<title>Memory of npu:0</title>"));
  EXPECT_THAT(page, HasSubstr("allocated: 5.00 MiB"));
  EXPECT_THAT(page, HasSubstr("reserved: 8.00 MiB"));
  EXPECT_THAT(page, HasSubstr("simulated NPU"));
  EXPECT_EQ(count(page, "<path "), 2u);
  EXPECT_EQ(count(page, "<tr><td>"), analyze::kMemoryCategories + 1);
  // Four MiB are the whole height, so activations lie between a quarter and the top.
  EXPECT_THAT(page, HasSubstr("d=\"M90 500H90.0V380.0H362.5V380.0H1180.0V380.0H1180V500.0"));
  EXPECT_THAT(page, HasSubstr("d=\"M90 500H90.0V380.0H362.5V20.0H1180.0V380.0H1180V380.0"));
  const nlohmann::json points = points_of(page);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[1][0], 500);
  EXPECT_EQ(points[1][1], 1 << 20);
  EXPECT_EQ(points[1][5], 3 << 20);
}

TEST(MemoryPageTest, NeedsNothingFromOutside) {
  MemoryTimeline timeline;
  timeline.time_us = {1};
  timeline.bytes = {{1, 1, 1, 1, 1, 1, 1, 1}};
  const std::string page = memory_page(timeline, {.device = "cpu", .peaks = {}});
  for (const char* part : {"http", "src=", "href=", "import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
  EXPECT_EQ(count(page, "<path "), 8u);
  EXPECT_THAT(page, Not(HasSubstr("simulated")));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST(MemoryPageTest, NothingIsDrawnOfNothing) {
  const std::string page = memory_page({}, {.device = "npu:0", .peaks = {}});
  EXPECT_EQ(count(page, "<path "), 0u);
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST(MemoryPageTest, PeaksStayWhenPointsAreLeftOut) {
  MemoryTimeline timeline;
  for (int i = 0; i < 100'000; ++i) {
    timeline.time_us.push_back(i * 10);
    timeline.bytes.push_back({i == 77'777 ? 1'000'000 : i % 7, 0, 0, 0, 0, 0, 0, 0});
  }
  const nlohmann::json points = points_of(memory_page(timeline, {.device = "npu:0", .peaks = {}}));
  EXPECT_LE(points.size(), 3000u);
  EXPECT_GE(points.size(), 2900u);
  EXPECT_TRUE(std::any_of(points.begin(), points.end(), [](const nlohmann::json& point) {
    return point[0] == 777'770 && point[1] == 1'000'000;
  }));
}

}  // namespace
}  // namespace npuprof::report
