// Loads raw profiles that an independent writer made and compares with what it says it wrote.

#include <gmock/gmock.h>

#include "generated_raw.h"
#include "load/framework/load_framework.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/python_events.h"
#include "trace/framework/python_names.h"
#include "trace/framework/queue_marks.h"

namespace npuprof::load {
namespace {

using npuprof::testing::GeneratedRaw;
using ::testing::IsEmpty;

TEST(GeneratedProfile, HasTheRecordsThatWereWritten) {
  if (!GeneratedRaw::is_available()) GTEST_SKIP() << GeneratedRaw::tool() << " is absent";
  const GeneratedRaw raw("--steps 3 --ops-per-step 50 --ranks 2 --python-trace --with-stack");
  const auto found = discover(raw.path());
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->profiles.size(), 2u);
  ThreadPool pool(2);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    trace::Trace trace;
    trace::Losses losses;
    load_framework(found->profiles[rank], read_recording_info(found->profiles[rank]), trace, losses,
                   {.pool = &pool, .part_bytes = 5000});
    EXPECT_THAT(losses.items(), IsEmpty());
    const auto& records = raw.rank(rank)["records"];
    EXPECT_EQ(trace.framework_ops().size(), records["torch.op_range"]);
    EXPECT_EQ(trace.queue_marks().size(), records["torch.op_mark"]);
    EXPECT_EQ(trace.memory_events().size(), records["torch.memory_usage"]);
    EXPECT_EQ(trace.python_events().size(), records["torch.python_tracer_func"]);
    EXPECT_EQ(trace.garbage_collections().size(), records["torch.gc_record"]);
    EXPECT_EQ(trace.python_names().size(), 3u);
    EXPECT_EQ(trace.session.rank, static_cast<std::int32_t>(rank));
    EXPECT_EQ(trace.session.level, trace::Level::kLevel1);

    std::size_t step = 0;
    for (std::uint32_t row = 0; row < trace.framework_ops().size(); ++row) {
      const auto name = trace.strings.view(trace.framework_ops().name[row]);
      if (!name.starts_with("ProfilerStep#")) continue;
      const auto& expected = raw.rank(rank)["steps_wall_ns"][step++];
      EXPECT_EQ(name, "ProfilerStep#" + std::to_string(expected[0].get<int>()));
      EXPECT_EQ(trace.framework_ops().start_ns[row], expected[1]);
      EXPECT_EQ(trace.framework_ops().end_ns[row], expected[2]);
    }
    EXPECT_EQ(step, 3u);
  }
}

}  // namespace
}  // namespace npuprof::load
