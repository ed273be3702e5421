#pragma once

#include "format/device/task_identity.h"
#include "load/cann_device/device_part.h"

namespace npuprof::load {

// Reads l2_cache.data and socpmu.data into CacheCounters, in the order of the records.
void load_cache_files(const DeviceFiles& files, const DeviceConfig& config,
                      format::device::StreamMode stream_mode, DevicePart& out);

}  // namespace npuprof::load
