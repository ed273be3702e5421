#pragma once

// All layouts of the 256-byte records in `host/data/<age>.additional.<tag>.slice_<k>`. The 256-byte
// form of capture_op_info stands beside its variable form in variable.h.

#include "format/host/additional_ccu.h"            // IWYU pragma: export
#include "format/host/additional_communication.h"  // IWYU pragma: export
#include "format/host/additional_memory.h"         // IWYU pragma: export
#include "format/host/additional_model.h"          // IWYU pragma: export
#include "format/host/additional_node.h"           // IWYU pragma: export
#include "format/host/msproftx.h"                  // IWYU pragma: export
