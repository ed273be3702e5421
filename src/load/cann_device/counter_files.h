#pragma once

#include "format/device/task_identity.h"
#include "load/cann_device/device_part.h"
#include "load/cann_device/frequency_file.h"
#include "trace/task_batches.h"

namespace npuprof::load {

// Reads the AI core counters of the chip into PmuRecords, or into CoreSamples if they were sampled.
// Needs the device's tasks: the blocks of the slave cores of a MIX kernel are summed over the time
// the kernel ran, and the chips with HWTS stamp no times, so their records are taken in the order
// of the kernels.
void load_counter_files(const DeviceFiles& files, const DeviceConfig& config,
                        format::device::StreamMode stream_mode, const trace::TaskBatches& batches,
                        const FrequencyTable& frequencies, DevicePart& out);

}  // namespace npuprof::load
