#pragma once

#include "load/cann_device/device_part.h"

namespace npuprof::load {

// Reads what was sampled of the device's CPUs and of the operating system on them:
// SystemCpuUsage.data, Memory.data, both per process, ai_ctrl_cpu.data and tscpu.data.
void load_processor_files(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out);

}  // namespace npuprof::load
