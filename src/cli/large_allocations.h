#pragma once

#include <atomic>

namespace npuprof::cli {

// Set by programs that load one profile and ask about it: arrays below 4 MB lie on large pages too.
// A parse, which is busy with memory all the time, would need more of it and be no faster.
inline std::atomic<bool> medium_arrays_on_large_pages = false;

}  // namespace npuprof::cli
