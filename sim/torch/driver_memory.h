#pragma once

#include <cstdint>
#include <optional>

#include "format/framework/memory_usage.h"

namespace npuprof::sim {

// Where and when on the host something happens.
struct HostPoint {
  std::int64_t time_ns = 0;
  std::uint64_t thread_id = 0;
};

// Is told what an allocator does.
class MemoryLog {
 public:
  virtual ~MemoryLog() = default;
  virtual void memory(std::int64_t time_ns, format::framework::MemoryUsageFixed usage) = 0;
};

// Where allocators get segments of device memory from.
class SegmentSource {
 public:
  virtual ~SegmentSource() = default;
  // The address of `bytes` more; nothing if the device has less than that left.
  virtual std::optional<std::uint64_t> reserve(std::int64_t bytes) = 0;
  virtual void release(std::uint64_t address, std::int64_t bytes) = 0;
};

// The memory of one device as its driver hands it out, without memory behind it: each segment is at
// a new address.
class DriverMemory : public SegmentSource {
 public:
  explicit DriverMemory(std::int64_t capacity_bytes,
                        std::uint64_t first_address = 0x12C0'C000'0000ull)
      : capacity_bytes_(capacity_bytes), next_address_(first_address) {}

  std::optional<std::uint64_t> reserve(std::int64_t bytes) override {
    if (bytes > capacity_bytes_ - reserved_bytes_) return std::nullopt;
    reserved_bytes_ += bytes;
    const std::uint64_t address = next_address_;
    next_address_ += (static_cast<std::uint64_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
    return address;
  }
  void release(std::uint64_t, std::int64_t bytes) override { reserved_bytes_ -= bytes; }

  std::int64_t reserved_bytes() const { return reserved_bytes_; }

 private:
  static constexpr std::uint64_t kAlignment = 2 * 1024 * 1024;

  std::int64_t capacity_bytes_;
  std::int64_t reserved_bytes_ = 0;
  std::uint64_t next_address_;
};

}  // namespace npuprof::sim
