#include "device_heap.h"

#include <c10/core/Allocator.h>

#include "kernel_launcher.h"
#include "python/torch_hooks/this_thread_buffer.h"
#include "recording.h"

namespace npuprof::torch_sim {

using format::framework::MemoryEvent;

namespace {

// The allocator of the simulation counts in numbers; ours are addresses.
void* pointer_to(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

DeviceHeap::DeviceHeap(const SimulatedCann& cann, std::int8_t device)
    : cann_(cann), device_(device), allocator_(*this, *this, device) {}

void* DeviceHeap::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto address = allocator_.allocate(static_cast<std::int64_t>(bytes), 0, {});
  return address ? pointer_to(*address) : nullptr;
}

void DeviceHeap::release(void* address) {
  const std::lock_guard lock(mutex_);
  allocator_.release(reinterpret_cast<std::uintptr_t>(address), {});
}

std::optional<std::uint64_t> DeviceHeap::reserve(std::int64_t bytes) {
  use_device(cann_, device_);
  void* address = nullptr;
  if (cann_.aclrtMalloc(&address, static_cast<std::size_t>(bytes), 0) != NPUPROF_ACL_SUCCESS) {
    return std::nullopt;
  }
  return reinterpret_cast<std::uintptr_t>(address);
}

void DeviceHeap::release(std::uint64_t address, std::int64_t) {
  (void)cann_.aclrtFree(pointer_to(address));
}

void DeviceHeap::memory(std::int64_t, format::framework::MemoryUsageFixed usage) {
  const auto event = static_cast<MemoryEvent>(usage.event.get());
  if (event != MemoryEvent::kBlockFree) {
    // For PyTorch's own profilers; our object does not listen.
    c10::reportMemoryUsageToProfiler(pointer_to(static_cast<std::uint64_t>(usage.address.get())),
                                     usage.size, usage.total_allocated, usage.total_reserved,
                                     c10::Device(c10::DeviceType::PrivateUse1, device_));
  }
  if (!recording->memory_is_recorded()) return;
  record::ThreadBuffer* const buffer = torch_hooks::this_thread_buffer();
  if (buffer == nullptr) return;
  buffer->memory({.address = usage.address,
                  .size = usage.size,
                  .total_allocated = usage.total_allocated,
                  .total_reserved = usage.total_reserved,
                  .total_active = usage.total_active,
                  .stream = usage.stream,
                  .device_type = usage.device_type,
                  .device_index = usage.device_index,
                  .component = usage.component,
                  .event = usage.event,
                  .allocator = usage.allocator});
}

}  // namespace npuprof::torch_sim
