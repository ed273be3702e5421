#pragma once

#include <string>

#include "base/string_pool.h"
#include "load/cann_device/device_config.h"
#include "load/cann_device/device_files.h"
#include "trace/cann_device.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// What one device contributes to a Trace, loaded on a thread of its own. String ids are those of
// its own pool until append_to.
struct DeviceTables {
  bool is_known = false;  // False: nothing could be read but the losses.
  std::string directory;
  bool is_clock_sure = false;  // The first tasks lie near the begin.
  trace::DeviceInfo info;
  StringPool strings;
  trace::Losses losses;

  trace::DeviceTasks tasks;
  trace::PmuRecords pmu;
  trace::StepMarks step_marks;
  trace::BlockNumbers block_numbers;
  trace::AsyncCopies async_copies;
  trace::AicpuNodes aicpu_nodes;
  trace::DataQueueEvents data_queue_events;
  trace::KernelCommunicationTurns turns;
  trace::DeviceCollectives collectives;
  trace::CacheCounters cache_counters;
  trace::Frequencies frequencies;
  trace::MemoryBandwidth memory_bandwidth;
  trace::DeviceMemory device_memory;
  trace::ModuleMemory module_memory;
  trace::LinkSamples link_samples;
  trace::CoreSamples core_samples;
  trace::BlockIntervals block_intervals;
  trace::FusionParts fusion_parts;
  trace::CcuMissions ccu_missions;
  trace::CcuChannels ccu_channels;
  trace::InstructionSamples instruction_samples;
  trace::PipeIntervals pipe_intervals;
  trace::SystemCpuTimes system_cpu_times;
  trace::ProcessCpuTimes process_cpu_times;
  trace::SystemMemory system_memory;
  trace::ProcessMemory process_memory;
  trace::CpuSamples cpu_samples;

  // Moves all rows to the end of the trace's tables, strings translated; leaves this empty but for
  // the losses, to which it adds rows with impossible times. The first DeviceInfo of a device
  // counts.
  void append_to(trace::Trace& trace);
};

}  // namespace npuprof::load
