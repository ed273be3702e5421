#include "format/framework/memory_usage.h"
#include "format/results/memory_columns.h"
#include "load/framework_memory.h"
#include "load/result_db/result_database.h"
#include "trace/framework/pool_totals.h"

namespace npuprof::load {
namespace {

using format::framework::MemoryComponent;

std::vector<MemoryTotalsRow> read_totals(Database& database) {
  enum : int { kTime, kComponent, kAllocated, kReserved, kActive, kStream, kDevice };
  namespace record = results::memory_record;
  TableReader row(database.file, record::kTable,
                  {{record::kTime.stored},
                   {record::kComponent.stored, record::kAllocated.stored, record::kReserved.stored,
                    record::kActive.stored, record::kStream.stored, record::kDevice.stored}},
                  database.losses);
  std::vector<MemoryTotalsRow> totals;
  while (row.next()) {
    const std::string_view component = database.trace.strings.view(database.text(row, kComponent));
    const bool is_workspace = component == "WORKSPACE";
    if (component == "MindSpore") {
      trace::PoolTotals& pool = database.trace.pool_totals();
      pool.time_ns.push_back(row.integer(kTime));
      pool.allocated_bytes.push_back(row.integer(kAllocated));
      pool.reserved_bytes.push_back(row.integer(kReserved));
      pool.active_bytes.push_back(row.integer(kActive));
      continue;
    }
    // Rows of CANN's own pool repeat NPU_OP_MEM, sums of both follow from it.
    if (component != "PTA" && !is_workspace) continue;
    const auto kind =
        is_workspace ? MemoryComponent::kWorkspaceAllocator : MemoryComponent::kCachingAllocator;
    totals.push_back(
        {.time_ns = row.integer(kTime),
         .totals = {row.integer(kAllocated), row.integer(kReserved), row.integer(kActive)},
         .stream = row.integer(kStream),
         .device = row.number<std::int8_t>(kDevice, 0),
         .component = static_cast<std::uint8_t>(kind)});
  }
  return totals;
}

std::vector<MemoryBlockRow> read_blocks(Database& database) {
  enum : int { kSize, kMalloc, kName, kFree, kBlockFree, kMallocTotals };
  enum : int { kReleaseTotals = kMallocTotals + 3, kStream = kReleaseTotals + 3, kDevice };
  namespace block = results::operator_memory;
  TableReader row(database.file, block::kTable,
                  {{block::kSize.stored, block::kAllocation.stored},
                   {block::kName.stored, block::kRelease.stored, block::kActiveRelease.stored,
                    block::kAllocationAllocated.stored, block::kAllocationReserved.stored,
                    block::kAllocationActive.stored, block::kReleaseAllocated.stored,
                    block::kReleaseReserved.stored, block::kReleaseActive.stored,
                    block::kStream.stored, block::kDevice.stored}},
                  database.losses);
  row.expect_column(kName, block::kName.stored);
  const auto totals = [&](int column) {
    return MemoryTotals{row.integer(column), row.integer(column + 1), row.integer(column + 2)};
  };
  const auto time = [&](int column) {
    return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
  };
  std::vector<MemoryBlockRow> blocks;
  while (row.next()) {
    if (row.is_null(kStream)) continue;  // Memory of CANN's own pool: repeats NPU_OP_MEM.
    blocks.push_back({.owner = database.text(row, kName),
                      .size_bytes = row.integer(kSize),
                      .malloc_ns = row.integer(kMalloc),
                      .free_ns = time(kFree),
                      .block_free_ns = time(kBlockFree),
                      .at_malloc = totals(kMallocTotals),
                      .at_release = totals(kReleaseTotals),
                      .stream = row.integer(kStream),
                      .device = row.number<std::int8_t>(kDevice, 0)});
  }
  return blocks;
}

}  // namespace

void read_framework_memory(Database& database) {
  restore_memory_events(read_totals(database), read_blocks(database), database.trace);
}

}  // namespace npuprof::load
