#pragma once

#include <filesystem>

#include "analyze/shared_results.h"
#include "base/result.h"
#include "base/thread_pool.h"

namespace npuprof::report::sqlite {

// Writes the database of a profile: the tables of CANN and, for profiles of PyTorch, those of the
// framework. Readable by MindStudio Insight and msprof-analyze.
Status write_database(const analyze::SharedResults& results, const std::filesystem::path& path,
                      ThreadPool& pool);

}  // namespace npuprof::report::sqlite
