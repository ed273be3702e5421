#pragma once

#include "load/cann_host/decode.h"
#include "trace/host/marks.h"

namespace npuprof::load {

// mstx and msproftx marks and ranges; segments of long messages are joined.
void decode_marks(DecodeContext& context, trace::Marks& marks);

}  // namespace npuprof::load
