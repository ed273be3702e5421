#include "load/framework_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"

namespace npuprof::load {
namespace {

using ::testing::ElementsAre;
using trace::kNone;

class FrameworkMemory : public ::testing::Test {
 protected:
  std::vector<std::int64_t> times(
      const std::vector<trace::Row<trace::MemoryEvents>>& events) const {
    std::vector<std::int64_t> times;
    for (const std::uint32_t event : events) {
      times.push_back(event == kNone ? -1 : trace_.memory_events().time_ns[event]);
    }
    return times;
  }
  std::vector<std::int64_t> allocated(
      const std::vector<trace::Row<trace::MemoryEvents>>& events) const {
    std::vector<std::int64_t> bytes;
    for (const std::uint32_t event : events) {
      bytes.push_back(event == kNone ? -1 : trace_.memory_events().total_allocated_bytes[event]);
    }
    return bytes;
  }

  trace::Trace trace_;
};

TEST_F(FrameworkMemory, EventsOfOneTimeAreToldApartByTheirTotals) {
  const std::vector<MemoryTotalsRow> totals = {{.time_ns = 10, .totals = {64, 100, 64}},
                                               {.time_ns = 20, .totals = {32, 100, 32}},
                                               {.time_ns = 30, .totals = {40, 100, 40}},
                                               {.time_ns = 30, .totals = {0, 100, 32}},
                                               {.time_ns = 30, .totals = {0, 100, 0}}};
  // The first is known at 30 by its time alone, the others by their totals.
  const std::vector<MemoryBlockRow> blocks = {{.size_bytes = 64,
                                               .malloc_ns = 10,
                                               .free_ns = 20,
                                               .block_free_ns = 30,
                                               .at_malloc = {64, 100, 64},
                                               .at_release = {32, 100, 32}},
                                              {.size_bytes = 8,
                                               .malloc_ns = 30,
                                               .free_ns = 30,
                                               .at_malloc = {40, 100, 40},
                                               .at_release = {0, 100, 32}}};
  restore_memory_events(totals, blocks, trace_);
  EXPECT_EQ(trace_.memory_events().size(), 5u) << "none is new";
  const trace::Allocations& found = trace_.allocations();
  EXPECT_THAT(allocated(found.malloc_event), ElementsAre(64, 40));
  EXPECT_THAT(allocated(found.free_event), ElementsAre(32, 0));
  EXPECT_THAT(times(found.block_free_event), ElementsAre(30, -1));
  EXPECT_EQ(trace_.memory_events().total_active_bytes[found.free_event[1]], 32);
  EXPECT_EQ(trace_.memory_events().total_active_bytes[found.block_free_event[0]], 0);
}

TEST_F(FrameworkMemory, EventsWithoutTotalsAreAddedInOrderOfTime) {
  const std::vector<MemoryTotalsRow> totals = {{.time_ns = 50, .totals = {5, 5, 5}}};
  const std::vector<MemoryBlockRow> blocks = {
      {.size_bytes = 4, .malloc_ns = 20, .free_ns = 50, .at_malloc = {4, 4, 4}}};
  restore_memory_events(totals, blocks, trace_);
  EXPECT_THAT(trace_.memory_events().time_ns, ElementsAre(20, 50));
  EXPECT_THAT(trace_.memory_events().size_bytes, ElementsAre(4, -4));
  EXPECT_THAT(trace_.allocations().malloc_event, ElementsAre(0));
  EXPECT_THAT(trace_.allocations().free_event, ElementsAre(1)) << "with other totals, but the time";
}

TEST_F(FrameworkMemory, OwnersAreTheLastOfTheirNameThatHadBegun) {
  const StringId add = trace_.strings.intern("aten::add");
  trace::FrameworkOps& ops = trace_.framework_ops();
  resize_rows(ops, 3);
  ops.name = {add, add, trace_.strings.intern("aten::mul")};
  ops.start_ns = {0, 100, 105};
  ops.end_ns = {90, 103, 120};
  const std::vector<MemoryBlockRow> blocks = {{.owner = add, .malloc_ns = 50},
                                              {.owner = add, .malloc_ns = 110},
                                              {.owner = add, .malloc_ns = -5},
                                              {.malloc_ns = 110}};
  restore_memory_events({}, blocks, trace_);
  std::vector<std::uint32_t> owners;
  for (const std::uint32_t event : trace_.allocations().malloc_event) {
    owners.push_back(trace_.memory_events().owner[event]);
  }
  EXPECT_THAT(owners, ElementsAre(0, 1, kNone, kNone));
}

}  // namespace
}  // namespace npuprof::load
