#pragma once

#include "load/cann_device/device_part.h"

namespace npuprof::load {

// Reads instr.* into InstructionSamples or, on chips 15 and 16, PipeIntervals.
void load_instruction_files(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out);

}  // namespace npuprof::load
