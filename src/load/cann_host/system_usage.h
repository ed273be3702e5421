#pragma once

// CPU times and memory of the whole host and of all its processes (`host_sys_usage`).

#include "load/cann_host/decode.h"
#include "trace/machine/process_cpu_times.h"
#include "trace/machine/process_memory.h"
#include "trace/machine/system_cpu_times.h"
#include "trace/machine/system_memory.h"

namespace npuprof::load {

void decode_system_cpu_times(DecodeContext& context, trace::SystemCpuTimes& table);
void decode_process_cpu_times(DecodeContext& context, trace::ProcessCpuTimes& table);
void decode_system_memory(DecodeContext& context, trace::SystemMemory& table);
void decode_process_memory(DecodeContext& context, trace::ProcessMemory& table);

}  // namespace npuprof::load
