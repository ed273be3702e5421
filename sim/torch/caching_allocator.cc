#include "sim/torch/caching_allocator.h"

#include <algorithm>

namespace npuprof::sim {
namespace {

using format::framework::MemoryEvent;

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kBlockUnit = 512;
constexpr std::int64_t kPadding = 32;  // Kernels may read past the end of a tensor.
constexpr std::int64_t kLargestSmall = kMiB;
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kLargeSegment = 20 * kMiB;
constexpr std::int64_t kOwnSegment = 10 * kMiB;  // From here a block gets a segment of its size.
constexpr std::int64_t kSegmentUnit = 2 * kMiB;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::int64_t segment_size(std::int64_t block_size) {
  if (block_size <= kLargestSmall) return kSmallSegment;
  if (block_size < kOwnSegment) return kLargeSegment;
  return round_up(block_size, kSegmentUnit);
}

// A rest that is too small to be of use stays with its block.
bool is_worth_splitting(bool is_small, std::int64_t rest) {
  return is_small ? rest >= kBlockUnit : rest > kLargestSmall;
}

}  // namespace

std::optional<std::uint64_t> CachingAllocator::allocate(std::int64_t bytes, std::int64_t stream,
                                                        HostPoint at) {
  put_back_waiting(at);
  const std::int64_t size = round_up(bytes + kPadding, kBlockUnit);
  const bool is_small = size <= kLargestSmall;
  Index index = take_free(is_small, size, stream);
  if (index == kNone) index = add_segment(is_small, size, stream);
  if (index == kNone) {
    empty_cache();
    index = add_segment(is_small, size, stream);
  }
  if (index == kNone) return std::nullopt;
  split(index, size);

  const Block& block = blocks_[index];
  in_use_.emplace(block.address, index);
  totals_.allocated_bytes += block.size;
  totals_.active_bytes += block.size;
  totals_.peak_allocated_bytes = std::max(totals_.peak_allocated_bytes, totals_.allocated_bytes);
  report(block, MemoryEvent::kMalloc, at);
  return block.address;
}

void CachingAllocator::release(std::uint64_t address, HostPoint at, std::int64_t used_until_ns) {
  const auto found = in_use_.find(address);
  if (found == in_use_.end()) return;
  const Index index = found->second;
  in_use_.erase(found);
  // The block may be merged with its neighbours before its release is reported.
  const Block block = blocks_[index];
  totals_.allocated_bytes -= block.size;
  if (used_until_ns > at.time_ns) {
    waiting_.push({used_until_ns, releases_++, index});
  } else {
    put_back(index, at);
  }
  report(block, MemoryEvent::kFree, at);
}

void CachingAllocator::empty_cache() {
  for (Pool* pool : {&small_pool_, &large_pool_}) {
    for (auto entry = pool->begin(); entry != pool->end();) {
      const Block& block = blocks_[entry->block];
      if (block.previous != kNone || block.next != kNone) {
        ++entry;
        continue;
      }
      memory_->release(block.address, block.size);
      totals_.reserved_bytes -= block.size;
      unused_.push_back(entry->block);
      entry = pool->erase(entry);
    }
  }
}

std::int64_t CachingAllocator::block_bytes(std::uint64_t address) const {
  const auto found = in_use_.find(address);
  return found == in_use_.end() ? 0 : blocks_[found->second].size;
}

CachingAllocator::Index CachingAllocator::take_free(bool is_small, std::int64_t size,
                                                    std::int64_t stream) {
  Pool& pool = pool_of(is_small);
  const auto found = pool.lower_bound({stream, size, 0, kNone});
  if (found == pool.end() || found->stream != stream) return kNone;
  const Index index = found->block;
  pool.erase(found);
  blocks_[index].is_free = false;
  return index;
}

CachingAllocator::Index CachingAllocator::add_segment(bool is_small, std::int64_t size,
                                                      std::int64_t stream) {
  const std::int64_t bytes = segment_size(size);
  const auto address = memory_->reserve(bytes);
  if (!address) return kNone;
  totals_.reserved_bytes += bytes;
  totals_.peak_reserved_bytes = std::max(totals_.peak_reserved_bytes, totals_.reserved_bytes);
  const Index index = new_block();
  blocks_[index] = {.address = *address, .size = bytes, .stream = stream, .is_small = is_small};
  return index;
}

void CachingAllocator::split(Index index, std::int64_t size) {
  const std::int64_t rest_size = blocks_[index].size - size;
  if (!is_worth_splitting(blocks_[index].is_small, rest_size)) return;
  const Index rest_index = new_block();
  Block& block = blocks_[index];
  Block& rest = blocks_[rest_index];
  rest = block;
  rest.address += static_cast<std::uint64_t>(size);
  rest.size = rest_size;
  rest.previous = index;
  if (block.next != kNone) blocks_[block.next].previous = rest_index;
  block.next = rest_index;
  block.size = size;
  put_in_pool(rest_index);
}

void CachingAllocator::put_back(Index index, HostPoint at) {
  const Block block = blocks_[index];
  totals_.active_bytes -= block.size;
  if (block.next != kNone && blocks_[block.next].is_free) {
    take_from_pool(block.next);
    merge_with_next(index);
  }
  if (block.previous != kNone && blocks_[block.previous].is_free) {
    take_from_pool(block.previous);
    merge_with_next(block.previous);
    index = block.previous;
  }
  put_in_pool(index);
  report(block, MemoryEvent::kBlockFree, at);
}

void CachingAllocator::put_in_pool(Index index) {
  Block& block = blocks_[index];
  block.is_free = true;
  pool_of(block.is_small).insert({block.stream, block.size, block.address, index});
}

void CachingAllocator::take_from_pool(Index index) {
  Block& block = blocks_[index];
  block.is_free = false;
  pool_of(block.is_small).erase({block.stream, block.size, block.address, index});
}

void CachingAllocator::merge_with_next(Index index) {
  Block& block = blocks_[index];
  const Index gone = block.next;
  block.size += blocks_[gone].size;
  block.next = blocks_[gone].next;
  if (block.next != kNone) blocks_[block.next].previous = index;
  unused_.push_back(gone);
}

void CachingAllocator::put_back_waiting(HostPoint at) {
  while (!waiting_.empty() && waiting_.top().until_ns <= at.time_ns) {
    const Index index = waiting_.top().block;
    waiting_.pop();
    put_back(index, at);
  }
}

CachingAllocator::Index CachingAllocator::new_block() {
  if (!unused_.empty()) {
    const Index index = unused_.back();
    unused_.pop_back();
    return index;
  }
  blocks_.emplace_back();
  return static_cast<Index>(blocks_.size() - 1);
}

void CachingAllocator::report(const Block& block, MemoryEvent event, HostPoint at) {
  log_->memory(at.time_ns,
               {.address = static_cast<std::int64_t>(block.address),
                .time = 0,
                .size = event == MemoryEvent::kMalloc ? block.size : -block.size,
                .total_allocated = totals_.allocated_bytes,
                .total_reserved = totals_.reserved_bytes,
                .total_active = totals_.active_bytes,
                .stream = block.stream,
                .device_type = static_cast<std::int8_t>(format::framework::DeviceType::kNpu),
                .device_index = device_index_,
                .component = static_cast<std::uint8_t>(
                    format::framework::MemoryComponent::kCachingAllocator),
                .event = static_cast<std::uint8_t>(event),
                .allocator = static_cast<std::uint8_t>(format::framework::MemoryAllocator::kInner),
                .thread_id = at.thread_id,
                .process_id = 0});
}

}  // namespace npuprof::sim
