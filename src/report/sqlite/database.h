#pragma once

#include <filesystem>

#include "base/result.h"
#include "base/thread_pool.h"
#include "trace/trace.h"

namespace npuprof::report::sqlite {

// Writes the database of a profile: the tables of CANN and, for profiles of PyTorch, those of the
// framework. Readable by MindStudio Insight and msprof-analyze.
Status write_database(const trace::Trace& trace, const std::filesystem::path& path,
                      ThreadPool& pool);

}  // namespace npuprof::report::sqlite
