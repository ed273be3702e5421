#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/row.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// Memory that operators of CANN asked for: an allocation and its release, if both were seen.
struct CannBlock {
  std::uint32_t allocation = trace::kNone;  // Rows in OperatorMemory.
  std::uint32_t release = trace::kNone;

  // The row that tells name, size and device.
  std::uint32_t known() const { return allocation != trace::kNone ? allocation : release; }
};

// In order of the first row of each block.
std::vector<CannBlock> cann_blocks(const trace::OperatorMemory& memory);

// The name of the operator that asked for a row of Allocations; empty if it is not known.
StringId owner_of_block(const trace::Trace& trace, std::size_t block);

// Memory of the host: an allocation and its release, kNone if that was not seen.
struct HostBlock {
  std::uint32_t allocation = trace::kNone;  // Rows in MemoryEvents.
  std::uint32_t release = trace::kNone;
};

// In order of allocation.
std::vector<HostBlock> host_blocks(const trace::MemoryEvents& events);

}  // namespace npuprof::analyze
