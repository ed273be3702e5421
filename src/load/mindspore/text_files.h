#pragma once

// Text files of MindSpore. Lines that make no sense are left out and become a loss.

#include <filesystem>

#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// cpu_op_execute_timestamp_*.txt to CpuOps.
void load_cpu_op_times(const std::filesystem::path& path, trace::Trace& trace,
                       trace::Losses& losses);

// cpu_ms_memory_record_*.txt to PoolTotals. MindSpore never clears its list, so files of later
// recordings repeat the rows of earlier ones: what is before the begin of the session is left out.
void load_pool_totals(const std::filesystem::path& path, trace::Trace& trace,
                      trace::Losses& losses);

// host_info_*.csv of MindSpore 2.3 and 2.4 to FrameworkOps and MindSporeOps.
void load_host_info(const std::filesystem::path& path, trace::Trace& trace, trace::Losses& losses);

}  // namespace npuprof::load
