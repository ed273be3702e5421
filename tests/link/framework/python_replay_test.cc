#include "link/framework/python_replay.h"

#include <gmock/gmock.h>

#include "link/framework_trace.h"
#include "trace/framework/python_calls.h"

namespace npuprof::link {
namespace {

using ::testing::ElementsAre;
using testing::FrameworkTrace;
using trace::kNone;

std::vector<std::string_view> names(FrameworkTrace& trace) {
  std::vector<std::string_view> texts;
  for (const StringId name : trace->python_calls().name) texts.push_back(trace->strings.view(name));
  return texts;
}

TEST(PythonCalls, ReplaysCallsAndReturns) {
  FrameworkTrace trace;
  trace.add_python_name(11, "train.py(3): main");
  trace.add_python_name(12, "<built-in function len>");
  trace.add_python(0, 100, 11);
  trace.add_python(2, 110, 12);
  trace.add_python(3, 115, 99);
  trace.add_python(2, 120, 12);
  trace.add_python(3, 130, 99);
  trace.add_python(1, 140, 99);
  link_python_calls(*trace);
  const auto& calls = trace->python_calls();
  EXPECT_THAT(names(trace), ElementsAre("<built-in function len>", "<built-in function len>",
                                        "train.py(3): main"));
  EXPECT_THAT(calls.start_ns, ElementsAre(110, 120, 100));
  EXPECT_THAT(calls.end_ns, ElementsAre(115, 130, 140));
  EXPECT_THAT(calls.id, ElementsAre(1, 3, 0));
  EXPECT_THAT(calls.parent_id, ElementsAre(0, 0, 0));
  EXPECT_THAT(calls.module_id, ElementsAre(kNone, kNone, kNone));
  EXPECT_THAT(calls.key, ElementsAre(12, 12, 11));
}

TEST(PythonCalls, FramesOpenAtTheStartComeLastInTheFile) {
  FrameworkTrace trace;
  trace.add_python(0, 110, 3);
  trace.add_python(1, 120);
  trace.add_python(1, 130);
  // Written when recording stops, with the time at which it started, outermost first.
  trace.add_python(0, 100, 1);
  trace.add_python(0, 100, 2);
  link_python_calls(*trace);
  const auto& calls = trace->python_calls();
  EXPECT_THAT(calls.key, ElementsAre(3, 2, 1));
  EXPECT_THAT(calls.id, ElementsAre(2, 1, 0));
  EXPECT_THAT(calls.parent_id, ElementsAre(1, 0, 0));
  // The outermost frame never returned: it ends with the last event.
  EXPECT_THAT(calls.end_ns, ElementsAre(120, 130, 130));
}

TEST(PythonCalls, OpenFramesCloseInnermostFirst) {
  FrameworkTrace trace;
  trace.add_python(0, 10, 1);
  trace.add_python(0, 20, 2);
  trace.add_python(2, 30, 3);
  link_python_calls(*trace);
  EXPECT_THAT(trace->python_calls().key, ElementsAre(3, 2, 1));
  EXPECT_THAT(trace->python_calls().end_ns, ElementsAre(30, 30, 30));
}

TEST(PythonCalls, IgnoresAReturnWithoutCall) {
  FrameworkTrace trace;
  trace.add_python(1, 5);
  trace.add_python(0, 10, 1);
  trace.add_python(1, 20);
  trace.add_python(3, 30);
  link_python_calls(*trace);
  EXPECT_THAT(trace->python_calls().start_ns, ElementsAre(10));
  EXPECT_THAT(trace->python_calls().id, ElementsAre(1));
}

TEST(PythonCalls, ThreadsHaveStacksOfTheirOwn) {
  FrameworkTrace trace;
  trace.add_python(0, 10, 1, 1);
  trace.add_python(0, 15, 2, 2);
  trace.add_python(1, 20, 0, 1);
  trace.add_python(1, 40, 0, 2);
  link_python_calls(*trace);
  EXPECT_THAT(trace->python_calls().tid, ElementsAre(1, 2));
  EXPECT_THAT(trace->python_calls().end_ns, ElementsAre(20, 40));
  EXPECT_THAT(trace->python_calls().parent_id, ElementsAre(0, 0));
}

TEST(PythonCalls, NumbersModulesPerClassAndThread) {
  FrameworkTrace trace;
  trace.add_python_name(1, "Linear######4096");
  trace.add_python_name(2, "Linear######8192");
  trace.add_python_name(3, "ReLU######4096");
  trace.add_python_name(4, "Linear######8192");  // A second key for the same object.
  std::int64_t time = 0;
  const auto call = [&](std::uint64_t key, std::uint32_t tid) {
    trace.add_python(0, time++, key, tid);
    trace.add_python(1, time++, 0, tid);
  };
  for (const std::uint64_t key : {2, 1, 3, 4, 2}) call(key, 1);
  for (const std::uint64_t key : {1, 2}) call(key, 2);
  link_python_calls(*trace);
  EXPECT_THAT(names(trace),
              ElementsAre("nn.Module: Linear_0", "nn.Module: Linear_1", "nn.Module: ReLU_0",
                          "nn.Module: Linear_0", "nn.Module: Linear_0", "nn.Module: Linear_0",
                          "nn.Module: Linear_1"));
  EXPECT_THAT(trace->python_calls().module_id, ElementsAre(0, 1, 0, 0, 0, 0, 1));
}

TEST(PythonCalls, AnUnknownKeyIsItsNumber) {
  FrameworkTrace trace;
  trace.add_python(0, 1, 18446744073709551615U);
  link_python_calls(*trace);
  EXPECT_THAT(names(trace), ElementsAre("18446744073709551615"));
}

}  // namespace
}  // namespace npuprof::link
