#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Meaning of RateSamples::values, in order.
enum class RateKind : std::uint8_t {
  kHbm,     // MB/s.
  kLlc,     // Hit rate (0 to 1), MB/s.
  kDdr,     // Read MB/s, write MB/s.
  kHccs,    // Sent MB/s, received MB/s.
  kUb,      // Received MB/s, sent MB/s.
  kSio,     // MB/s: req, rsp, snp, dat received, then sent.
  kQos,     // MB/s.
  kNetdev,  // The 15 counters, after each count of MAC and NIC bytes its rate.
};
inline constexpr std::size_t kRateValues = 19;
using RateValues = std::array<double, kRateValues>;

// What results give as rates, where raw data has counts: MemoryBandwidth and those LinkSamples that
// need the sample before. `values` depend on `kind` (see RateKind). MB are 2^20 bytes.
struct RateSamples {
  NPUPROF_TABLE(RateSamples);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, kind);  // RateKind.
  // Memory, cache slice, port or die; kNone = there is but one.
  NPUPROF_COLUMN(std::uint32_t, unit);
  NPUPROF_COLUMN(Text, label);  // Read or Write, stream, or die.
  NPUPROF_COLUMN(RateValues, values);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
