#include "analyze/operator_allocations.h"

#include <cstddef>
#include <map>
#include <tuple>

#include "format/framework/memory_usage.h"
#include "link/row_map.h"
#include "link/time_order.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/host/operator_memory.h"

namespace npuprof::analyze {

using trace::kNone;

std::vector<CannBlock> cann_blocks(const trace::OperatorMemory& memory) {
  std::vector<CannBlock> blocks;
  std::map<std::tuple<std::uint32_t, StringId, std::uint64_t>, std::size_t> open;
  for (std::uint32_t i = 0; i < memory.size(); ++i) {
    const std::tuple key(memory.device[i], memory.op_name[i], memory.address[i]);
    if (memory.size_bytes[i] >= 0) {
      open[key] = blocks.size();
      blocks.push_back({i, kNone});
      continue;
    }
    const auto place = open.find(key);
    if (place == open.end()) {
      blocks.push_back({kNone, i});
      continue;
    }
    blocks[place->second].release = i;
    open.erase(place);
  }
  return blocks;
}

StringId owner_of_block(const trace::Trace& trace, std::size_t block) {
  const StringId told = trace.allocations().owner_name[block];
  const std::uint32_t owner = trace.memory_events().owner[trace.allocations().malloc_event[block]];
  if (told != kEmptyString || owner == kNone) return told;
  return trace.framework_ops().name[owner];
}

std::vector<HostBlock> host_blocks(const trace::MemoryEvents& events) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < events.size(); ++row) {
    const auto device = static_cast<format::framework::DeviceType>(events.device_type[row]);
    if (device == format::framework::DeviceType::kCpu) rows.push_back(row);
  }
  link::sort_by_time(rows, events.time_ns);
  std::vector<HostBlock> blocks;
  link::RowMap open;
  for (const std::uint32_t row : rows) {
    const link::RowKey key{events.address[row], events.pid[row]};
    // Releases are events of the same kind; their size is negative.
    if (events.size_bytes[row] >= 0) {
      open[key] = static_cast<std::uint32_t>(blocks.size());
      blocks.push_back({row, kNone});
      continue;
    }
    const std::uint32_t block = open.find(key);
    // What was allocated before the recording, or whose address was used again, is not known.
    if (block != kNone && blocks[block].release == kNone) blocks[block].release = row;
  }
  return blocks;
}

}  // namespace npuprof::analyze
