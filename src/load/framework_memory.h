#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/string_pool.h"
#include "trace/trace.h"

namespace npuprof::load {

// Totals of an allocator after an event.
struct MemoryTotals {
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;
  std::int64_t active_bytes = 0;

  bool operator==(const MemoryTotals&) const = default;
};

// One event of the framework's allocators, as the running totals of results list it.
struct MemoryTotalsRow {
  std::int64_t time_ns = 0;
  MemoryTotals totals;
  std::int64_t stream = 0;
  std::int8_t device = 0;
  std::uint8_t component = 0;  // format::framework::MemoryComponent.
};

// One block of memory, as results list its life.
struct MemoryBlockRow {
  StringId owner{};  // Name of the operator that asked for it.
  std::int64_t size_bytes = 0;
  std::int64_t malloc_ns = 0;
  std::optional<std::int64_t> free_ns;
  std::optional<std::int64_t> block_free_ns;
  MemoryTotals at_malloc;
  MemoryTotals at_release;  // Of the free, or of the block free if that is all there was.
  std::int64_t stream = 0;
  std::int8_t device = 0;
};

// Puts memory events, allocations and owners of the framework together again from the two tables
// that results split them into. Needs framework_ops. An owner is known by its name alone: it is
// taken to be the last of that name which had started, if possible one that had not ended. Where
// there is none the name is kept.
void restore_memory_events(const std::vector<MemoryTotalsRow>& totals,
                           const std::vector<MemoryBlockRow>& blocks, trace::Trace& trace);

}  // namespace npuprof::load
