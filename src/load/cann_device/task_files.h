#pragma once

#include "format/device/task_identity.h"
#include "load/cann_device/device_part.h"
#include "load/cann_device/track_file.h"

namespace npuprof::load {

// Reads the task log of the chip (stars_soc.data, or hwts.data and hwts.aiv_data) into DeviceTasks,
// in order of start and with batches, and on chips 15 and 16 blocks and parts of fused tasks into
// BlockIntervals. Samples that share stars_soc.data go to their tables.
void load_task_files(const DeviceFiles& files, const DeviceConfig& config,
                     format::device::StreamMode stream_mode, const TrackData& track,
                     DevicePart& out);

}  // namespace npuprof::load
