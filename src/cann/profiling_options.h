#pragma once

// `profiling_options`: the JSON text with which programs that run graphs (TensorFlow, and others
// over the graph engine, GE) say what is to be collected.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cann/switches.h"

namespace npuprof::cann {

// GE copies the text into a field of 2048 bytes, with a zero at its end.
inline constexpr std::size_t kMostProfilingOptionsBytes = 2047;

// What the adapter sends if profiling is on and no options are given; and what GE takes itself if
// the environment variables switch it on without any.
inline constexpr std::string_view kAdapterDefaultOptions =
    R"({"output":"./","training_trace":"on","task_time":"on","hccl":"on","aicpu":"on",)"
    R"("aic_metrics":"PipeUtilization","msproftx":"off"})";
inline constexpr std::string_view kEnvironmentDefaultOptions =
    R"({"output":"./","training_trace":"on","task_trace":"on","hccl":"on","aicpu":"on",)"
    R"("aic_metrics":"PipeUtilization","msproftx":"off"})";

enum class TaskTime : std::uint8_t { kOff, kLevel0, kLevel1, kLevel2, kLevel3 };

// The machine that the options are meant for.
struct OptionsTarget {
  bool has_driver = true;   // A host without one collects little.
  bool is_newest = false;   // Chips of the newest generation take more.
  std::string work_path{};  // ASCEND_WORK_PATH; empty: not set.
};

// Options that were accepted. Frequencies in Hz, 0: not sampled.
struct ProfilingOptions {
  std::string output;
  std::optional<std::uint32_t> storage_limit_mb;
  bool training_trace = false;
  std::string fp_point;  // Names of operators; empty: they are searched for.
  std::string bp_point;
  TaskTime task_time = TaskTime::kLevel1;
  std::string ge_api = "off";  // off, l0, l1.
  bool runtime_api = false;
  bool hccl = false;
  bool aicpu = false;
  bool l2 = false;
  bool msproftx = false;
  bool task_memory = false;
  bool task_tsfw = false;
  bool instr_profiling = false;
  std::string aic_metrics;                   // "PipeUtilization"; empty: none.
  std::vector<std::uint32_t> custom_events;  // Of "Custom:...", whose name `aic_metrics` then is.
  std::string task_block = "off";            // off, on, all.
  std::string sys_mem_serviceflow;
  std::string optype;
  std::string llc_profiling = "read";
  std::uint32_t instr_profiling_freq = 1000;  // In cycles.
  std::uint32_t sys_hardware_mem_freq = 0;
  std::uint32_t sys_io_sampling_freq = 0;
  std::uint32_t sys_interconnection_freq = 0;
  std::uint32_t dvpp_freq = 0;
  std::uint32_t sys_cpu_freq = 0;
  std::uint32_t sys_lp_freq = 0;
  std::uint32_t host_sys_usage_freq = 50;
  std::vector<std::string> host_sys;  // cpu, mem, disk, network, osrt, numa.
  std::vector<std::string> host_sys_usage;
  // Sentences on what was given and has no effect, or another one than its words say.
  std::vector<std::string> notes;
};

// The checks of GE and of the collector, in their order. A failure begins with the code of the
// first check that refused: E10001 (GE), EK0001 (a key or value), EK0003 (the path), EK0005 (not on
// this machine).
Result<ProfilingOptions> parse_profiling_options(std::string_view text,
                                                 const OptionsTarget& target = {});

// Makes the directory for results if it is not there; EK0003 if nothing can be written to it.
Status prepare_output(const std::string& output);

// The same in the words of CANN's interface. What that has no word for goes to `left_out`.
Switches make_switches(const ProfilingOptions& options, std::vector<std::string>& left_out);

}  // namespace npuprof::cann
