#pragma once

#include "load/cann_device/device_part.h"

namespace npuprof::load {

// Reads hbm.data, llc.data, ddr.data into MemoryBandwidth, npu_mem.app and npu_mem.data into
// DeviceMemory, npu_module_mem.data into ModuleMemory.
void load_memory_files(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out);

}  // namespace npuprof::load
