#include "trace/task_id.h"

#include <gtest/gtest.h>

namespace npuprof::trace {
namespace {

TEST(TaskId, KeysSortByStreamBatchTaskAndContext) {
  const TaskId ids[] = {
      {.stream = 1, .batch = 0, .task = 5, .context = 0},
      {.stream = 1, .batch = 0, .task = 5, .context = 3},
      {.stream = 1, .batch = 0, .task = 5},
      {.stream = 1, .batch = 0, .task = 0xFFFF},
      {.stream = 1, .batch = 1, .task = 0},
      {.stream = 2, .batch = 0, .task = 0},
  };
  for (std::size_t i = 1; i < std::size(ids); ++i) EXPECT_LT(ids[i - 1].key(), ids[i].key()) << i;
}

TEST(TaskId, WideTasksAreToldApart) {
  const TaskId first{.stream = 1, .task = 0x00010005};
  const TaskId second{.stream = 1, .task = 0x00020005};
  EXPECT_LT(first.key(), second.key());
}

TEST(TaskId, PartsOfAKey) {
  const TaskId whole{.stream = 3, .batch = 2, .task = 9};
  const TaskId context{.stream = 3, .batch = 2, .task = 9, .context = 7};
  EXPECT_EQ(TaskId::task_part(whole.key()), TaskId::task_part(context.key()));
  EXPECT_FALSE(TaskId::has_context(whole.key()));
  EXPECT_TRUE(TaskId::has_context(context.key()));
  EXPECT_EQ(TaskId::context_part(context.key()), 7);
}

}  // namespace
}  // namespace npuprof::trace
