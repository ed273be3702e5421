#pragma once

// All layouts of the 64-byte records in `host/data/<age>.compact.<tag>.slice_<k>`.

#include "format/host/compact_memory.h"  // IWYU pragma: export
#include "format/host/compact_node.h"    // IWYU pragma: export
#include "format/host/compact_stream.h"  // IWYU pragma: export
#include "format/host/compact_task.h"    // IWYU pragma: export
