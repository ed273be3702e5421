#pragma once

#include <filesystem>

#include "base/result.h"
#include "base/thread_pool.h"
#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Loads a directory of result files (ASCEND_PROFILER_OUTPUT or mindstudio_profiler_output): the
// timeline (trace_view.json, msprof_*.json), the table of kernels (kernel_details.csv,
// op_summary_*.csv) and those of memory. The timeline says what ran when and what led to what; the
// tables add descriptions and metrics, or stand alone if there is no timeline. Tables that are sums
// of these (step_trace_time, op_statistic, operator_details, communication.json, ...) are not read:
// analyses compute them again.
//
// Fails if there is neither timeline nor table of kernels; what is missing or damaged is added to
// `losses`.
Status load_result_text(const std::filesystem::path& directory, trace::Trace& trace,
                        trace::Losses& losses, ThreadPool& pool);

}  // namespace npuprof::load
