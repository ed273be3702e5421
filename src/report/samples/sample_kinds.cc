#include "report/samples/sample_kinds.h"

#include <algorithm>
#include <cmath>

#include "analyze/sample_tables.h"
#include "base/units.h"
#include "format/device/links.h"

namespace npuprof::report {
namespace {

using analyze::SampleKind;
using enum From;

using format::results::kI;
using format::results::kN;
using format::results::kR;

// The database counts in bytes and bytes per second.
constexpr double kToBytes = analyze::kBytesPerMegabyte;
constexpr double kToKilobytes = 1.0 / 1024;
constexpr double kPerSecond = 1e6;  // Of bytes per microsecond.
constexpr double kToMegabytesPerSecond = kPerSecond / analyze::kBytesPerMegabyte;

constexpr Layer host_layer(std::string_view name, std::uint32_t index) {
  return {name, index, true};
}
constexpr Layer device_layer(std::string_view name, std::uint32_t index) {
  return {name, index, false};
}

// A value that has its own table and one counter of its own name.
std::vector<SampleDescription> host_kinds() {
  const SampleColumn time{"timestampNs", kN, kTime};
  const SampleColumn usage{"usage", kN, kValue};
  return {
      {.kind = SampleKind::kCpu,
       .layer = host_layer("CPU Usage", 9),
       .counters = {{"CPU {unit}", "Usage(%)", 0}},
       .table = "CPU_USAGE",
       .columns = {time, {"cpuId", kN, kUnit}, usage}},
      {.kind = SampleKind::kCpuAverage,
       .layer = host_layer("CPU Usage", 9),
       .counters = {{"CPU Avg", "Usage(%)", 0}}},
      {.kind = SampleKind::kHostMemory,
       .layer = host_layer("Memory Usage", 10),
       .counters = {{"Memory Usage", "Usage(%)", 0}},
       .table = "HOST_MEM_USAGE",
       .columns = {time, usage}},
      {.kind = SampleKind::kNetwork,
       .layer = host_layer("Network Usage", 11),
       .counters = {{"Network Usage", "Usage(%)", 0}},
       .table = "HOST_NETWORK_USAGE",
       .columns = {time, usage, {"speed", kN, kValue, 1}}},
      {.kind = SampleKind::kDisk,
       .layer = host_layer("Disk Usage", 12),
       .counters = {{"Disk Usage", "Usage(%)", 0}},
       .table = "HOST_DISK_USAGE",
       .columns = {time, {"readRate", kN, kValue, 1}, {"writeRate", kN, kValue, 2}, usage}},
  };
}

std::vector<SampleDescription> clock_kinds() {
  return {
      {.kind = SampleKind::kFrequency,
       .layer = device_layer("AI Core Freq", 15),
       .counters = {{"AI Core Freq{label}", "MHz", 0}},
       .table = "AICORE_FREQ",
       .columns = {{"deviceId", kI, kDevice},
                   {"timestampNs", kN, kTime},
                   {"freq", kI, kValue},
                   {"dieId", kN, kUnit}}},
      // The vendor's index 16 is taken by another layer in exports of tasks.
      {.kind = SampleKind::kVoltage,
       .layer = device_layer("Voltage Info", 36),
       .counters = {{"{label}", "mV", 0}}},
  };
}

std::vector<SampleDescription> memory_kinds() {
  return {
      {.kind = SampleKind::kDeviceMemory,
       .layer = device_layer("NPU MEM", 17),
       .counters = {{"{label}/DDR", "KB", 0, kToKilobytes},
                    {"{label}/HBM", "KB", 1, kToKilobytes},
                    {"{label}/Memory", "KB", 2, kToKilobytes}},
       .table = "NPU_MEM",
       .columns = {{"type", kI, kLowerLabel},
                   {"ddr", kN, kValue, 0},
                   {"hbm", kN, kValue, 1},
                   {"timestampNs", kI, kTime},
                   {"deviceId", kI, kDevice}},
       .csv = "npu_mem",
       .cells = {{"Device_id", kDevice},
                 {"event", kLabel},
                 {"ddr(KB)", kValue, 0, kToKilobytes},
                 {"hbm(KB)", kValue, 1, kToKilobytes},
                 {"memory(KB)", kValue, 2, kToKilobytes},
                 {"timestamp(us)", kTime}}},
      {.kind = SampleKind::kModuleMemory,
       .table = "NPU_MODULE_MEM",
       .columns = {{"moduleId", kI, kUnit},
                   {"timestampNs", kI, kTime},
                   {"totalReserved", kN, kValue},
                   {"deviceId", kI, kDevice}},
       .csv = "npu_module_mem",
       .cells = {{"Device_id", kDevice},
                 {"Component", kLabel},
                 {"Timestamp(us)", kTime},
                 {"Total Reserved(KB)", kValue, 0, kToKilobytes},
                 {"Device", kDeviceName}}},
      {.kind = SampleKind::kDdr,
       .layer = device_layer("DDR", 18),
       .counters = {{"DDR/Read", "Read(MB/s)", 0}, {"DDR/Write", "Write(MB/s)", 1}},
       .table = "DDR",
       .columns = {{"deviceId", kI, kDevice},
                   {"timestampNs", kI, kTime},
                   {"read", kN, kValue, 0, kToBytes},
                   {"write", kN, kValue, 1, kToBytes}}},
      {.kind = SampleKind::kHbm,
       .layer = device_layer("HBM", 24),
       .counters = {{"HBM {unit}/{label}", "{label}(MB/s)", 0}},
       .table = "HBM",
       .columns = {{"deviceId", kI, kDevice},
                   {"timestampNs", kI, kTime},
                   {"bandwidth", kN, kValue, 0, kToBytes},
                   {"hbmId", kI, kUnit},
                   {"type", kI, kLowerLabel}}},
      {.kind = SampleKind::kLlc,
       .layer = device_layer("LLC", 27),
       .counters = {{"LLC {unit} {label}/Hit Rate", "Hit Rate(%)", 0},
                    {"LLC {unit} {label}/Throughput", "Throughput(MB/s)", 1}},
       .table = "LLC",
       .columns = {{"deviceId", kI, kDevice},
                   {"llcId", kI, kUnit},
                   {"timestampNs", kI, kTime},
                   {"hitRate", kR, kValue, 0, kPercent},
                   {"throughput", kI, kValue, 1, kToBytes},
                   {"mode", kI, kLowerLabel}}},
  };
}

SampleDescription network_kind(SampleKind kind, std::string_view layer, std::uint32_t index,
                               std::string_view table) {
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
          .table = table,
          .columns = {{"deviceId", kI, kDevice},
                      {"timestampNs", kI, kTime},
                      {"bandwidth", kI, kValue, kBandwidth, kToBytes},
                      {"rxPacketRate", kN, kValue, kRxPacketRate},
                      {"rxByteRate", kN, kValue, kRxByteRate},
                      {"rxPackets", kI, kValue, kRxPackets},
                      {"rxBytes", kI, kValue, kRxBytes},
                      {"rxErrors", kI, kValue, kRxErrors},
                      {"rxDropped", kI, kValue, kRxDropped},
                      {"txPacketRate", kN, kValue, kTxPacketRate},
                      {"txByteRate", kN, kValue, kTxByteRate},
                      {"txPackets", kI, kValue, kTxPackets},
                      {"txBytes", kI, kValue, kTxBytes},
                      {"txErrors", kI, kValue, kTxErrors},
                      {"txDropped", kI, kValue, kTxDropped},
                      {"funcId", kI, kUnit}}};
}

SampleDescription pcie_kind() {
  SampleDescription pcie{.kind = SampleKind::kPcie,
                         .layer = device_layer("PCIe", 23),
                         .counters = {{"PCIe_cpl", "Tx", 8, kToMegabytesPerSecond},
                                      {"PCIe_cpl", "Rx", 20, kToMegabytesPerSecond},
                                      {"PCIe_nonpost", "Tx", 5, kToMegabytesPerSecond},
                                      {"PCIe_nonpost", "Rx", 17, kToMegabytesPerSecond},
                                      {"PCIe_nonpost_latency", "Tx", 11, 0.001},
                                      {"PCIe_nonpost_latency", "Rx", 11, 0},  // Not measured.
                                      {"PCIe_post", "Tx", 2, kToMegabytesPerSecond},
                                      {"PCIe_post", "Rx", 14, kToMegabytesPerSecond}},
                         .table = "PCIE",
                         .columns = {{"deviceId", kI, kDevice}, {"timestampNs", kI, kTime}}};
  std::uint8_t value = 0;
  for (const std::string_view name : format::device::kPcieValueNames) {
    const bool is_latency = name.starts_with("txNonpostLatency");
    pcie.columns.push_back({name, kN, kValue, value++, is_latency ? 1 : kPerSecond});
  }
  return pcie;
}

SampleDescription netdev_kind() {
  SampleDescription netdev{.kind = SampleKind::kNetdev,
                           .table = "NETDEV_STATS",
                           .columns = {{"deviceId", kI, kDevice}, {"timestampNs", kI, kTime}}};
  static constexpr std::string_view kNames[] = {
      "macTxPfcPkt",    "macRxPfcPkt",    "macTxByte",    "macTxBandwidth", "macRxByte",
      "macRxBandwidth", "macTxBadByte",   "macRxBadByte", "roceTxPkt",      "roceRxPkt",
      "roceTxErrPkt",   "roceRxErrPkt",   "roceTxCnpPkt", "roceRxCnpPkt",   "roceNewPktRty",
      "nicTxByte",      "nicTxBandwidth", "nicRxByte",    "nicRxBandwidth"};
  std::uint8_t value = 0;
  for (const std::string_view name : kNames) {
    netdev.columns.push_back({name, name.ends_with("Bandwidth") ? kN : kI, kValue, value++});
  }
  return netdev;
}

SampleDescription sio_kind() {
  SampleDescription sio{
      .kind = SampleKind::kSio,
      .layer = device_layer("SIO", 28),
      .table = "SIO",
      .columns = {{"deviceId", kN, kDevice}, {"name", kI, kLabel}, {"timestampNs", kN, kTime}}};
  static constexpr std::string_view kCounters[] = {"req_rx", "rsp_rx", "snp_rx", "dat_rx",
                                                   "req_tx", "rsp_tx", "snp_tx", "dat_tx"};
  static constexpr std::string_view kColumns[] = {"rxReq", "rxRsp", "rxSnp", "rxDat",
                                                  "txReq", "txRsp", "txSnp", "txDat"};
  std::uint8_t value = 0;
  for (const std::string_view counter : kCounters) {
    sio.counters.push_back({counter, "{label}", value});
    sio.columns.push_back({kColumns[value], kN, kValue, value, kToBytes});
    ++value;
  }
  return sio;
}

std::vector<SampleDescription> link_kinds() {
  return {
      {.kind = SampleKind::kHccs,
       .layer = device_layer("HCCS", 20),
       .counters = {{"Rx", "Rx(MB/s)", 1}, {"Tx", "Tx(MB/s)", 0}},
       .table = "HCCS",
       .columns = {{"deviceId", kI, kDevice},
                   {"timestampNs", kI, kTime},
                   {"txThroughput", kN, kValue, 0, kToBytes},
                   {"rxThroughput", kN, kValue, 1, kToBytes}}},
      network_kind(SampleKind::kNic, "NIC", 21, "NIC"),
      network_kind(SampleKind::kRoce, "RoCE", 22, "ROCE"),
      pcie_kind(),
      netdev_kind(),
      sio_kind(),
      {.kind = SampleKind::kUb,
       .layer = device_layer("Ub", 33),
       .counters = {{"UB Port{unit3}", "bandwidth_rx(MB/s)", 0},
                    {"UB Port{unit3}", "bandwidth_tx(MB/s)", 1}},
       .table = "UB",
       .columns = {{"deviceId", kN, kDevice},
                   {"portId", kN, kUnit},
                   {"timestampNs", kN, kTime},
                   {"rxUdmaBind", kN, kValue, 0},
                   {"txUdmaBind", kN, kValue, 1}},
       .csv = "ub",
       .cells = {{"Device_id", kDevice},
                 {"PortId", kUnit},
                 {"TimeStamp", kTime},
                 {"UBRxPortBandWidth(MB/s)", kValue, 0},
                 {"UBTxPortBandWidth(MB/s)", kValue, 1}}},
      {.kind = SampleKind::kCcuChannel,
       .csv = "ccu_channel",
       .cells = {{"Device_id", kDevice},
                 {"Channel Id", kUnit},
                 {"Timestamp(us)", kTime},
                 {"Max Bandwidth(MB/s)", kValue, 0},
                 {"Min Bandwidth(MB/s)", kValue, 1},
                 {"Avg Bandwidth(MB/s)", kValue, 2}}},
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
       .table = "ACC_PMU",
       .columns = {{"accId", kI, kUnit},
                   {"readBwLevel", kI, kValue, 0},
                   {"writeBwLevel", kI, kValue, 1},
                   {"readOstLevel", kI, kValue, 2},
                   {"writeOstLevel", kI, kValue, 3},
                   {"timestampNs", kN, kTime},
                   {"deviceId", kI, kDevice}}},
      {.kind = SampleKind::kSocLevel,
       .layer = device_layer("Stars Soc Info", 25),
       .counters = {{"L2 Buffer Bw Level", "L2 Buffer Bw Level", 0},
                    {"Mata Bw Level", "Mata Bw Level", 1}},
       .table = "SOC_BANDWIDTH_LEVEL",
       .columns = {{"l2BufferBwLevel", kI, kValue, 0},
                   {"mataBwLevel", kI, kValue, 1},
                   {"timestampNs", kN, kTime},
                   {"deviceId", kI, kDevice}}},
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
       .table = "QOS",
       .columns = {{"deviceId", kI, kDevice},
                   {"eventName", kI, kLabel},
                   {"bandwidth", kN, kValue, 0, kToBytes},
                   {"timestampNs", kN, kTime},
                   {"dieId", kN, kUnit}}},
  };
}

// Runs in which the cores are sampled instead of each kernel.
std::vector<SampleDescription> core_kinds() {
  return {
      {.kind = SampleKind::kCoreUsage,
       .layer = device_layer("AI Core Utilization", 37),
       .counters = {{"{label} Core {unit}", "Utilization(%)", 1}},
       .table = "SAMPLE_PMU_TIMELINE",
       .columns = {{"deviceId", kI, kDevice},
                   {"timestampNs", kI, kTime},
                   {"totalCycle", kI, kValue, 0},
                   {"usage", kN, kValue, 1},
                   {"freq", kN, kValue, 2},
                   {"coreId", kI, kUnit},
                   {"coreType", kI, kLabel}}},
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
