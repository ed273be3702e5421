#pragma once

#include <cstdint>
#include <vector>

#include "analyze/memory_pools.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// A block of memory that was allocated within the profile.
struct HeldBlock {
  MemoryDevice device;
  PoolKind pool = PoolKind::kCaching;
  std::int64_t bytes = 0;
  std::int64_t malloc_ns = 0;
  std::int64_t free_ns = 0;         // kAfterProfile = never seen.
  StringId owner{};                 // The operator that asked for it; empty = not known.
  std::uint32_t op = trace::kNone;  // Its row in FrameworkOps.

  bool is_alive(std::int64_t time_ns) const { return malloc_ns <= time_ns && time_ns < free_ns; }
};

// Of the framework's allocators, of CANN's and of the host's, in this order, each in order of
// allocation. A block whose address is handed out again has been freed, seen or not.
std::vector<HeldBlock> held_blocks(const trace::Trace& trace);

// Those of a device that exist at a time, largest first.
std::vector<HeldBlock> blocks_alive_at(const std::vector<HeldBlock>& blocks, MemoryDevice device,
                                       std::int64_t time_ns);

// Blocks that one operator asked for and that were never freed.
struct KeptMemory {
  MemoryDevice device;
  PoolKind pool = PoolKind::kCaching;
  StringId owner{};
  StringId stack{};  // Of the first block.
  std::uint64_t blocks = 0;
  std::int64_t bytes = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::uint32_t steps = 0;  // Steps in which it asked for some; 0 = no steps, or outside of them.
};

// By device and falling size. Memory of the host is left out: its releases are often not recorded.
std::vector<KeptMemory> kept_memory(const trace::Trace& trace,
                                    const std::vector<HeldBlock>& blocks);

}  // namespace npuprof::analyze
