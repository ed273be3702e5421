#pragma once

// How data flows through the tensors of a program: which memory each operator allocated, read,
// changed and freed. Built from the addresses of operators' inputs and the events of the
// allocators, in order of time.

#include <cstdint>
#include <limits>
#include <vector>

#include "trace/table.h"
#include "trace/trace.h"

namespace npuprof::analyze {

struct MemoryDevice {
  std::uint8_t type = 0;  // format::framework::DeviceType.
  std::int8_t index = -1;

  bool operator==(const MemoryDevice&) const = default;
};

// As records have it. Devices count from 0; the CPU has no number, whatever a record says.
MemoryDevice memory_device(std::uint8_t type, std::int8_t index);

inline constexpr std::int64_t kBeforeProfile = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kAfterProfile = std::numeric_limits<std::int64_t>::max();

// A block of memory from its allocation to its end; one address may be many blocks one after
// another. The contents of a block have versions: 0, and one more each time it is changed.
struct MemoryBlocks {
  NPUPROF_TABLE(MemoryBlocks);
  NPUPROF_COLUMN(MemoryDevice, device);
  NPUPROF_COLUMN(std::int64_t, bytes);
  NPUPROF_COLUMN(std::int64_t, malloc_ns);  // kBeforeProfile = not seen.
  NPUPROF_COLUMN(std::int64_t, free_ns);    // kAfterProfile = not seen.
  NPUPROF_COLUMN(std::uint8_t, is_tensor);  // Whether a tensor that lies in it was seen.
  NPUPROF_COLUMN(std::uint32_t, versions);  // How many it has.
  NPUPROF_TABLE_END();
};

// Something that happened to tensors at once: an operator that the program called, with all it
// called in turn, or an allocation or a release outside of one. In order of start.
struct FlowNodes {
  std::vector<std::int64_t> start_ns;
  std::vector<std::uint8_t> is_backward;   // Part of a backward pass.
  std::vector<std::uint32_t> first_touch;  // In Touches, those of the next node follow.

  std::size_t size() const { return start_ns.size(); }
};

// What a node does with a block, one row for each block.
struct Touches {
  std::vector<std::uint32_t> block;
  std::vector<std::uint32_t> version;  // That it finds; kNone = it allocates the block.
  std::vector<std::uint8_t> changes;   // It leaves the next version. Not set when it allocates.
  std::vector<std::uint8_t> frees;

  std::size_t size() const { return block.size(); }

  bool allocates(std::size_t row) const { return version[row] == trace::kNone; }
  // Whether the block has a new version after it.
  bool is_output(std::size_t row) const {
    return frees[row] == 0 && (allocates(row) || changes[row] != 0);
  }
  std::uint32_t output_version(std::size_t row) const {
    return allocates(row) ? 0 : version[row] + 1;
  }
};

struct TensorFlow {
  MemoryBlocks blocks;
  FlowNodes nodes;
  Touches touches;  // Of blocks that are tensors.
  // Blocks that the program named as such; one may be named several times.
  std::vector<std::uint32_t> parameters;
  std::vector<std::uint32_t> gradients;
  std::vector<std::uint32_t> optimizer_states;
};

// Needs operators with their parents, memory events, Python calls and parameter tensors.
TensorFlow tensor_flow(const trace::Trace& trace);

}  // namespace npuprof::analyze
