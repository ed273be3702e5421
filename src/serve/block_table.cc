#include "serve/block_table.h"

#include "analyze/operator_blocks.h"

namespace npuprof::serve {
namespace {

bool happens_in(const analyze::OperatorBlock& block, const Span& range) {
  return (block.allocation_ns && range.contains(*block.allocation_ns)) ||
         (block.release_ns && range.contains(*block.release_ns));
}

}  // namespace

answers::Table block_table(const trace::Trace& trace, std::optional<Span> range) {
  answers::Table table("operator_memory", "Memory of operators");
  table.text("name", "Operator");
  table.bytes("size", "Size");
  table.moment("allocated_at", "Allocated at");
  table.moment("released_at", "Released at");
  table.duration("duration", "Duration");
  table.duration("active_duration", "Used for");
  table.bytes("allocated", "Allocated then");
  table.bytes("reserved", "Reserved then");
  table.integer("device", "Device");
  const analyze::OperatorBlocks blocks(trace);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const analyze::OperatorBlock block = blocks[i];
    if (range && !happens_in(block, *range)) continue;
    table.row(block.name, block.size_bytes, block.allocation_ns, block.release_ns,
              block.duration_ns(), block.active_duration_ns(), block.at_allocation.allocated,
              block.at_allocation.reserved, block.device);
  }
  return table;
}

}  // namespace npuprof::serve
