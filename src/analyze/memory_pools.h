#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/tensor_flow.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Who hands memory out.
enum class PoolKind : std::uint8_t {
  kCaching,    // The framework's allocator, "PTA" in results. For the CPU that of the host.
  kWorkspace,  // Scratch memory of operators.
  kCann,       // Of CANN's operators, "GE" in results.
  kAll,        // The sum of those of one device.
};
std::string_view pool_name(PoolKind kind);

// What a pool had at a time.
struct PoolMoment {
  std::int64_t time_ns = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;

  // Reserved and not handed out.
  std::int64_t gap_bytes() const;
};

// A pool of a device over the profile. Of several equal moments the first counts.
struct MemoryPool {
  MemoryDevice device;  // The number is that of the profile's device, if it has just one.
  PoolKind kind = PoolKind::kCaching;
  PoolMoment first;
  PoolMoment last;
  PoolMoment most_allocated;
  PoolMoment most_reserved;
  PoolMoment largest_gap;
  double mean_gap_bytes = 0;  // Over time, from the first event to the last.

  bool has_reserved() const { return most_reserved.reserved_bytes > 0; }
};

// By device and kind; kAll only where a device has several pools. Pools that never tell a total are
// left out.
std::vector<MemoryPool> memory_pools(const trace::Trace& trace);

// The device of a row of MemoryEvents as results number it: the only one of the profile, or else
// the number in the record.
MemoryDevice device_of_event(const trace::Trace& trace, std::size_t event);

}  // namespace npuprof::analyze
