#include "report/tables/operator_memory_table.h"

#include <cstdint>
#include <optional>

#include "analyze/operator_blocks.h"
#include "format/results/memory_columns.h"
#include "report/tables/stored_table.h"
#include "report/tables/text_table.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/host/operator_memory.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

namespace memory = format::results::operator_memory;

using analyze::OperatorBlock;
using analyze::PoolAmounts;

constexpr auto total_of(PoolAmounts OperatorBlock::*when,
                        std::optional<std::int64_t> PoolAmounts::*total) {
  return [when, total](const OperatorBlock& block) { return block.*when.*total; };
}

// In the database the empty text has this number and no row in STRING_IDS.
constexpr std::int64_t kEmptyName = 0xFFFFFFFF;
constexpr auto name_number = [](const OperatorBlock& block) -> std::int64_t {
  return block.name_id == kEmptyString ? kEmptyName : to_index(block.name_id);
};

constexpr auto kOperatorMemory = shared_table(
    memory::kFile, memory::kTable,  //
    column(memory::kName, &OperatorBlock::name, name_number),
    column(memory::kSize, &OperatorBlock::size_bytes),
    column(memory::kAllocation, &OperatorBlock::allocation_ns),
    column(memory::kRelease, &OperatorBlock::release_ns),
    column(memory::kActiveRelease, &OperatorBlock::active_release_ns),
    column(memory::kDuration, &OperatorBlock::duration_ns),
    column(memory::kActiveDuration, &OperatorBlock::active_duration_ns),
    column(memory::kAllocationAllocated,
           total_of(&OperatorBlock::at_allocation, &PoolAmounts::allocated)),
    column(memory::kAllocationReserved,
           total_of(&OperatorBlock::at_allocation, &PoolAmounts::reserved)),
    column(memory::kAllocationActive,
           total_of(&OperatorBlock::at_allocation, &PoolAmounts::active)),
    column(memory::kReleaseAllocated,
           total_of(&OperatorBlock::at_release, &PoolAmounts::allocated)),
    column(memory::kReleaseReserved, total_of(&OperatorBlock::at_release, &PoolAmounts::reserved)),
    column(memory::kReleaseActive, total_of(&OperatorBlock::at_release, &PoolAmounts::active)),
    column(memory::kStream, &OperatorBlock::stream),
    column(memory::kDevice, &OperatorBlock::device));

// Files of MindSpore say N/A where there is nothing.
constexpr TextColumn or_none(const SharedColumn& shared, Print print) {
  return {shared.text.header, print, IfAbsent::kNotAvailable};
}
constexpr auto pool_column(const SharedColumn& shared, auto content) {
  return column(or_none(shared, Print::kMb), content);
}
constexpr auto block_time_column(const SharedColumn& shared, auto content) {
  return column(or_none(shared, Print::kTrimmedUs), content);
}
constexpr auto kMindSporeOperatorMemory = text_table(
    memory::kFile,  //
    column(memory::kName.text, &OperatorBlock::name),
    column(or_none(memory::kSize, Print::kKb), &OperatorBlock::size_bytes),
    block_time_column(memory::kAllocation, &OperatorBlock::allocation_ns),
    block_time_column(memory::kRelease, &OperatorBlock::release_ns),
    block_time_column(memory::kActiveRelease, &OperatorBlock::active_release_ns),
    block_time_column(memory::kDuration, &OperatorBlock::duration_ns),
    block_time_column(memory::kActiveDuration, &OperatorBlock::active_duration_ns),
    pool_column(memory::kAllocationAllocated,
                total_of(&OperatorBlock::at_allocation, &PoolAmounts::allocated)),
    pool_column(memory::kAllocationReserved,
                total_of(&OperatorBlock::at_allocation, &PoolAmounts::reserved)),
    pool_column(memory::kAllocationActive,
                total_of(&OperatorBlock::at_allocation, &PoolAmounts::active)),
    pool_column(memory::kReleaseAllocated,
                total_of(&OperatorBlock::at_release, &PoolAmounts::allocated)),
    pool_column(memory::kReleaseReserved,
                total_of(&OperatorBlock::at_release, &PoolAmounts::reserved)),
    pool_column(memory::kReleaseActive, total_of(&OperatorBlock::at_release, &PoolAmounts::active)),
    column(memory::kStream.text, &OperatorBlock::stream),
    column(memory::kDevice.text, &OperatorBlock::device));

}  // namespace

Status write_operator_memory(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  if (trace.session.framework == trace::Framework::kMindSpore) {
    return write_text_table<kMindSporeOperatorMemory>(analyze::OperatorBlocks(trace), target, pool);
  }
  return write_text_table<kOperatorMemory>(analyze::OperatorBlocks(trace), target, pool);
}

void write_operator_memory(const Trace& trace, sqlite::DatabaseStrings& strings,
                           sqlite::BulkDatabase& database) {
  const analyze::OperatorBlocks rows(trace);
  if (rows.size() == 0) return;
  for (const std::uint32_t owner : trace.memory_events().owner) {
    if (owner != kNone) strings.use(trace.framework_ops().name[owner]);
  }
  for (const StringId name : trace.allocations().owner_name) {
    if (name != kEmptyString) strings.use(name);
  }
  strings.use(trace.operator_memory().op_name);
  sqlite::write_stored_table<kOperatorMemory>(rows, database);
}

}  // namespace npuprof::report
