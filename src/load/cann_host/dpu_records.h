#pragma once

#include "load/cann_host/decode.h"
#include "trace/host/dpu_tasks.h"

namespace npuprof::load {

// Tasks of data processing units: kernels (dpu_track) and steps of collectives (dpu_hccl_info).
void decode_dpu_tasks(DecodeContext& context, trace::DpuTasks& tasks);

}  // namespace npuprof::load
