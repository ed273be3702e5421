#pragma once

// Databases beside that of the profile: what collectives did and where the time of steps went.

#include <filesystem>
#include <span>

#include "analyze/communication.h"
#include "analyze/shared_results.h"
#include "base/result.h"
#include "base/thread_pool.h"

namespace npuprof::report::sqlite {

// analysis.db of PyTorch: communication tables by step, and StepTraceTime.
Status write_analysis_database(const analyze::SharedResults& results,
                               const std::filesystem::path& path, ThreadPool& pool);

// communication_analyzer.db of CANN and MindSpore: the communication tables without steps. Not
// written without operators.
Status write_communication_database(std::span<const analyze::CommunicationOp> ops,
                                    const std::filesystem::path& path, ThreadPool& pool);

}  // namespace npuprof::report::sqlite
