// Memory. That of a device is ordinary memory of this process, as much as the chip has; copies copy
// when they are called, which a program that orders its streams cannot tell from later.

#include <cstdlib>
#include <cstring>

#include "sim/cann/state.h"

namespace {

using namespace npuprof::sim;        // NOLINT(*-using-namespace): this file is their C face.
using namespace npuprof::sim::cann;  // NOLINT(*-using-namespace)
using npuprof::format::host::MemcpyDirection;

// What device memory is aligned to.
constexpr std::size_t kAlignment = 512;

aclError allocate(void** address, std::size_t bytes, bool on_device) {
  if (address == nullptr || bytes == 0) return NPUPROF_ACL_RT_PARAM_INVALID;
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    State& state = State::get();
    if (bytes > state.chip().hbm_bytes) return NPUPROF_ACL_RT_MEMORY_ALLOCATION;
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    Lock lock(state.mutex);
    DeviceState* const device = on_device ? state.device(current_device()) : nullptr;
    if (on_device && device == nullptr) return NPUPROF_ACL_RT_CONTEXT_NULL;
    if (on_device && device->used_bytes + rounded > state.chip().hbm_bytes) {
      return NPUPROF_ACL_RT_MEMORY_ALLOCATION;
    }
    void* const memory = std::aligned_alloc(kAlignment, rounded);
    if (memory == nullptr) return NPUPROF_ACL_RT_MEMORY_ALLOCATION;
    state.blocks[memory] = {device, rounded};
    if (on_device) device->used_bytes += rounded;
    *address = memory;
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError release(void* address, bool on_device) {
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    State& state = State::get();
    Lock lock(state.mutex);
    const auto found = state.blocks.find(address);
    if (found == state.blocks.end() || (found->second.device != nullptr) != on_device) {
      return NPUPROF_ACL_RT_PARAM_INVALID;
    }
    if (on_device) {
      // A collective that waits for its partners still uses what was given to it.
      DeviceState& device = *found->second.device;
      state.wait_ready(lock, device);
      device.used_bytes -= found->second.bytes;
    }
    state.blocks.erase(address);
    std::free(address);
    return NPUPROF_ACL_SUCCESS;
  });
}

bool is_device_memory(State& state, const void* address) {
  auto block = state.blocks.upper_bound(address);
  if (block == state.blocks.begin()) return false;
  --block;
  const auto* begin = static_cast<const std::byte*>(block->first);
  return block->second.device != nullptr &&
         static_cast<const std::byte*>(address) < begin + block->second.bytes;
}

MemcpyDirection direction_of(State& state, int kind, const void* to, const void* from) {
  if (kind != NPUPROF_ACL_MEMCPY_DEFAULT) return static_cast<MemcpyDirection>(kind);
  const bool to_device = is_device_memory(state, to);
  const bool from_device = is_device_memory(state, from);
  if (to_device) {
    return from_device ? MemcpyDirection::kDeviceToDevice : MemcpyDirection::kHostToDevice;
  }
  return from_device ? MemcpyDirection::kDeviceToHost : MemcpyDirection::kHostToHost;
}

// `wait`: the call returns when the copy is done.
aclError copy(void* to, std::size_t most, const void* from, std::size_t bytes, int kind,
              aclrtStream stream, bool wait) {
  const bool bad_kind = kind < NPUPROF_ACL_MEMCPY_HOST_TO_HOST || kind > NPUPROF_ACL_MEMCPY_DEFAULT;
  if (to == nullptr || from == nullptr || bytes == 0 || bytes > most || bad_kind) {
    return NPUPROF_ACL_RT_PARAM_INVALID;
  }
  return on_stream(stream,
                   [&](DeviceState& device, StreamNumber id, std::uint32_t thread,
                       std::int64_t begin_ns) -> Outcome {
                     // The same place: a copy for the time it takes. The memory may be another's by
                     // now.
                     if (to != from) std::memmove(to, from, bytes);
                     const MemcpyDirection direction = direction_of(State::get(), kind, to, from);
                     if (direction == MemcpyDirection::kHostToHost)
                       return {};  // The device has no part in it.
                     const TaskRun run =
                         device.npu.copies().copy(thread, id, direction, bytes, begin_ns);
                     if (!wait) return {.end_ns = run.host_end_ns};
                     return {.end_ns = device.npu.streams().synchronize_stream(
                                 thread, id, run.host_end_ns + 20)};
                   });
}

aclError fill(void* address, std::size_t most, std::int32_t value, std::size_t bytes,
              aclrtStream stream, bool wait) {
  if (address == nullptr || bytes == 0 || bytes > most) return NPUPROF_ACL_RT_PARAM_INVALID;
  return on_stream(stream,
                   [&](DeviceState& device, StreamNumber id, std::uint32_t thread,
                       std::int64_t begin_ns) -> Outcome {
                     std::memset(address, value, bytes);
                     const TaskRun run = device.npu.copies().fill(thread, id, bytes, begin_ns);
                     if (!wait) return {.end_ns = run.host_end_ns};
                     return {.end_ns = device.npu.streams().synchronize_stream(
                                 thread, id, run.host_end_ns + 20)};
                   });
}

}  // namespace

extern "C" {

aclError aclrtMalloc(void** address, size_t bytes, int) { return allocate(address, bytes, true); }
aclError aclrtFree(void* address) { return release(address, true); }
aclError aclrtMallocHost(void** address, size_t bytes) { return allocate(address, bytes, false); }
aclError aclrtFreeHost(void* address) { return release(address, false); }

aclError aclrtMemcpy(void* to, size_t most, const void* from, size_t bytes, int kind) {
  return copy(to, most, from, bytes, kind, nullptr, true);
}

aclError aclrtMemcpyAsync(void* to, size_t most, const void* from, size_t bytes, int kind,
                          aclrtStream stream) {
  return copy(to, most, from, bytes, kind, stream, false);
}

aclError aclrtMemset(void* address, size_t most, int32_t value, size_t bytes) {
  return fill(address, most, value, bytes, nullptr, true);
}

aclError aclrtMemsetAsync(void* address, size_t most, int32_t value, size_t bytes,
                          aclrtStream stream) {
  return fill(address, most, value, bytes, stream, false);
}

aclError aclrtGetMemInfo(int, size_t* free_bytes, size_t* total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    State& state = State::get();
    Lock lock(state.mutex);
    const DeviceState* const device = state.device(current_device());
    if (device == nullptr) return NPUPROF_ACL_RT_CONTEXT_NULL;
    *total_bytes = state.chip().hbm_bytes;
    *free_bytes = state.chip().hbm_bytes - device->used_bytes;
    return NPUPROF_ACL_SUCCESS;
  });
}

}  // extern "C"
