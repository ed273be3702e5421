#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "format/framework/memory_usage.h"
#include "sim/torch/driver_memory.h"
#include "sim/torch/framework_writer.h"

namespace npuprof::sim {

// Scratch memory of operator calls: one block for each stream, which only grows (in steps of 2 MiB)
// and is used again by every call. A growing block is reported three times: its old memory given
// back, the new memory reserved, and the block taken in use.
class WorkspaceAllocator {
 public:
  // Both must outlive the allocator.
  WorkspaceAllocator(DriverMemory& memory, FrameworkWriter& writer, std::int8_t device_index)
      : memory_(&memory), writer_(&writer), device_index_(device_index) {}

  // Takes the stream's block in use, with room for `bytes`; nothing if the device is full.
  std::optional<std::uint64_t> allocate(std::int64_t bytes, std::int64_t stream, HostPoint at);
  // The call has been handed to the device. Without a block in use nothing happens.
  void release(std::int64_t stream, HostPoint at);

  std::int64_t allocated_bytes() const { return allocated_bytes_; }
  std::int64_t reserved_bytes() const { return reserved_bytes_; }

 private:
  struct Block {
    std::uint64_t address = 0;
    std::int64_t size = 0;
    bool is_used = false;
  };

  bool grow(Block& block, std::int64_t size, std::int64_t stream, HostPoint at);
  void report(const Block& block, format::framework::MemoryEvent event, std::int64_t stream,
              HostPoint at);

  DriverMemory* memory_;
  FrameworkWriter* writer_;
  std::int8_t device_index_;
  std::int64_t allocated_bytes_ = 0;
  std::int64_t reserved_bytes_ = 0;
  std::map<std::int64_t, Block> blocks_;  // By stream.
};

}  // namespace npuprof::sim
