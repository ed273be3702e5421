#pragma once

// Samples copied from /proc, of the host and of the operating system of a device: blocks
// "TimeStamp:<ns>", "Index:<n>", "DataLen:<n>", a body of lines from /proc, and an empty line.
// Times are CLOCK_MONOTONIC_RAW nanoseconds of the machine that is sampled. Counters of /proc go on
// since it was started.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "format/host/host_text.h"

namespace npuprof::format::host {

// In host/data.
inline constexpr std::string_view kHostSystemCpuFile = "host_sys_cpu.data";
inline constexpr std::string_view kHostSystemMemoryFile = "host_sys_mem.data";
// In device_<N>/data.
inline constexpr std::string_view kDeviceSystemCpuFile = "SystemCpuUsage.data";
inline constexpr std::string_view kDeviceSystemMemoryFile = "Memory.data";
// In both, after the pid.
inline constexpr std::string_view kProcessCpuSuffix = "-CpuUsage.data";
inline constexpr std::string_view kProcessMemorySuffix = "-Memory.data";

struct ProcBlock {
  std::uint64_t time_ns = 0;
  std::uint64_t index = 0;
  std::string_view body;
};
// Calls `block` for each in file order; returns how many there were and how many lines belong to
// none. Views are valid during the call only.
TextCounts read_proc_blocks(std::string_view text,
                            const std::function<void(const ProcBlock&)>& block);
void append_proc_block(std::string& out, const ProcBlock& block);

// A "cpu" line of /proc/stat, in jiffies.
struct CpuTimes {
  std::string_view name;  // "cpu" for the sum, "cpu0", ...
  std::uint64_t user = 0;
  std::uint64_t nice = 0;
  std::uint64_t system = 0;
  std::uint64_t idle = 0;
  std::uint64_t io_wait = 0;
  std::uint64_t irq = 0;
  std::uint64_t soft_irq = 0;
  std::uint64_t steal = 0;  // What follows in the line, time of guests, is part of user and nice.

  // Nothing for the sum of all CPUs.
  std::optional<std::uint32_t> cpu() const;
  std::uint64_t total() const {
    return user + nice + system + idle + io_wait + irq + soft_irq + steal;
  }
};
std::optional<CpuTimes> parse_cpu_times(std::string_view line);

// The number of kB in a line of /proc/meminfo such as "MemTotal:  123 kB".
struct MemoryLine {
  std::string_view name;
  std::uint64_t kilobytes = 0;
};
std::optional<MemoryLine> parse_memory_line(std::string_view line);

// Body of <pid>-CpuUsage.data: the line of /proc/<pid>/stat, "ProcessName:<name>" and the line of
// /proc/stat for all CPUs.
struct ProcessTimes {
  std::string_view name;
  std::uint64_t used_jiffies = 0;     // By the process, and by its children that were waited for.
  std::uint64_t machine_jiffies = 0;  // Of all CPUs, busy or not.
};
std::optional<ProcessTimes> parse_process_times(std::string_view body);

// Body of <pid>-Memory.data: the line of /proc/<pid>/statm and "ProcessName:<name>".
struct ProcessPages {
  std::string_view name;
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::uint64_t shared = 0;
};
std::optional<ProcessPages> parse_process_pages(std::string_view body);

// What is used of /proc/meminfo, which is the body of Memory.data and host_sys_mem.data.
struct MemoryInfo {
  std::uint64_t total_kb = 0;
  std::uint64_t free_kb = 0;
  std::uint64_t buffers_kb = 0;
  std::uint64_t cached_kb = 0;
  std::uint64_t shared_kb = 0;
  std::uint64_t commit_limit_kb = 0;
  std::uint64_t committed_kb = 0;
  std::uint64_t huge_pages_total = 0;  // Pages; 0 if the kernel has none.
  std::uint64_t huge_pages_free = 0;
};
std::optional<MemoryInfo> parse_memory_info(std::string_view body);

}  // namespace npuprof::format::host
