#include "sim/torch/workspace_allocator.h"

namespace npuprof::sim {
namespace {

using format::framework::MemoryEvent;

constexpr std::int64_t kWorkspaceUnit = 2 * 1024 * 1024;
constexpr std::int64_t kWorkspacePadding = 32;  // Kernels may read past the end.

}  // namespace

std::optional<std::uint64_t> WorkspaceAllocator::allocate(std::int64_t bytes, std::int64_t stream,
                                                          HostPoint at) {
  Block& block = blocks_[stream];
  const std::int64_t size = bytes + kWorkspacePadding;
  if (block.size < size && !grow(block, size, stream, at)) return std::nullopt;
  if (block.is_used) return block.address;
  block.is_used = true;
  allocated_bytes_ += block.size;
  report(block, MemoryEvent::kMalloc, stream, at);
  return block.address;
}

void WorkspaceAllocator::release(std::int64_t stream, HostPoint at) {
  const auto found = blocks_.find(stream);
  if (found == blocks_.end() || !found->second.is_used) return;
  found->second.is_used = false;
  allocated_bytes_ -= found->second.size;
  report(found->second, MemoryEvent::kFree, stream, at);
}

bool WorkspaceAllocator::grow(Block& block, std::int64_t size, std::int64_t stream, HostPoint at) {
  if (block.size > 0) {
    release(stream, at);
    memory_->release(block.address, block.size);
    reserved_bytes_ -= block.size;
    report(block, MemoryEvent::kFree, stream, at);
    block = {};
  }
  const std::int64_t bytes = (size + kWorkspaceUnit - 1) / kWorkspaceUnit * kWorkspaceUnit;
  const auto address = memory_->reserve(bytes);
  if (!address) return false;
  block = {.address = *address, .size = bytes, .is_used = false};
  reserved_bytes_ += bytes;
  report(block, MemoryEvent::kMalloc, stream, at);
  return true;
}

void WorkspaceAllocator::report(const Block& block, MemoryEvent event, std::int64_t stream,
                                HostPoint at) {
  writer_->memory(
      at.time_ns,
      {.address = static_cast<std::int64_t>(block.address),
       .time = 0,
       .size = event == MemoryEvent::kMalloc ? block.size : -block.size,
       .total_allocated = allocated_bytes_,
       .total_reserved = reserved_bytes_,
       .total_active = allocated_bytes_,
       .stream = stream,
       .device_type = static_cast<std::int8_t>(format::framework::DeviceType::kNpu),
       .device_index = device_index_,
       .component =
           static_cast<std::uint8_t>(format::framework::MemoryComponent::kWorkspaceAllocator),
       .event = static_cast<std::uint8_t>(event),
       .allocator = static_cast<std::uint8_t>(format::framework::MemoryAllocator::kInner),
       .thread_id = at.thread_id,
       .process_id = 0});
}

}  // namespace npuprof::sim
