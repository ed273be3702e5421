#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyze/memory_categories.h"
#include "trace/table.h"
#include "trace/trace.h"

namespace npuprof::analyze {

std::string_view memory_category_name(MemoryCategory category);

// What happens to a block of memory. The numbers are those of the files.
enum class MemoryAction : std::uint8_t { kPreexisting, kCreate, kIncrementVersion, kDestroy };

// Changes of the memory of one device, by time and action. What existed before the profile comes
// first, at kBeforeProfile. New contents of a block are two rows: the old ones go, the new come.
struct MemoryChanges {
  NPUPROF_TABLE(MemoryChanges);
  NPUPROF_COLUMN(trace::Time, time_ns);
  NPUPROF_COLUMN(MemoryAction, action);
  NPUPROF_COLUMN(std::int64_t, bytes);  // Negative if memory becomes free, or changes its category.
  NPUPROF_COLUMN(MemoryCategory, category);
  NPUPROF_TABLE_END();
};

MemoryChanges memory_changes(const trace::Trace& trace, MemoryDevice device);

using CategoryBytes = std::array<std::int64_t, kMemoryCategories>;

// How much memory each category has from a time on: one row for each microsecond in which something
// changes. What existed before counts from the first of them.
struct MemoryTimeline {
  std::vector<std::int64_t> time_us;
  std::vector<CategoryBytes> bytes;

  std::size_t size() const { return time_us.size(); }
};

MemoryTimeline memory_timeline(const MemoryChanges& changes);

// The devices that the profile has memory events of, in order.
std::vector<MemoryDevice> memory_devices(const trace::Trace& trace);

// The most that the allocators of a device had handed out and had reserved.
struct MemoryPeaks {
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;
};
MemoryPeaks memory_peaks(const trace::Trace& trace, MemoryDevice device);

}  // namespace npuprof::analyze
