#pragma once

#include <filesystem>

#include "analyze/memory_timeline.h"
#include "base/result.h"
#include "base/thread_pool.h"

namespace npuprof::report {

// Every change: [[time in ns, action, bytes, category], ...]. What existed before has time -1.
Status write_memory_changes(const analyze::MemoryChanges& changes,
                            const std::filesystem::path& path, ThreadPool& pool);

// [[times in us], [[0, bytes of each category], ...]]; readers expect the zero.
Status write_memory_timeline(const analyze::MemoryTimeline& timeline,
                             const std::filesystem::path& path, ThreadPool& pool);

}  // namespace npuprof::report
