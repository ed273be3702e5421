#include "report/json/memory_timeline_json.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "report/json/key_averages_json.h"
#include "temporary_directory.h"

namespace npuprof::report {
namespace {

TEST(MemoryTimelineJsonTest, EveryChange) {
  const testing::TemporaryDirectory directory;
  using analyze::MemoryAction;
  using analyze::MemoryCategory;
  analyze::MemoryChanges changes;
  changes.time_ns = {analyze::kBeforeProfile, 1'736'408'883'002'467'706};
  changes.action = {MemoryAction::kPreexisting, MemoryAction::kDestroy};
  changes.bytes = {512, -64};
  changes.category = {MemoryCategory::kInput, MemoryCategory::kUnknown};
  ASSERT_TRUE(write_memory_changes(changes, directory / "file", shared_thread_pool()).ok());
  EXPECT_EQ(read_file(directory / "file").value(),
            "[[-1, 0, 512, 2], [1736408883002467706, 3, -64, 7]]");
}

TEST(MemoryTimelineJsonTest, Totals) {
  const testing::TemporaryDirectory directory;
  analyze::MemoryTimeline timeline;
  timeline.time_us = {5, 7};
  timeline.bytes = {{1, 2, 3, 4, 5, 6, 7, 8}, {}};
  ASSERT_TRUE(write_memory_timeline(timeline, directory / "file", shared_thread_pool()).ok());
  EXPECT_EQ(read_file(directory / "file").value(),
            "[[5, 7], [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 0, 0, 0, 0, 0]]]");
}

TEST(KeyAveragesJsonTest, ShapesAndStacksAreLists) {
  analyze::KeyAverage average{.name = "aten::mm",
                              .shapes = "2,3;",
                              .stack = "f \"x\";g",
                              .count = 2,
                              .cpu_ns = 10,
                              .has_shapes = true};
  const std::string text = key_averages_json({average, {.name = "b"}}, false);
  EXPECT_NE(text.find(R"("key":"aten::mm","count":2,"cpu_time_total":10)"), std::string::npos);
  EXPECT_NE(text.find(R"("input_shapes":[[2,3],[]],"stack":["f \"x\"","g"])"), std::string::npos);
  EXPECT_NE(text.find(R"("input_shapes":[],"stack":[])"), std::string::npos);
}

}  // namespace
}  // namespace npuprof::report
