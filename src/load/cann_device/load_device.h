#pragma once

// Loads what CANN recorded on devices: `device_<N>` of a PROF_* directory.

#include <span>

#include "format/device/task_identity.h"
#include "load/cann_device/aicpu_files.h"
#include "load/discover.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// What the host knows and the device's records need.
struct CannDeviceOptions {
  // From the host's expand_stream_spec record.
  format::device::StreamMode stream_mode = format::device::StreamMode::kNormal;
  // Names that AI CPUs report as hashes. Called from several threads at once. May be empty.
  TextOfHash text_of_hash;
};

// Appends the tables of cann_device.h and one DeviceInfo for each device, in the order given; the
// devices are read in parallel. Uses session.monotonic_to_wall_ns where a device has no start_info.
// A device that cannot be understood at all, and everything that was damaged, is in the losses.
trace::Losses load_cann_devices(std::span<const DeviceDirectory> devices,
                                const CannDeviceOptions& options, trace::Trace& trace);

}  // namespace npuprof::load
