#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <set>
#include <unordered_map>
#include <vector>

#include "format/framework/memory_usage.h"
#include "sim/torch/driver_memory.h"

namespace npuprof::sim {

// The framework's allocator of device memory. Blocks are cut from segments (2 MiB for blocks up to
// 1 MiB, 20 MiB for blocks below 10 MiB, else as large as needed), come back to a pool of their
// stream when they are released, are merged with free neighbours and used again. Deterministic:
// the same calls give the same addresses. Every event is told to the log.
class CachingAllocator {
 public:
  struct Totals {
    std::int64_t allocated_bytes = 0;  // In blocks the program holds.
    std::int64_t active_bytes = 0;     // In blocks that are not in a pool.
    std::int64_t reserved_bytes = 0;   // In segments.
    std::int64_t peak_allocated_bytes = 0;
    std::int64_t peak_reserved_bytes = 0;
  };

  // Both must outlive the allocator.
  CachingAllocator(SegmentSource& memory, MemoryLog& log, std::int8_t device_index)
      : memory_(&memory), log_(&log), device_index_(device_index) {}

  // A block of at least `bytes` (> 0) for use on `stream`. Nothing if the device is full even after
  // segments that are wholly free have been given back.
  std::optional<std::uint64_t> allocate(std::int64_t bytes, std::int64_t stream, HostPoint at);

  // The program releases a block. If work of another stream uses it until `used_until_ns`, it stays
  // active until the first allocation after that time. Addresses that are not in use are ignored.
  void release(std::uint64_t address, HostPoint at, std::int64_t used_until_ns = 0);

  // Gives segments that are wholly free back to the device.
  void empty_cache();

  const Totals& totals() const { return totals_; }
  // The size of a block in use, rounding included; 0 if the address is not in use.
  std::int64_t block_bytes(std::uint64_t address) const;

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xFFFFFFFF;

  struct Block {
    std::uint64_t address = 0;
    std::int64_t size = 0;
    std::int64_t stream = 0;
    Index previous = kNone;  // Neighbours in the same segment.
    Index next = kNone;
    bool is_small = false;
    bool is_free = false;  // In a pool.
  };

  // Smallest block that fits first, then the lowest address.
  struct FreeBlock {
    std::int64_t stream;
    std::int64_t size;
    std::uint64_t address;
    Index block;

    bool operator<(const FreeBlock& other) const {
      if (stream != other.stream) return stream < other.stream;
      if (size != other.size) return size < other.size;
      return address < other.address;
    }
  };
  using Pool = std::set<FreeBlock>;

  struct Waiting {
    std::int64_t until_ns;
    std::uint64_t order;  // Of release, to break ties.
    Index block;

    bool operator>(const Waiting& other) const {
      return until_ns != other.until_ns ? until_ns > other.until_ns : order > other.order;
    }
  };

  Pool& pool_of(bool is_small) { return is_small ? small_pool_ : large_pool_; }
  Index take_free(bool is_small, std::int64_t size, std::int64_t stream);
  Index add_segment(bool is_small, std::int64_t size, std::int64_t stream);
  void split(Index block, std::int64_t size);
  void put_back(Index block, HostPoint at);
  void put_in_pool(Index block);
  void merge_with_next(Index block);
  void take_from_pool(Index block);
  void put_back_waiting(HostPoint at);
  Index new_block();
  void report(const Block& block, format::framework::MemoryEvent event, HostPoint at);

  SegmentSource* memory_;
  MemoryLog* log_;
  std::int8_t device_index_;
  Totals totals_;
  std::vector<Block> blocks_;
  std::vector<Index> unused_;  // Entries of blocks_ that merging left over.
  std::unordered_map<std::uint64_t, Index> in_use_;
  Pool small_pool_;
  Pool large_pool_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::uint64_t releases_ = 0;
};

}  // namespace npuprof::sim
