#pragma once

// Text files about operators that ran on the host: all there is of a program whose device is the
// CPU, and beside the rest of one that runs on an NPU. A line for each record, ended by a line
// feed; real numbers have six significant digits, as C++ streams print them. Views point into the
// line that was parsed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npuprof::format::mindspore {

// `cpu_op_execute_timestamp_{rank}.txt`:
// `Default/BiasAdd-op0;HostCpuOps;1700000000000000000,0.05,3 1700000000000100000,0.04,3 `
struct CpuOpRun {
  std::int64_t start_ns = 0;  // Wall clock.
  double duration_ms = 0;
  std::int64_t worker = 0;  // Thread.
};
struct CpuOpTimes {
  static constexpr std::string_view kTypeText = "HostCpuOps";
  std::string_view name;
  std::vector<CpuOpRun> runs;
};
// Fills `times`, whose memory is used again. Runs that cannot be read are left out and counted in
// `bad_runs`; false if the line has no name.
bool parse_cpu_op_times(std::string_view line, CpuOpTimes& times, std::uint64_t& bad_runs);
void append_cpu_op_times(std::string& text, const CpuOpTimes& times);

// `cpu_op_detail_info_{rank}.csv`: an operator and how long it took.
struct CpuOpDetail {
  static constexpr std::string_view kHeader =
      "op_side,op_type,op_name,full_op_name,op_occurrences,op_total_time(ms),op_avg_time(ms),"
      "total_proportion,subgraph,pid\n";
  std::string_view side = "Host";
  std::string_view type;
  std::string_view name;
  std::string_view full_name;
  std::int64_t occurrences = 0;
  double total_ms = 0;
  double average_ms = 0;
  double proportion = 0;
  std::string_view subgraph = "Default";
  std::int64_t process_id = 0;
};
std::optional<CpuOpDetail> parse_cpu_op_detail(std::string_view line);
void append_cpu_op_detail(std::string& text, const CpuOpDetail& detail);
// The text between the last '/' and the last '-' of a full name.
std::string_view cpu_op_type(std::string_view full_name);

// `cpu_op_type_info_{rank}.csv`: all operators of a type.
struct CpuOpTypeInfo {
  static constexpr std::string_view kHeader =
      "op_type,type_occurrences,execution_frequency(per-step),total_compute_time,avg_time(ms),"
      "percent\n";
  std::string_view type;
  std::int64_t occurrences = 0;
  double frequency = 0;  // Occurrences by those of the first operator of the type.
  double total_ms = 0;
  double average_ms = 0;
  double percent = 0;
};
std::optional<CpuOpTypeInfo> parse_cpu_op_type(std::string_view line);
void append_cpu_op_type(std::string& text, const CpuOpTypeInfo& info);

// `cpu_framework_{rank}.txt`: `MatMul;Default/MatMul-op0;1;input_0:[2,3];input_1:[3,4];`. MindSpore
// leaves type and name of some operators empty, and its graph ids mean nothing.
struct CpuOpShapes {
  std::string_view type;
  std::string_view name;
  std::uint32_t graph = 0;
  std::vector<std::string_view> inputs;  // "2,3"
};
bool parse_cpu_op_shapes(std::string_view line, CpuOpShapes& shapes);
void append_cpu_op_shapes(std::string& text, const CpuOpShapes& shapes);

// `cpu_ms_memory_record_{rank}.txt`: what the memory pool had.
struct CpuMemory {
  static constexpr std::string_view kHeader =
      "Timestamp(ns),Total Allocated(Byte),Total Reserved(Byte),Total Active(Byte)\n";
  std::int64_t time_ns = 0;  // Wall clock.
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;
  std::int64_t active_bytes = 0;  // Allocated, or held by events.
};
std::optional<CpuMemory> parse_cpu_memory(std::string_view line);
void append_cpu_memory(std::string& text, const CpuMemory& memory);

}  // namespace npuprof::format::mindspore
