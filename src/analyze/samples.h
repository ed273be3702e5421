#pragma once

// What was sampled at intervals (memory, bandwidth, links, frequency, host usage) as numbers to
// look at: raw counts become rates, ids become names. One `Samples` per kind; the result files are
// written from these.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// The values of a row, in order. MB are 2^20 bytes.
enum class SampleKind : std::uint8_t {
  kFrequency,     // MHz. Unit: die, where a chip has several.
  kVoltage,       // mV. Label: which voltage.
  kHbm,           // MB/s. Unit: memory, label: Read or Write.
  kLlc,           // Hit rate (0 to 1), MB/s. Unit: slice, label: Read or Write.
  kDdr,           // Read MB/s, write MB/s.
  kDeviceMemory,  // Bytes in DDR, in HBM, in both. Label: APP or Device.
  kModuleMemory,  // Bytes, -1 = unknown. Unit and label: the component of CANN.
  kHccs,          // Sent MB/s, received MB/s.
  kPcie,          // Bytes/us, except latency in ns, as LinkKind::kPcie.
  kNic,           // See NetworkValue. Unit: port.
  kRoce,          // As kNic.
  kNetdev,        // Increase of the counters; after each count of MAC and NIC bytes its rate.
  kUb,            // Received MB/s, sent MB/s. Unit: port.
  kSio,           // MB/s: req, rsp, snp, dat received, then sent. Label: die.
  kQos,           // MB/s. Label: stream, unit: die, where a chip has several.
  kAccPmu,        // Read and write bandwidth, read and write outstanding. Unit: accelerator.
  kSocLevel,      // L2 buffer level, mata level.
  kPaLink,        // Received, sent; raw. Unit: link.
  kPcieTransfer,  // Read, written; raw. Unit: PCIe or die. Label: its name.
  kDvpp,          // As LinkKind::kDvpp. Unit: DVPP.
  kCcuChannel,    // Greatest, least and mean MB/s. Unit: channel.
  kCoreUsage,     // Cycles, percent busy, nominal MHz. Unit: core, label: AIC or AIV.
  kCoreAverage,   // Percent busy, mean of all cores. Label: AIC or AIV.
  kCpu,           // Percent. Unit: CPU.
  kCpuAverage,    // Percent of all CPUs.
  kHostMemory,    // Percent.
  kDisk,          // Percent, read KB/s, written KB/s.
  kNetwork,       // Percent, KB/s.
};

// Values of kNic and kRoce: those of the record, then what follows from them.
enum NetworkValue : std::uint8_t {
  kBandwidth,  // MB/s
  kRxPacketRate,
  kRxByteRate,
  kRxPackets,
  kRxBytes,
  kRxErrors,
  kRxDropped,
  kTxPacketRate,
  kTxByteRate,
  kTxPackets,
  kTxBytes,
  kTxErrors,
  kTxDropped,
  kRxDroppedRate,  // Of all packets, 0 to 1.
  kRxErrorRate,
  kRxEfficiency,  // Of the bandwidth, 0 to 1.
  kTxDroppedRate,
  kTxErrorRate,
  kTxEfficiency,
  kNetworkValues,
};

struct Samples {
  SampleKind kind{};
  std::size_t width = 0;  // Values per row.
  std::vector<std::int64_t> time_ns;
  std::vector<std::uint16_t> device;  // 0 for samples of the host.
  std::vector<std::uint32_t> unit;    // trace::kNone = there is but one.
  std::vector<std::uint32_t> label;   // Index into labels.
  std::vector<double> values;         // NaN: the first of its unit, a rate needs two.
  std::vector<std::string> labels;

  std::size_t size() const { return time_ns.size(); }
  std::span<const double> row(std::size_t i) const {
    return std::span(values).subspan(i * width, width);
  }
  void add(std::int64_t time, std::uint16_t of_device, std::uint32_t of_unit,
           std::string_view with_label, std::span<const double> row_values);
  void add(std::int64_t time, std::uint16_t of_device, std::uint32_t of_unit,
           std::string_view with_label, std::initializer_list<double> row_values) {
    add(time, of_device, of_unit, with_label, std::span(row_values.begin(), row_values.size()));
  }
};

// All kinds that have rows, in the order of SampleKind. Samples from before the collection began
// are left out.
std::vector<Samples> samples(const trace::Trace& trace);

// Null if there are none of that kind.
const Samples* find_samples(std::span<const Samples> all, SampleKind kind);

}  // namespace npuprof::analyze
