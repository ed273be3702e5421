#pragma once

#include "load/cann_device/device_part.h"

namespace npuprof::load {

// Reads the samplers of links into LinkSamples: pcie.data, hccs.data, nic.data, roce.data,
// netdev_stats.data, ub.data, qos.data and dvpp.data.
void load_link_files(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out);

}  // namespace npuprof::load
