#pragma once

#include <cstdint>

#include "record/host_sampler.h"
#include "record/machine_info.h"
#include "sim/model/pmu.h"

namespace npuprof::sim {

enum class CollectionLevel : std::uint8_t { kNone, kLevel0, kLevel1, kLevel2 };

using record::HostSampler;
using record::HostSamplerOptions;
using record::HostSystem;
using record::MachineInfo;

// What a collection was asked for, as sample.json tells it.
struct CollectionSettings {
  CollectionLevel level = CollectionLevel::kLevel1;
  MetricSelection aic_metrics = {MetricGroup::kPipeUtilization, {}};
  bool l2_cache = false;
  bool sys_io = false;               // NIC and RoCE.
  bool sys_interconnection = false;  // PCIe and HCCS.
  bool memory = false;               // HBM, LLC and memory of device and process.
  bool operator_memory = false;      // Of graphs, as CANN plans and takes it.
  bool mstx = false;
  bool op_attr = false;
  bool task_block = false;  // Counters of each block of a kernel.
  HostSystem host_sys;

  std::uint32_t memory_hz = 50;
  std::uint32_t sys_io_hz = 100;
  std::uint32_t sys_interconnection_hz = 50;
  std::uint32_t host_sys_hz = 50;

  // The second level has both of these; options of graphs ask for each alone.
  bool with_runtime_api = false;
  bool with_aicpu = false;
  bool with_acl_api = false;    // Calls of the program, though no tasks are collected.
  bool training_trace = false;  // Marks of iterations in graphs.

  bool runtime_api() const { return level == CollectionLevel::kLevel2 || with_runtime_api; }
  bool aicpu() const { return level == CollectionLevel::kLevel2 || with_aicpu; }
  bool operator_details() const { return level >= CollectionLevel::kLevel1; }
};

// The machine of a simulated program. Its name says that nothing else in the profile was measured
// on a device either.
MachineInfo simulated_host();

// The same, with the numbers of this computer: what the host sampler's figures relate to.
MachineInfo this_host();

}  // namespace npuprof::sim
