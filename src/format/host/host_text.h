#pragma once

// Text files of the host sampler in `host/data`, as `<name>.slice_<k>`. All times are
// CLOCK_MONOTONIC_RAW nanoseconds. Writers append to a string; readers call back for each sample in
// file order and count the lines they could not use. Views are valid during the call only.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace npuprof::format::host {

inline constexpr std::string_view kHostCpuFile = "host_cpu.data";
inline constexpr std::string_view kHostMemoryFile = "host_mem.data";
inline constexpr std::string_view kHostDiskFile = "host_disk.data";
inline constexpr std::string_view kHostNetworkFile = "host_network.data";
inline constexpr std::string_view kHostSyscallFile = "host_syscall.data";
inline constexpr std::string_view kHostPthreadFile = "host_pthreadcall.data";

struct TextCounts {
  std::size_t samples = 0;
  std::size_t bad_lines = 0;
};

// ---- CPU use of the process: "time <ns>", the line of /proc/uptime, then the line of
// /proc/<pid>/task/<tid>/stat of each thread.

// What is used of a stat line.
struct ThreadStat {
  std::uint32_t thread_id = 0;
  std::uint32_t parent_id = 0;
  std::uint64_t user_jiffies = 0;
  std::uint64_t system_jiffies = 0;
  std::uint32_t cpu = 0;
};
// Reads a stat line; the command name in parentheses may contain anything.
std::optional<ThreadStat> parse_thread_stat(std::string_view line);

struct HostCpuSample {
  std::uint64_t time_ns = 0;
  double uptime_s = 0;
  std::vector<ThreadStat> threads;
};
TextCounts read_host_cpu(std::string_view text,
                         const std::function<void(const HostCpuSample&)>& sample);
// `stat_lines` are lines of /proc. Blanks in a command name are written as '_', because the
// vendor's tools find fields by counting blanks.
void append_host_cpu(std::string& out, std::uint64_t time_ns, std::string_view uptime_line,
                     std::span<const std::string> stat_lines);

// ---- Memory of the process: "<ns> <line of /proc/<pid>/statm>".

struct HostMemorySample {
  std::uint64_t time_ns = 0;
  std::uint64_t size_pages = 0;
  std::uint64_t resident_pages = 0;
};
TextCounts read_host_memory(std::string_view text,
                            const std::function<void(const HostMemorySample&)>& sample);
void append_host_memory(std::string& out, std::uint64_t time_ns, std::string_view statm_line);

// ---- Disk use of the process: output of `iotop -b -t`, one data line per sample, which are a
// fixed period apart; the last line "start_time <ns>" gives the time of the first.

struct HostDiskSample {
  std::uint32_t pid = 0;
  double read_kb_s = 0;
  double write_kb_s = 0;
  double swap_in_percent = 0;
  double io_percent = 0;
};
struct HostDiskCounts : TextCounts {
  std::optional<std::uint64_t> start_time_ns;
};
HostDiskCounts read_host_disk(std::string_view text,
                              const std::function<void(const HostDiskSample&)>& sample);
// `clock_text` is the wall time hh:mm:ss, `user` and `command` as iotop shows them.
void append_host_disk(std::string& out, std::string_view clock_text, const HostDiskSample& sample,
                      std::string_view user, std::string_view command);
void append_host_disk_end(std::string& out, std::uint64_t start_time_ns);

// ---- Network: "time <ns>", then the lines of /proc/net/dev that have a colon.

struct NetworkCounter {
  std::string_view name;
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
};
struct HostNetworkSample {
  std::uint64_t time_ns = 0;
  std::vector<NetworkCounter> interfaces;
};
TextCounts read_host_network(std::string_view text,
                             const std::function<void(const HostNetworkSample&)>& sample);
void append_host_network(std::string& out, std::uint64_t time_ns, std::string_view proc_net_dev);

// ---- Calls into the operating system.

struct HostCall {
  std::uint32_t thread_id = 0;
  double begin_s = 0;  // On the tracer's own clock: the first call is at the start of collection.
  double duration_s = 0;
  std::string_view program;  // Command or library.
  std::string_view name;
};
// Lines of `perf trace -T`: "<ms> (<ms> ms): command/tid call(...) = result".
TextCounts read_host_syscalls(std::string_view text,
                              const std::function<void(const HostCall&)>& call);
void append_host_syscall(std::string& out, const HostCall& call);
// Lines of `ltrace -ttt -T`: "[pid tid] sec program->call(...) = result <sec>".
TextCounts read_host_pthread_calls(std::string_view text,
                                   const std::function<void(const HostCall&)>& call);
void append_host_pthread_call(std::string& out, const HostCall& call);

}  // namespace npuprof::format::host
