#include "trace/copy_trace.h"

#include <gtest/gtest.h>

#include "trace/framework/framework_ops.h"
#include "trace/linked/tasks.h"
#include "trace/table_list.h"

namespace npuprof::trace {
namespace {

TEST(CopyTrace, HasEqualRowsAndStringsOfItsOwn) {
  Trace whole;
  whole.session.rank = 3;
  whole.devices.push_back({.id = 7});
  whole.strings.intern("first");
  const StringId name = whole.strings.intern("second");
  resize_rows(whole.framework_ops(), 2);
  whole.framework_ops().name[1] = name;
  whole.framework_ops().start_ns[1] = 5;
  resize_rows(whole.tasks(), 1);
  whole.tasks().kernel_name[0] = name;

  Trace copy = copy_of(whole);
  EXPECT_EQ(copy.session.rank, 3);
  ASSERT_EQ(copy.devices.size(), 1U);
  EXPECT_EQ(copy.devices[0].id, 7);
  EXPECT_EQ(memory_bytes(copy) > 0, memory_bytes(whole) > 0);
  ASSERT_EQ(copy.framework_ops().size(), 2U);
  EXPECT_EQ(copy.framework_ops().start_ns[1], 5);
  EXPECT_EQ(copy.strings.view(copy.framework_ops().name[1]), "second");
  EXPECT_EQ(copy.strings.view(copy.tasks().kernel_name[0]), "second");

  resize_rows(copy.framework_ops(), 0);
  copy.strings.intern("third");
  EXPECT_EQ(whole.framework_ops().size(), 2U);
  EXPECT_EQ(whole.strings.size(), 3U);
}

}  // namespace
}  // namespace npuprof::trace
