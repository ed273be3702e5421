#include "report/result_files.h"

#include <gtest/gtest.h>

#include "format/host/levels.h"
#include "trace/host/api_calls.h"

namespace npuprof::report {
namespace {

trace::Trace level_0_results() {
  trace::Trace trace;
  trace.session.origin = trace::Origin::kResults;
  trace.session.level = trace::Level::kLevel0;
  return trace;
}

TEST(TimelineOptions, LeaveOutCallsOfAFrameworkAtLevel0) {
  trace::Trace trace = level_0_results();
  EXPECT_FALSE(timeline_options(trace, true, {}).host_calls);
  EXPECT_TRUE(timeline_options(trace, false, {}).host_calls);
  trace::resize_rows(trace.api_calls(), 2);
  trace.api_calls().level = {format::host::kLevelAcl, format::host::kLevelNode};
  EXPECT_FALSE(timeline_options(trace, true, {}).host_calls);
  trace.session.level = trace::Level::kLevel1;
  EXPECT_TRUE(timeline_options(trace, true, {}).host_calls);
}

TEST(TimelineOptions, KeepCallsThatAnOldTimelineOfLevel0Shows) {
  trace::Trace trace = level_0_results();
  trace::resize_rows(trace.api_calls(), 1);
  trace.api_calls().level = {format::host::kLevelAcl};
  EXPECT_TRUE(timeline_options(trace, true, {}).host_calls);
  trace.session.origin = trace::Origin::kRawData;
  EXPECT_FALSE(timeline_options(trace, true, {}).host_calls);
}

}  // namespace
}  // namespace npuprof::report
