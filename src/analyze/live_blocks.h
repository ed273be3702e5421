#pragma once

#include <cstdint>
#include <unordered_map>

#include "analyze/tensor_flow.h"

namespace npuprof::analyze {

// Which block lies at an address at the moment.
class LiveBlocks {
 public:
  explicit LiveBlocks(MemoryBlocks& blocks) : blocks_(blocks) {}

  // The block at an address, one from before the profile if none is known.
  std::uint32_t at(MemoryDevice device, std::uint64_t address) {
    const auto [found, is_new] = live_.try_emplace({address, device}, Live{});
    if (is_new) found->second.block = add(device, kBeforeProfile);
    return found->second.block;
  }

  // A new block. The workspace allocator tells of a block when it reserves it and again when it is
  // used: `nested` for such. Else a block that was there has gone unseen.
  std::uint32_t allocate(MemoryDevice device, std::uint64_t address, std::int64_t bytes,
                         std::int64_t time_ns, bool nested) {
    const auto [found, is_new] = live_.try_emplace({address, device}, Live{});
    if (!is_new && nested) {
      ++found->second.depth;
      return trace::kNone;
    }
    if (!is_new) blocks_.free_ns[found->second.block] = time_ns;
    found->second = {.block = add(device, time_ns), .depth = 1};
    blocks_.bytes[found->second.block] = bytes;
    return found->second.block;
  }

  // The block that ends, trace::kNone if it is still reserved.
  std::uint32_t release(MemoryDevice device, std::uint64_t address, std::int64_t bytes,
                        std::int64_t time_ns) {
    const std::uint32_t block = at(device, address);
    const auto found = live_.find({address, device});
    if (found->second.depth > 1) {
      --found->second.depth;
      return trace::kNone;
    }
    live_.erase(found);
    blocks_.free_ns[block] = time_ns;
    // The allocator rounds up, so it knows better than the tensors.
    if (blocks_.malloc_ns[block] == kBeforeProfile) blocks_.bytes[block] = bytes;
    return block;
  }

 private:
  struct Place {
    std::uint64_t address;
    MemoryDevice device;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const {
      const std::uint64_t device =
          std::uint64_t{place.device.type} << 8 | static_cast<std::uint8_t>(place.device.index);
      return (place.address ^ device << 48) * 0x9E3779B97F4A7C15u >> 7;
    }
  };
  struct Live {
    std::uint32_t block = trace::kNone;
    std::uint32_t depth = 1;
  };

  std::uint32_t add(MemoryDevice device, std::int64_t malloc_ns) {
    blocks_.device.push_back(device);
    blocks_.bytes.push_back(0);
    blocks_.malloc_ns.push_back(malloc_ns);
    blocks_.free_ns.push_back(kAfterProfile);
    blocks_.is_tensor.push_back(0);
    blocks_.versions.push_back(1);
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  }

  MemoryBlocks& blocks_;
  std::unordered_map<Place, Live, PlaceHash> live_;
};

}  // namespace npuprof::analyze
