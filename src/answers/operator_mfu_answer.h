#pragma once

#include "answers/mode.h"

namespace npuprof::answers {

// Tables: `mfu` by type of kernel, `mfu_calls` by what the program told of, and OperatorMFU and
// ModuleMFU, which other tools know. The rank is their first column.
extern const Mode kOperatorMfuMode;

}  // namespace npuprof::answers
