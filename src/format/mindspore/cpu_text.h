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
