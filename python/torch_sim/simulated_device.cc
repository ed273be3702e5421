#include "simulated_device.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "device_heap.h"
#include "device_operators.h"
#include "recording.h"

namespace npuprof::torch_sim {
namespace {

thread_local std::int8_t chosen_device = 0;
std::atomic<bool> is_registered{false};
std::vector<std::unique_ptr<DeviceHeap>>* heaps = nullptr;  // For good: tensors may outlive us.

struct Block {
  DeviceHeap* heap;
  void* address;
};

void release_block(void* context) {
  const std::unique_ptr<Block> block(static_cast<Block*>(context));
  if (is_forked_child()) return;
  block->heap->release(block->address);
}

c10::DataPtr allocate_on_device(std::size_t bytes) {
  const c10::Device device(kType, chosen_device);
  if (bytes == 0) return {nullptr, device};
  // Threads that the child does not have may hold locks of the device.
  if (is_forked_child()) {
    throw std::runtime_error("the simulated NPU cannot be used in a forked process");
  }
  DeviceHeap& heap = *heaps->at(static_cast<std::size_t>(chosen_device));
  auto block = std::make_unique<Block>(Block{&heap, heap.allocate(bytes)});
  if (block->address == nullptr) throw std::runtime_error("the simulated NPU is out of memory");
  void* const address = block->address;
  return {address, block.release(), &release_block, device};
}

// Whether allocate() is const depends on the version of PyTorch; only the one that fits is made.
template <typename Method, typename Base>
class AllocatorOf;
template <typename Base>
class AllocatorOf<c10::DataPtr (c10::Allocator::*)(std::size_t) const, Base> : public Base {
 public:
  c10::DataPtr allocate(std::size_t bytes) const override { return allocate_on_device(bytes); }
};
template <typename Base>
class AllocatorOf<c10::DataPtr (c10::Allocator::*)(std::size_t), Base> : public Base {
 public:
  c10::DataPtr allocate(std::size_t bytes) override { return allocate_on_device(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};
using Allocator = AllocatorOf<decltype(&c10::Allocator::allocate), c10::Allocator>;

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  explicit Guard(std::uint32_t device_count) : device_count_(device_count) {}

  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device before = getDevice();
    setDevice(device);
    return before;
  }
  c10::Device getDevice() const override { return {kType, chosen_device}; }
  void setDevice(c10::Device device) const override { uncheckedSetDevice(device); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) chosen_device = static_cast<std::int8_t>(device.index());
  }
  c10::Stream getStream(c10::Device device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override {
    return getStream(stream.device());
  }
  c10::DeviceIndex deviceCount() const noexcept override {
    return static_cast<c10::DeviceIndex>(device_count_);
  }

 private:
  std::uint32_t device_count_;
};

}  // namespace

void register_simulated_device(const SimulatedCann& cann) {
  if (is_registered) return;
  if (c10::impl::hasDeviceGuardImpl(kType)) {
    throw std::runtime_error(
        "another library has a device of PyTorch's type for private use (torch_npu?)");
  }
  heaps = new std::vector<std::unique_ptr<DeviceHeap>>;
  for (std::uint32_t i = 0; i < cann.device_count; ++i) {
    heaps->push_back(std::make_unique<DeviceHeap>(cann, static_cast<std::int8_t>(i)));
  }
  c10::SetAllocator(kType, new Allocator);
  const c10::impl::DeviceGuardImplRegistrar registrar(kType, new Guard(cann.device_count));
  register_device_operators(cann);
  is_registered = true;
}

bool simulated_device_is_registered() { return is_registered; }

std::int8_t current_device_index() { return chosen_device; }
void set_current_device_index(std::int8_t index) { chosen_device = index; }

}  // namespace npuprof::torch_sim
