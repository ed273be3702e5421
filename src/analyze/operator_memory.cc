#include "analyze/operator_memory.h"

#include <cstddef>
#include <map>
#include <tuple>

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
  const std::uint32_t owner = trace.memory_events.owner[trace.allocations.malloc_event[block]];
  return owner == kNone ? trace.allocations.owner_name[block] : trace.framework_ops.name[owner];
}

}  // namespace npuprof::analyze
