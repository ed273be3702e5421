#include "serve/block_table.h"

#include <gtest/gtest.h>

#include "trace/framework/allocations.h"
#include "trace/framework/memory_events.h"

namespace npuprof::serve {
namespace {

template <typename Table>
std::size_t new_row(Table& table) {
  const std::size_t row = table.size();
  Table::columns(table, [&](const char*, auto& column) { column.resize(row + 1); });
  return row;
}

std::uint32_t add_event(trace::Trace& trace, std::int64_t time_ns, std::int64_t size_bytes) {
  auto& events = trace.memory_events();
  const std::size_t row = new_row(events);
  events.time_ns[row] = time_ns;
  events.size_bytes[row] = size_bytes;
  events.owner[row] = trace::kNone;
  return static_cast<std::uint32_t>(row);
}

void add_block(trace::Trace& trace, std::string_view owner, std::uint32_t malloc_event,
               std::uint32_t free_event) {
  auto& blocks = trace.allocations();
  const std::size_t row = new_row(blocks);
  blocks.malloc_event[row] = malloc_event;
  blocks.free_event[row] = free_event;
  blocks.block_free_event[row] = trace::kNone;
  blocks.owner_name[row] = trace.strings.intern(owner);
}

TEST(BlockTable, HasBlocksThatWereAllocatedOrReleasedInTheRange) {
  trace::Trace trace;
  const std::uint32_t early = add_event(trace, 100, 512);
  const std::uint32_t late = add_event(trace, 300, 1024);
  const std::uint32_t release = add_event(trace, 450, -512);
  add_block(trace, "early", early, release);
  add_block(trace, "late", late, trace::kNone);

  const answers::Table all = block_table(trace, std::nullopt);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.text_at(0, 0), "early");
  EXPECT_EQ(all.column(*all.find("duration")).numbers[0], 350);
  EXPECT_TRUE(all.is_absent(*all.find("released_at"), 1));

  const auto name_in = [&](Span range) {
    const answers::Table table = block_table(trace, range);
    return table.size() == 1 ? std::string(table.text_at(0, 0)) : std::to_string(table.size());
  };
  EXPECT_EQ(name_in({100, 101}), "early");
  EXPECT_EQ(name_in({400, 500}), "early");
  EXPECT_EQ(name_in({300, 400}), "late");
  EXPECT_EQ(name_in({301, 450}), "0");  // Both live then, and nothing happens to them.
}

}  // namespace
}  // namespace npuprof::serve
