#pragma once

// Blocks copied from /proc (format/host/proc_blocks.h) into tables, of the host or of a device.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/string_pool.h"
#include "trace/machine/cpu_kind.h"
#include "trace/machine/process_cpu_times.h"
#include "trace/machine/process_memory.h"
#include "trace/machine/system_cpu_times.h"
#include "trace/machine/system_memory.h"

namespace npuprof::load {

// How rows of one machine are stamped and named.
struct ProcSource {
  std::uint16_t device = trace::kHostDevice;
  std::function<std::int64_t(std::uint64_t)> to_wall_ns;  // Of its monotonic clock.
  std::function<StringId(std::string_view)> intern;
};

// The numbers of CPUs of one kind.
struct CpuGroup {
  trace::CpuKind kind;
  std::span<const std::uint32_t> cpus;
};

// All return the number of blocks and lines that cannot be read. Of a system's CPUs those count
// that are in a group; without groups there is one row for all, as CPUs of the host.
std::size_t add_system_cpu_times(std::string_view text, const ProcSource& source,
                                 std::span<const CpuGroup> groups, trace::SystemCpuTimes& table);
std::size_t add_process_cpu_times(std::string_view text, const ProcSource& source,
                                  std::uint32_t pid, trace::ProcessCpuTimes& table);
std::size_t add_system_memory(std::string_view text, const ProcSource& source,
                              trace::SystemMemory& table);
std::size_t add_process_memory(std::string_view text, const ProcSource& source, std::uint32_t pid,
                               trace::ProcessMemory& table);

// The process that a file such as "4711-Memory.data" is about, given what follows the number.
std::optional<std::uint32_t> process_of_file(std::string_view base, std::string_view suffix);

}  // namespace npuprof::load
