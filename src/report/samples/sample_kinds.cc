#include "report/samples/sample_kinds.h"

#include <algorithm>
#include <cmath>

#include "analyze/sample_tables.h"
#include "format/results/timeline_names.h"

namespace npuprof::report {
namespace {

using analyze::SampleKind;
using format::results::kToKilobytes;

namespace samples = format::results::samples;

constexpr double kToMegabytesPerSecond =
    format::results::kPerSecond / analyze::kBytesPerMegabyte;  // Of bytes per microsecond.

constexpr Layer host_layer(std::string_view name, std::uint32_t index) {
  return {name, index, true};
}
constexpr Layer device_layer(std::string_view name, std::uint32_t index) {
  return {name, index, false};
}

// A value that has its own table and one counter of its own name.
std::vector<SampleDescription> host_kinds() {
  return {
      {.kind = SampleKind::kCpu,
       .layer = host_layer("CPU Usage", 9),
       .counters = {{"CPU {unit}", "Usage(%)", 0}},
       .table = samples::kCpu},
      {.kind = SampleKind::kCpuAverage,
       .layer = host_layer("CPU Usage", 9),
       .counters = {{"CPU Avg", "Usage(%)", 0}}},
      {.kind = SampleKind::kHostMemory,
       .layer = host_layer("Memory Usage", 10),
       .counters = {{"Memory Usage", "Usage(%)", 0}},
       .table = samples::kHostMemory},
      {.kind = SampleKind::kNetwork,
       .layer = host_layer("Network Usage", 11),
       .counters = {{"Network Usage", "Usage(%)", 0}},
       .table = samples::kNetwork},
      {.kind = SampleKind::kDisk,
       .layer = host_layer("Disk Usage", 12),
       .counters = {{"Disk Usage", "Usage(%)", 0}},
       .table = samples::kDisk},
  };
}

std::vector<SampleDescription> clock_kinds() {
  return {
      {.kind = SampleKind::kFrequency,
       .layer = device_layer(format::results::layer::kFrequency, 15),
       .counters = {{"AI Core Freq{label}", "MHz", 0}},
       .table = samples::kFrequency},
      // The vendor's index 16 is taken by another layer in exports of tasks.
      {.kind = SampleKind::kVoltage,
       .layer = device_layer("Voltage Info", 36),
       .counters = {{"{label}", "mV", 0}}},
  };
}

std::vector<SampleDescription> memory_kinds() {
  return {
      {.kind = SampleKind::kDeviceMemory,
       .layer = device_layer(format::results::layer::kDeviceMemory, 17),
       .counters = {{"{label}/DDR", "KB", 0, kToKilobytes},
                    {"{label}/HBM", "KB", 1, kToKilobytes},
                    {"{label}/Memory", "KB", 2, kToKilobytes}},
       .table = samples::kDeviceMemory,
       .file = samples::kDeviceMemoryFile},
      {.kind = SampleKind::kModuleMemory,
       .table = samples::kModuleMemory,
       .file = samples::kModuleMemoryFile},
      {.kind = SampleKind::kDdr,
       .layer = device_layer("DDR", 18),
       .counters = {{"DDR/Read", "Read(MB/s)", 0}, {"DDR/Write", "Write(MB/s)", 1}},
       .table = samples::kDdr},
      {.kind = SampleKind::kHbm,
       .layer = device_layer("HBM", 24),
       .counters = {{"HBM {unit}/{label}", "{label}(MB/s)", 0}},
       .table = samples::kHbm},
      {.kind = SampleKind::kLlc,
       .layer = device_layer("LLC", 27),
       .counters = {{"LLC {unit} {label}/Hit Rate", "Hit Rate(%)", 0},
                    {"LLC {unit} {label}/Throughput", "Throughput(MB/s)", 1}},
       .table = samples::kLlc},
  };
}

SampleDescription network_kind(SampleKind kind, std::string_view layer, std::uint32_t index,
                               const format::results::SampleTable& table) {
  using namespace analyze;  // NOLINT(google-build-using-namespace): the names of the values.
  return {.kind = kind,
          .layer = device_layer(layer, index),
          .counters = {{"Port {unit}/Rx", "Rx Dropped Rate", kRxDroppedRate},
                       {"Port {unit}/Rx", "Rx Error Rate", kRxErrorRate},
                       {"Port {unit}/Rx", "Rx Packets", kRxPacketRate},
                       {"Port {unit}/Rx", "Rx Bandwidth Efficiency", kRxEfficiency},
                       {"Port {unit}/Tx", "Tx Dropped Rate", kTxDroppedRate},
                       {"Port {unit}/Tx", "Tx Error Rate", kTxErrorRate},
                       {"Port {unit}/Tx", "Tx Packets", kTxPacketRate},
                       {"Port {unit}/Tx", "Tx Bandwidth Efficiency", kTxEfficiency}},
          .table = table};
}

SampleDescription pcie_kind() {
  return {.kind = SampleKind::kPcie,
          .layer = device_layer("PCIe", 23),
          .counters = {{"PCIe_cpl", "Tx", 8, kToMegabytesPerSecond},
                       {"PCIe_cpl", "Rx", 20, kToMegabytesPerSecond},
                       {"PCIe_nonpost", "Tx", 5, kToMegabytesPerSecond},
                       {"PCIe_nonpost", "Rx", 17, kToMegabytesPerSecond},
                       {"PCIe_nonpost_latency", "Tx", 11, 0.001},
                       {"PCIe_nonpost_latency", "Rx", 11, 0},  // Not measured.
                       {"PCIe_post", "Tx", 2, kToMegabytesPerSecond},
                       {"PCIe_post", "Rx", 14, kToMegabytesPerSecond}},
          .table = samples::kPcie};
}

SampleDescription sio_kind() {
  SampleDescription sio{
      .kind = SampleKind::kSio, .layer = device_layer("SIO", 28), .table = samples::kSio};
  std::uint8_t value = 0;
  for (const std::string_view counter :
       {"req_rx", "rsp_rx", "snp_rx", "dat_rx", "req_tx", "rsp_tx", "snp_tx", "dat_tx"}) {
    sio.counters.push_back({counter, "{label}", value++});
  }
  return sio;
}

std::vector<SampleDescription> link_kinds() {
  return {
      {.kind = SampleKind::kHccs,
       .layer = device_layer("HCCS", 20),
       .counters = {{"Rx", "Rx(MB/s)", 1}, {"Tx", "Tx(MB/s)", 0}},
       .table = samples::kHccs},
      network_kind(SampleKind::kNic, "NIC", 21, samples::kNic),
      network_kind(SampleKind::kRoce, "RoCE", 22, samples::kRoce),
      pcie_kind(),
      {.kind = SampleKind::kNetdev, .table = samples::kNetdev},
      sio_kind(),
      {.kind = SampleKind::kUb,
       .layer = device_layer("Ub", 33),
       .counters = {{"UB Port{unit3}", "bandwidth_rx(MB/s)", 0},
                    {"UB Port{unit3}", "bandwidth_tx(MB/s)", 1}},
       .table = samples::kUb,
       .file = samples::kUbFile},
      {.kind = SampleKind::kCcuChannel, .file = samples::kCcuChannelFile},
  };
}

std::vector<SampleDescription> chip_kinds() {
  return {
      {.kind = SampleKind::kAccPmu,
       .layer = device_layer("Acc PMU", 19),
       .counters = {{"read_bandwidth", "value", 0},
                    {"read_ost", "value", 2},
                    {"write_bandwidth", "value", 1},
                    {"write_ost", "value", 3}},
       .table = samples::kAccPmu},
      {.kind = SampleKind::kSocLevel,
       .layer = device_layer("Stars Soc Info", 25),
       .counters = {{"L2 Buffer Bw Level", "L2 Buffer Bw Level", 0},
                    {"Mata Bw Level", "Mata Bw Level", 1}},
       .table = samples::kSocLevel},
      {.kind = SampleKind::kPaLink,
       .layer = device_layer("Stars Chip Trans", 26),
       .counters = {{"PA Link Rx", "PA Link ID {unit}", 0},
                    {"PA Link Tx", "PA Link ID {unit}", 1}}},
      {.kind = SampleKind::kPcieTransfer,
       .layer = device_layer("Stars Chip Trans", 26),
       .counters = {{"PCIE Read Bandwidth", "{label}", 0}, {"PCIE Write Bandwidth", "{label}", 1}}},
      {.kind = SampleKind::kQos,
       .layer = device_layer("QoS", 29),
       .counters = {{"{label}", "{die}", 0}},
       .table = samples::kQos},
  };
}

// Runs in which the cores are sampled instead of each kernel.
std::vector<SampleDescription> core_kinds() {
  return {
      {.kind = SampleKind::kCoreUsage,
       .layer = device_layer("AI Core Utilization", 37),
       .counters = {{"{label} Core {unit}", "Utilization(%)", 1}},
       .table = samples::kCoreUsage},
      {.kind = SampleKind::kCoreAverage,
       .layer = device_layer("AI Core Utilization", 37),
       .counters = {{"{label} Average", "Utilization(%)", 0}}},
  };
}

std::vector<SampleDescription> describe_all() {
  std::vector<SampleDescription> all;
  for (auto&& group :
       {host_kinds(), clock_kinds(), memory_kinds(), link_kinds(), chip_kinds(), core_kinds()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace

std::int64_t whole_number(double value) {
  constexpr double kLargest = 9.2e18;
  return std::isnan(value) ? 0 : std::llround(std::clamp(value, -kLargest, kLargest));
}

std::span<const SampleDescription> sample_descriptions() {
  static const std::vector<SampleDescription> all = describe_all();
  return all;
}

const SampleDescription* find_sample_description(SampleKind kind) {
  for (const SampleDescription& description : sample_descriptions()) {
    if (description.kind == kind) return &description;
  }
  return nullptr;
}

}  // namespace npuprof::report
