#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

// Meaning of LinkSamples::values, in order.
enum class LinkKind : std::uint8_t {
  kPcie,  // 21 numbers: tx post, tx non-post, tx completion, tx latency, rx post, rx non-post, rx
          // completion, each min, max, average.
  kHccs,  // tx bytes, rx bytes, cumulative.
  kNic,  // bandwidth, then rx packet rate, byte rate, packets, bytes, errors, dropped, tx likewise.
  kRoce,       // As kNic.
  kNetdev,     // The 15 cumulative counters in file order.
  kUb,         // The 14 numbers after the time.
  kSio,        // req, rsp, snp, dat received, then sent; bytes since the previous sample.
  kQos,        // Bandwidths of the configured streams in their order, at most ten.
  kAccPmu,     // Read and write bandwidth, read and write outstanding.
  kPaLink,     // rx, tx.
  kPcieTrans,  // write, read.
  kSocLevel,   // L2 buffer level, mata level.
  kDvpp,       // Engine type, engine id, all time, all frames, utilisation, proc time, frames,
               // utilisation.
};
inline constexpr std::size_t kLinkValues = 21;
using LinkValues = std::array<double, kLinkValues>;

// PCIe, HCCS, NIC, RoCE, UB, SIO, QoS, ACC PMU, chip transport and SoC level samples. `values` has
// kLinkValues numbers per row whose meaning depends on `kind` (see LinkKind).
struct LinkSamples {
  NPUPROF_TABLE(LinkSamples);
  NPUPROF_COLUMN(Time, time_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(std::uint8_t, kind);   // LinkKind.
  NPUPROF_COLUMN(std::uint32_t, unit);  // Port, die or accelerator.
  NPUPROF_COLUMN(LinkValues, values);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
