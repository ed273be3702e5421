#pragma once

#include "load/cann_host/decode.h"
#include "trace/host/ccu_infos.h"

namespace npuprof::load {

// Tasks, waits and transfers announced to the collective communication unit (ccu_task_info,
// ccu_wait_signal_info, ccu_group_info).
void decode_ccu_infos(DecodeContext& context, trace::CcuInfos& infos);

}  // namespace npuprof::load
