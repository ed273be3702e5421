#pragma once

#include <cstdint>

namespace npuprof {

// Bytes that this process can still use without other programs being swapped out: what the system
// has free, or what is left of the limit of the control group (a container). 0 = not known.
std::uint64_t available_memory_bytes();

}  // namespace npuprof
