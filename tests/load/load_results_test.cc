#include "load/load_results.h"

#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "temporary_directory.h"

namespace npuprof::load {
namespace {

using trace::Level;

// The level of a timeline that has this besides the names of its layers and nothing else.
Level level_of_timeline(const std::string& events) {
  const npuprof::testing::TemporaryDirectory directory;
  const std::string names = R"([
{"ph":"M","name":"process_name","pid":7199,"tid":0,"args":{"name":"CANN"}},
{"ph":"M","name":"process_name","pid":7617,"tid":0,"args":{"name":"Ascend Hardware"}})";
  EXPECT_TRUE(write_file(directory / "trace_view.json", names + events + "]").ok());
  ThreadPool pool(1);
  trace::Losses losses;
  const Profile profile{.kind = ProfileKind::kChromeTrace, .path = directory / "trace_view.json"};
  const auto trace = load_results(profile, losses, pool);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return trace.ok() ? trace->session.level : Level::kNoTasks;
}

std::string kernel(const std::string& type) {
  return R"(,{"ph":"X","name":"MatMul1","pid":7617,"tid":2,"ts":"20.000","dur":3,)"
         R"("args":{"Task Type":")" +
         type + R"(","Task Id":5,"connection_id":33}})";
}

TEST(LevelOfATimeline, IsOneIfTheCoresOfKernelsAreKnown) {
  const std::string call =
      R"(,{"ph":"X","name":"Node@launch","pid":7199,"tid":80,"ts":"5.000","dur":1,)"
      R"("args":{"level":"node","connection_id":33}})";
  EXPECT_EQ(level_of_timeline(call + kernel("AI_CORE")), Level::kLevel1);
  EXPECT_EQ(level_of_timeline(kernel("AI_VECTOR_CORE")), Level::kLevel1);
  EXPECT_EQ(level_of_timeline(kernel("KERNEL_AICORE") + kernel("MIX_AIC")), Level::kLevel1);
}

TEST(LevelOfATimeline, IsZeroIfOnlyTheHostsTypesAre) {
  EXPECT_EQ(level_of_timeline(kernel("KERNEL_AICORE") + kernel("AI_CPU")), Level::kLevel0);
}

}  // namespace
}  // namespace npuprof::load
