#pragma once

#include <filesystem>
#include <vector>

#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Times in tables are microseconds; with as many decimals shifted away they are nanoseconds.
inline constexpr int kNsDigits = 3;

// Adds what kernel_details.csv or op_summary_*.csv (all slices of it) say to the kernels of the
// timeline. Rows that the timeline lacks become tasks, kernels and collectives of their own.
// Returns whether any row was read.
bool read_kernel_tables(const std::vector<std::filesystem::path>& paths, trace::Trace& trace,
                        trace::Losses& losses);

struct MemoryTables {
  std::vector<std::filesystem::path> blocks;   // operator_memory*.csv
  std::vector<std::filesystem::path> totals;   // memory_record*.csv
  std::vector<std::filesystem::path> modules;  // npu_module_mem*.csv
  std::vector<std::filesystem::path> devices;  // npu_mem*.csv
};
void read_memory_tables(const MemoryTables& tables, trace::Trace& trace, trace::Losses& losses);

}  // namespace npuprof::load
