#pragma once

#include "load/cann_device/device_tables.h"

namespace npuprof::load {

// Reads ccu<die>.instr and ccu<die>.stat (chips 15, 16) into CcuMissions and CcuChannels.
void load_ccu_files(const DeviceFiles& files, const DeviceConfig& config, DeviceTables& out);

}  // namespace npuprof::load
