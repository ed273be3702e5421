#pragma once

#include "load/cann_device/device_part.h"

namespace npuprof::load {

// Reads ccu<die>.instr and ccu<die>.stat (chips 15, 16) into CcuMissions and CcuChannels.
void load_ccu_files(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out);

}  // namespace npuprof::load
