#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// How much memory a pool holds after one of its events.
struct MemoryRecord {
  std::string_view component;  // APP, PTA, WORKSPACE, GE, or PTA+GE for the sum of two pools.
  std::int64_t time_ns = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;
  std::int64_t active_bytes = 0;
  bool has_active = false;     // CANN's pool does not tell.
  bool only_reserved = false;  // Memory of the whole process.
  std::optional<std::int64_t> stream;
  int device = 0;
};

// Memory of the process, as it was sampled.
std::vector<MemoryRecord> process_memory_records(const trace::Trace& trace);

// Events of the framework's allocators and of CANN's pool in order of time, those of PTA and GE
// followed by the sum of both on that device.
std::vector<MemoryRecord> pool_memory_records(const trace::Trace& trace);

}  // namespace npuprof::analyze
