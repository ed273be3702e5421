#pragma once

// The hooks that record (npuprof._torch), as the simulated device sees them.

#include "python/torch_hooks/device_link.h"

namespace npuprof::torch_sim {

// Set once, when the module is loaded.
extern const torch_hooks::DeviceLink* recording;

inline bool is_forked_child() { return recording->is_forked_child(); }

}  // namespace npuprof::torch_sim
