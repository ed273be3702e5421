#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "format/device/chips.h"
#include "load/cann_device/device_clock.h"
#include "load/cann_device/device_files.h"
#include "load/cann_host/host_session.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// A counter, as tables of samples hold it.
inline double number(std::uint64_t counter) { return static_cast<double>(counter); }

// Everything the control files of `device_<N>` say.
struct DeviceConfig {
  trace::DeviceInfo info;
  format::device::ChipId chip = format::device::ChipId::k910B;
  DeviceClock clock;
  std::uint64_t first_syscnt = 0;  // Counter when the device started to collect.
  // Whether task ids that wrap are told apart by flip records. Old drivers write none.
  bool uses_flips = true;
  bool is_clock_sure = false;  // The first tasks lie near clock.start_ns.
  bool version_2 = false;      // Collection format 2.0: other memory samples.
  bool records_tasks = true;   // Unless the parameters of the collection say that it does not.
  bool is_sampled = false;     // Counters of the AI cores were sampled, not taken per task.
};

// Reads info.json.<N>, sample.json, start_info.<N>, host_start.log.<N> and dev_start.log.<N>. Fails
// if there is no info.json.<N>, as nothing else can be understood without the chip; what else is
// missing is reported and replaced by the chip's usual values. Clocks that the device's own files
// do not tell are the collection's (`host`), or are taken from the first task in `files`.
Result<DeviceConfig> read_device_config(const std::filesystem::path& directory,
                                        std::uint16_t device, const HostSession& host,
                                        const DeviceFiles& files, trace::Losses& losses);

// For a job of 2020, which has host_start.log.<N> at most: the chip of that time, whose counter is
// taken to run with the host's monotonic clock. What is assumed is noted in the losses.
DeviceConfig assume_device_config(const std::filesystem::path& directory, std::uint16_t device,
                                  trace::Losses& losses);

}  // namespace npuprof::load
