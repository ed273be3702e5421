#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "format/device/task_identity.h"
#include "load/cann_device/device_part.h"
#include "trace/task_batches.h"

namespace npuprof::load {

// The text of a hash in the host's dictionary; empty if it is not there.
using TextOfHash = std::function<std::string_view(std::uint64_t hash)>;

// Reads aicpu.data and the older DATA_PREPROCESS.* files: AI CPU kernels, the data queue, marks of
// models fed by a queue, turns of fused compute and communication, collectives run by AI CPUs.
void load_aicpu_files(const DeviceFiles& files, const DeviceConfig& config,
                      format::device::StreamMode stream_mode, const trace::TaskBatches& batches,
                      const TextOfHash& text_of_hash, DevicePart& out);

}  // namespace npuprof::load
