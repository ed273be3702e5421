#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/losses.h"
#include "trace/trace.h"

namespace npuprof::load {

// Why rows are left out, if the timeline says when the others were.
inline constexpr std::string_view kDaysAway = "they lie days from the rest of the profile";

// Around when the rows of tables should be; nothing if there is no timeline or if it counts from
// some begin of its own.
std::optional<std::int64_t> middle_of_timeline(const trace::Trace& trace);

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
