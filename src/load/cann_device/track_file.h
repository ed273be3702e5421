#pragma once

#include <vector>

#include "format/device/task_identity.h"
#include "load/cann_device/device_part.h"
#include "load/cann_device/task_pairing.h"
#include "trace/task_batches.h"

namespace npuprof::load {

// What ts_track.data says beside the rows it puts into tables.
struct TrackData {
  trace::TaskBatches batches;
  std::vector<TaskEvent> task_events;  // Tasks that chips 1 and 4 log nowhere else, by time.
};

// Reads ts_track.data: step marks, asynchronous copies, block counts (their batches set), flips.
TrackData load_track_file(const DeviceFiles& files, const DeviceConfig& config,
                          format::device::StreamMode stream_mode, DevicePart& out);

}  // namespace npuprof::load
