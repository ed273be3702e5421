#pragma once

// Tables of what was sampled at intervals: when, where, and some values. Those who write them and
// those who read them go through the same columns.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/units.h"
#include "format/device/links.h"
#include "format/results/column.h"

namespace npuprof::format::results {

// Where a column takes its content from.
enum class From : std::uint8_t {
  kDevice,
  kDeviceName,  // "NPU:0"
  kTime,
  kUnit,
  kLabel,
  kLowerLabel,  // "read" of the label "Read".
  kValue,
};

// A column of a database.
struct SampledColumn {
  std::string_view name;
  Affinity affinity = Affinity::kInteger;
  From from = From::kValue;
  std::uint8_t value = 0;  // Which of the values of a sample,
  double scale = 1;        // times this.
};

struct SampleTable {
  std::string_view name;  // Empty: not in the database.
  std::span<const SampledColumn> columns;

  // The column of that content; null if the table has none.
  constexpr const SampledColumn* find(From from, std::uint8_t value = 0) const {
    for (const SampledColumn& column : columns) {
      if (column.from == from && column.value == value) return &column;
    }
    return nullptr;
  }
  // Its name; an empty one for a column that is not there.
  constexpr std::string_view name_of(From from, std::uint8_t value = 0) const {
    const SampledColumn* column = find(from, value);
    return column == nullptr ? std::string_view() : column->name;
  }
};

// A column of a text file with a line per sample.
struct SampledCell {
  std::string_view header;
  From from = From::kValue;
  std::uint8_t value = 0;
  double scale = 1;       // Not of negative values, which say that nothing is known.
  bool shortest = false;  // All digits ("48.0"), else three decimals without zeros at the end.
};

struct SampleFile {
  std::string_view name;  // Stem; empty: no such file.
  std::span<const SampledCell> cells;

  constexpr std::string_view header_of(From from, std::uint8_t value = 0) const {
    for (const SampledCell& cell : cells) {
      if (cell.from == from && cell.value == value) return cell.header;
    }
    return {};
  }
};

// The database counts in bytes and bytes per second.
inline constexpr double kToBytes = kMegabyte;
inline constexpr double kToKilobytes = 1 / kKilobyte;
inline constexpr double kToMegabytes = 1 / kMegabyte;
inline constexpr double kPerSecond = 1e6;  // Of bytes per microsecond.

namespace samples {

using enum From;

inline constexpr SampledColumn kCpuColumns[] = {
    {"timestampNs", kN, kTime}, {"cpuId", kN, kUnit}, {"usage", kN, kValue}};
inline constexpr SampleTable kCpu{"CPU_USAGE", kCpuColumns};

inline constexpr SampledColumn kHostMemoryColumns[] = {{"timestampNs", kN, kTime},
                                                       {"usage", kN, kValue}};
inline constexpr SampleTable kHostMemory{"HOST_MEM_USAGE", kHostMemoryColumns};

inline constexpr SampledColumn kNetworkColumns[] = {
    {"timestampNs", kN, kTime}, {"usage", kN, kValue}, {"speed", kN, kValue, 1}};
inline constexpr SampleTable kNetwork{"HOST_NETWORK_USAGE", kNetworkColumns};

inline constexpr SampledColumn kDiskColumns[] = {{"timestampNs", kN, kTime},
                                                 {"readRate", kN, kValue, 1},
                                                 {"writeRate", kN, kValue, 2},
                                                 {"usage", kN, kValue}};
inline constexpr SampleTable kDisk{"HOST_DISK_USAGE", kDiskColumns};

inline constexpr SampledColumn kFrequencyColumns[] = {{"deviceId", kI, kDevice},
                                                      {"timestampNs", kN, kTime},
                                                      {"freq", kI, kValue},
                                                      {"dieId", kN, kUnit}};
inline constexpr SampleTable kFrequency{"AICORE_FREQ", kFrequencyColumns};

inline constexpr SampledColumn kDeviceMemoryColumns[] = {{"type", kI, kLowerLabel},
                                                         {"ddr", kN, kValue, 0},
                                                         {"hbm", kN, kValue, 1},
                                                         {"timestampNs", kI, kTime},
                                                         {"deviceId", kI, kDevice}};
inline constexpr SampleTable kDeviceMemory{"NPU_MEM", kDeviceMemoryColumns};
inline constexpr SampledCell kDeviceMemoryCells[] = {{"Device_id", kDevice},
                                                     {"event", kLabel},
                                                     {"ddr(KB)", kValue, 0, kToKilobytes},
                                                     {"hbm(KB)", kValue, 1, kToKilobytes},
                                                     {"memory(KB)", kValue, 2, kToKilobytes},
                                                     {"timestamp(us)", kTime}};
inline constexpr SampleFile kDeviceMemoryFile{"npu_mem", kDeviceMemoryCells};

inline constexpr SampledColumn kModuleMemoryColumns[] = {{"moduleId", kI, kUnit},
                                                         {"timestampNs", kI, kTime},
                                                         {"totalReserved", kN, kValue},
                                                         {"deviceId", kI, kDevice}};
inline constexpr SampleTable kModuleMemory{"NPU_MODULE_MEM", kModuleMemoryColumns};
inline constexpr SampledCell kModuleMemoryCells[] = {
    {"Device_id", kDevice},
    {"Component", kLabel},
    {"Timestamp(us)", kTime},
    {"Total Reserved(KB)", kValue, 0, kToKilobytes},
    {"Device", kDeviceName}};
inline constexpr SampleFile kModuleMemoryFile{"npu_module_mem", kModuleMemoryCells};
// Frameworks count in MB.
inline constexpr SampledCell kFrameworkModuleMemoryCells[] = {
    {"Device_id", kDevice},
    {"Component", kLabel},
    {"Timestamp(us)", kTime},
    {"Total Reserved(MB)", kValue, 0, kToMegabytes, true},
    {"Device", kDeviceName}};
inline constexpr SampleFile kFrameworkModuleMemoryFile{"npu_module_mem",
                                                       kFrameworkModuleMemoryCells};

inline constexpr SampledColumn kDdrColumns[] = {{"deviceId", kI, kDevice},
                                                {"timestampNs", kI, kTime},
                                                {"read", kN, kValue, 0, kToBytes},
                                                {"write", kN, kValue, 1, kToBytes}};
inline constexpr SampleTable kDdr{"DDR", kDdrColumns};

inline constexpr SampledColumn kHbmColumns[] = {{"deviceId", kI, kDevice},
                                                {"timestampNs", kI, kTime},
                                                {"bandwidth", kN, kValue, 0, kToBytes},
                                                {"hbmId", kI, kUnit},
                                                {"type", kI, kLowerLabel}};
inline constexpr SampleTable kHbm{"HBM", kHbmColumns};

inline constexpr SampledColumn kLlcColumns[] = {{"deviceId", kI, kDevice},
                                                {"llcId", kI, kUnit},
                                                {"timestampNs", kI, kTime},
                                                {"hitRate", kR, kValue, 0, kPercent},
                                                {"throughput", kI, kValue, 1, kToBytes},
                                                {"mode", kI, kLowerLabel}};
inline constexpr SampleTable kLlc{"LLC", kLlcColumns};

inline constexpr SampledColumn kHccsColumns[] = {{"deviceId", kI, kDevice},
                                                 {"timestampNs", kI, kTime},
                                                 {"txThroughput", kN, kValue, 0, kToBytes},
                                                 {"rxThroughput", kN, kValue, 1, kToBytes}};
inline constexpr SampleTable kHccs{"HCCS", kHccsColumns};

// Ports of the network, by NIC and by RoCE.
inline constexpr SampledColumn kPortColumns[] = {{"deviceId", kI, kDevice},
                                                 {"timestampNs", kI, kTime},
                                                 {"bandwidth", kI, kValue, 0, kToBytes},
                                                 {"rxPacketRate", kN, kValue, 1},
                                                 {"rxByteRate", kN, kValue, 2},
                                                 {"rxPackets", kI, kValue, 3},
                                                 {"rxBytes", kI, kValue, 4},
                                                 {"rxErrors", kI, kValue, 5},
                                                 {"rxDropped", kI, kValue, 6},
                                                 {"txPacketRate", kN, kValue, 7},
                                                 {"txByteRate", kN, kValue, 8},
                                                 {"txPackets", kI, kValue, 9},
                                                 {"txBytes", kI, kValue, 10},
                                                 {"txErrors", kI, kValue, 11},
                                                 {"txDropped", kI, kValue, 12},
                                                 {"funcId", kI, kUnit}};
inline constexpr SampleTable kNic{"NIC", kPortColumns};
inline constexpr SampleTable kRoce{"ROCE", kPortColumns};

inline constexpr auto kPcieColumns = [] {
  std::array<SampledColumn, 2 + device::kPcieValueNames.size()> columns{
      {{"deviceId", kI, kDevice}, {"timestampNs", kI, kTime}}};
  for (std::size_t value = 0; value < device::kPcieValueNames.size(); ++value) {
    const std::string_view name = device::kPcieValueNames[value];
    const bool is_latency = name.starts_with("txNonpostLatency");
    columns[2 + value] = {name, kN, kValue, static_cast<std::uint8_t>(value),
                          is_latency ? 1 : kPerSecond};
  }
  return columns;
}();
inline constexpr SampleTable kPcie{"PCIE", kPcieColumns};

inline constexpr SampledColumn kNetdevColumns[] = {
    {"deviceId", kI, kDevice},          {"timestampNs", kI, kTime},
    {"macTxPfcPkt", kI, kValue, 0},     {"macRxPfcPkt", kI, kValue, 1},
    {"macTxByte", kI, kValue, 2},       {"macTxBandwidth", kN, kValue, 3},
    {"macRxByte", kI, kValue, 4},       {"macRxBandwidth", kN, kValue, 5},
    {"macTxBadByte", kI, kValue, 6},    {"macRxBadByte", kI, kValue, 7},
    {"roceTxPkt", kI, kValue, 8},       {"roceRxPkt", kI, kValue, 9},
    {"roceTxErrPkt", kI, kValue, 10},   {"roceRxErrPkt", kI, kValue, 11},
    {"roceTxCnpPkt", kI, kValue, 12},   {"roceRxCnpPkt", kI, kValue, 13},
    {"roceNewPktRty", kI, kValue, 14},  {"nicTxByte", kI, kValue, 15},
    {"nicTxBandwidth", kN, kValue, 16}, {"nicRxByte", kI, kValue, 17},
    {"nicRxBandwidth", kN, kValue, 18}};
inline constexpr SampleTable kNetdev{"NETDEV_STATS", kNetdevColumns};

inline constexpr SampledColumn kSioColumns[] = {
    {"deviceId", kN, kDevice},          {"name", kI, kLabel},
    {"timestampNs", kN, kTime},         {"rxReq", kN, kValue, 0, kToBytes},
    {"rxRsp", kN, kValue, 1, kToBytes}, {"rxSnp", kN, kValue, 2, kToBytes},
    {"rxDat", kN, kValue, 3, kToBytes}, {"txReq", kN, kValue, 4, kToBytes},
    {"txRsp", kN, kValue, 5, kToBytes}, {"txSnp", kN, kValue, 6, kToBytes},
    {"txDat", kN, kValue, 7, kToBytes}};
inline constexpr SampleTable kSio{"SIO", kSioColumns};

inline constexpr SampledColumn kUbColumns[] = {{"deviceId", kN, kDevice},
                                               {"portId", kN, kUnit},
                                               {"timestampNs", kN, kTime},
                                               {"rxUdmaBind", kN, kValue, 0},
                                               {"txUdmaBind", kN, kValue, 1}};
inline constexpr SampleTable kUb{"UB", kUbColumns};
inline constexpr SampledCell kUbCells[] = {{"Device_id", kDevice},
                                           {"PortId", kUnit},
                                           {"TimeStamp", kTime},
                                           {"UBRxPortBandWidth(MB/s)", kValue, 0},
                                           {"UBTxPortBandWidth(MB/s)", kValue, 1}};
inline constexpr SampleFile kUbFile{"ub", kUbCells};

inline constexpr SampledCell kCcuChannelCells[] = {{"Device_id", kDevice},
                                                   {"Channel Id", kUnit},
                                                   {"Timestamp(us)", kTime},
                                                   {"Max Bandwidth(MB/s)", kValue, 0},
                                                   {"Min Bandwidth(MB/s)", kValue, 1},
                                                   {"Avg Bandwidth(MB/s)", kValue, 2}};
inline constexpr SampleFile kCcuChannelFile{"ccu_channel", kCcuChannelCells};

inline constexpr SampledColumn kAccPmuColumns[] = {{"accId", kI, kUnit},
                                                   {"readBwLevel", kI, kValue, 0},
                                                   {"writeBwLevel", kI, kValue, 1},
                                                   {"readOstLevel", kI, kValue, 2},
                                                   {"writeOstLevel", kI, kValue, 3},
                                                   {"timestampNs", kN, kTime},
                                                   {"deviceId", kI, kDevice}};
inline constexpr SampleTable kAccPmu{"ACC_PMU", kAccPmuColumns};

inline constexpr SampledColumn kSocLevelColumns[] = {{"l2BufferBwLevel", kI, kValue, 0},
                                                     {"mataBwLevel", kI, kValue, 1},
                                                     {"timestampNs", kN, kTime},
                                                     {"deviceId", kI, kDevice}};
inline constexpr SampleTable kSocLevel{"SOC_BANDWIDTH_LEVEL", kSocLevelColumns};

inline constexpr SampledColumn kQosColumns[] = {{"deviceId", kI, kDevice},
                                                {"eventName", kI, kLabel},
                                                {"bandwidth", kN, kValue, 0, kToBytes},
                                                {"timestampNs", kN, kTime},
                                                {"dieId", kN, kUnit}};
inline constexpr SampleTable kQos{"QOS", kQosColumns};

inline constexpr SampledColumn kCoreUsageColumns[] = {
    {"deviceId", kI, kDevice}, {"timestampNs", kI, kTime}, {"totalCycle", kI, kValue, 0},
    {"usage", kN, kValue, 1},  {"freq", kN, kValue, 2},    {"coreId", kI, kUnit},
    {"coreType", kI, kLabel}};
inline constexpr SampleTable kCoreUsage{"SAMPLE_PMU_TIMELINE", kCoreUsageColumns};

}  // namespace samples

}  // namespace npuprof::format::results
