#pragma once

// Memory of a simulated device for tensors: what the framework's caching allocator would do there,
// with memory of the host behind it.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "sim/torch/caching_allocator.h"
#include "simulated_cann.h"

namespace npuprof::torch_sim {

class DeviceHeap : private sim::SegmentSource, private sim::MemoryLog {
 public:
  DeviceHeap(const SimulatedCann& cann, std::int8_t device);

  // Null if the device is full.
  void* allocate(std::size_t bytes);
  void release(void* address);

 private:
  std::optional<std::uint64_t> reserve(std::int64_t bytes) override;
  void release(std::uint64_t address, std::int64_t bytes) override;
  void memory(std::int64_t time_ns, format::framework::MemoryUsageFixed usage) override;

  const SimulatedCann& cann_;
  const std::int8_t device_;
  std::mutex mutex_;
  sim::CachingAllocator allocator_;
};

}  // namespace npuprof::torch_sim
