#pragma once

// The parts of `samples`, one per group of raw tables.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "analyze/samples.h"

namespace npuprof::analyze {

inline constexpr double kBytesPerMegabyte = 1024.0 * 1024.0;
inline constexpr double kNsPerSecond = 1e9;
inline constexpr double kNoRate = std::numeric_limits<double>::quiet_NaN();

// Samples by kind while they are collected.
class SampleTables {
 public:
  Samples& of(SampleKind kind) {
    Samples& table = tables_[static_cast<std::size_t>(kind)];
    table.kind = kind;
    return table;
  }
  // The tables that have rows; leaves this empty.
  std::vector<Samples> take();

 private:
  std::array<Samples, static_cast<std::size_t>(SampleKind::kNetwork) + 1> tables_;
};

// From one time to another; 0 or less if the clock went back. Times of damaged records may lie
// anywhere, so this wraps.
inline std::int64_t interval_ns(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to_ns) -
                                   static_cast<std::uint64_t>(from_ns));
}

const trace::DeviceInfo* find_device(const trace::Trace& trace, std::uint16_t device);

void add_memory_samples(const trace::Trace& trace, SampleTables& tables);
void add_link_samples(const trace::Trace& trace, SampleTables& tables);
void add_rate_samples(const trace::Trace& trace, SampleTables& tables);
void add_core_samples(const trace::Trace& trace, SampleTables& tables);

}  // namespace npuprof::analyze
