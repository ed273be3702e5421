#pragma once

#include "load/cann_device/device_part.h"

namespace npuprof::load {

// Reads `training_trace`, the step trace of jobs of 2020, into StepMarks: all of it is one model,
// whose iterations are counted from 1.
void load_training_trace(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out);

}  // namespace npuprof::load
