#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/host/control.h"
#include "sim/model/pmu.h"

namespace npuprof::sim {

enum class CollectionLevel : std::uint8_t { kNone, kLevel0, kLevel1, kLevel2 };

// What the host sampler watches (`host_sys`).
struct HostSystem {
  bool cpu = false;
  bool memory = false;
  bool disk = false;
  bool network = false;
  bool os_runtime = false;

  bool any() const { return cpu || memory || disk || network || os_runtime; }
  // "cpu,mem,disk,network,osrt" as far as chosen.
  std::string text() const;
};

// What a collection was asked for, as sample.json tells it.
struct CollectionOptions {
  CollectionLevel level = CollectionLevel::kLevel1;
  MetricSelection aic_metrics = {MetricGroup::kPipeUtilization, {}};
  bool l2_cache = false;
  bool sys_io = false;               // NIC and RoCE.
  bool sys_interconnection = false;  // PCIe and HCCS.
  bool memory = false;               // HBM, LLC and memory of device and process.
  bool mstx = false;
  bool op_attr = false;
  bool task_block = false;  // Counters of each block of a kernel.
  HostSystem host_sys;

  std::uint32_t memory_hz = 50;
  std::uint32_t sys_io_hz = 100;
  std::uint32_t sys_interconnection_hz = 50;
  std::uint32_t host_sys_hz = 50;

  bool runtime_api() const { return level == CollectionLevel::kLevel2; }
  bool aicpu() const { return level == CollectionLevel::kLevel2; }
  bool operator_details() const { return level >= CollectionLevel::kLevel1; }
};

// The machine a collection ran on, as info.json tells it. The host name says that nothing else in
// the profile was measured on a device either.
struct HostInfo {
  std::string hostname = "npusim";
  std::string host_uid = "0";
  std::string os = "Linux";
  std::string cpu_name = "npusim";
  std::int64_t memory_total_kb = 1583000000;
  std::int64_t cpu_count = 192;
  std::int64_t jiffies_per_second = 100;
  std::vector<format::host::NetworkCard> network_cards = {{"eth0", 25000}};
  std::string up_time = "172163.58";
};

// The same, with the numbers of this computer: what the host sampler's figures relate to.
HostInfo this_host();

}  // namespace npuprof::sim
