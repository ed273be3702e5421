#include "load/backward_rows.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "format/framework/op_range.h"
#include "load/framework/raw_framework.h"
#include "load/load_profile.h"
#include "load/load_results.h"
#include "temporary_directory.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/tasks.h"
#include "trace/table_list.h"

namespace npuprof::load {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BackwardRows, GetNoDurationAndAreCounted) {
  trace::Trace trace;
  resize_rows(trace.framework_ops(), 3);
  trace.framework_ops().start_ns = {10, 20, 30};
  trace.framework_ops().end_ns = {15, 5, 30};
  resize_rows(trace.tasks(), 2);
  trace.tasks().start_ns = {10, 20};
  trace.tasks().end_ns = {1, 2};
  trace::Losses losses;
  mend_backward_rows(trace, {.framework = "f", .host = "h", .device = "d"}, losses);
  EXPECT_THAT(trace.framework_ops().end_ns, ElementsAre(15, 20, 30));
  EXPECT_THAT(trace.tasks().end_ns, ElementsAre(10, 20));
  ASSERT_EQ(losses.items().size(), 2u);
  EXPECT_EQ(losses.items()[0].file, "f");
  EXPECT_EQ(losses.items()[0].records, 1u);
  EXPECT_EQ(losses.items()[1].file, "d");
  EXPECT_EQ(losses.items()[1].records, 2u);
}

// Of any table with a begin and an end, so of those to come too.
TEST(BackwardRows, AreMendedInEveryTable) {
  trace::Trace trace;
  std::vector<std::vector<std::int64_t>*> ends;
  for (trace::AnyTable table : trace::tables_of(trace)) {
    std::vector<std::int64_t>* start = nullptr;
    std::vector<std::int64_t>* end = nullptr;
    for (const trace::ColumnFacts& facts : table.columns()) {
      if (facts.kind != trace::ColumnKind::kTime) continue;
      auto& times = trace::Values<std::int64_t>::of(table.column(facts));
      if (facts.name == std::string_view("start_ns")) start = &times;
      if (facts.name == std::string_view("end_ns")) end = &times;
    }
    if (start == nullptr || end == nullptr) continue;
    resize_rows(table, 1);
    *start = {20};
    *end = {5};
    ends.push_back(end);
  }
  trace::Losses losses;
  mend_backward_rows(trace, {.framework = "f", .host = "h", .device = "d"}, losses);
  EXPECT_GT(ends.size(), 20u);
  for (const auto* end : ends) EXPECT_THAT(*end, ElementsAre(20));
  std::string all;
  for (const trace::Loss& loss : losses.items()) all += loss.file + ": " + loss.what + "\n";
  EXPECT_THAT(all, HasSubstr("f: 1 flow marks end before they begin"));
  EXPECT_THAT(all, HasSubstr("h: 1 api calls end before they begin"));
  EXPECT_THAT(all, HasSubstr("d: 1 device tasks end before they begin"));
}

TEST(BackwardRows, OfRawFilesAreALoss) {
  testing::RawProfile raw;
  raw.put_info(testing::plain_info());
  format::framework::OpRange record{};
  record.fixed.start = 2000;
  record.fixed.end = 1000;
  record.name = "aten::mm";
  raw.put("torch.op_range", testing::RawBytes().add(record));
  ThreadPool pool(1);
  trace::Losses losses;
  const auto trace = load_profile(raw.profile, pool, losses);
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(trace->framework_ops().size(), 1u);
  EXPECT_EQ(trace->framework_ops().end_ns, trace->framework_ops().start_ns);
  ASSERT_FALSE(losses.empty());
  EXPECT_EQ(losses.items().back().records, 1u);
  EXPECT_EQ(losses.items().back().file, raw.profile.framework.native());
}

TEST(BackwardRows, OfATimelineAreALoss) {
  const npuprof::testing::TemporaryDirectory directory;
  const auto path = directory / "trace_view.json";
  ASSERT_TRUE(write_file(path, R"([
{"ph":"X","name":"aten::mm","cat":"cpu_op","pid":7,"tid":8,"ts":"5.000","dur":-2}])")
                  .ok());
  ThreadPool pool(1);
  trace::Losses losses;
  const auto trace = load_results({.kind = ProfileKind::kChromeTrace, .path = path}, losses, pool);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_THAT(trace->framework_ops().end_ns, ElementsAre(5000));
  ASSERT_FALSE(losses.empty());
  EXPECT_EQ(losses.items().back().records, 1u);
  EXPECT_EQ(losses.items().back().file, path.native());
}

}  // namespace
}  // namespace npuprof::load
