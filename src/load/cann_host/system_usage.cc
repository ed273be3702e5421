#include "load/cann_host/system_usage.h"

#include <string>
#include <string_view>

#include "format/host/proc_blocks.h"
#include "load/proc_samples.h"

namespace npuprof::load {
namespace {

using format::host::kHostSystemCpuFile;
using format::host::kHostSystemMemoryFile;
using format::host::kProcessCpuSuffix;
using format::host::kProcessMemorySuffix;

ProcSource source_of(DecodeContext& context) {
  return {.device = trace::kHostDevice,
          .to_wall_ns =
              [&context](std::uint64_t monotonic_ns) {
                return context.clock.monotonic_to_wall(static_cast<std::int64_t>(monotonic_ns));
              },
          .intern = [&context](std::string_view name) { return context.names.intern(name); }};
}

// Reads one file with `add(text)`, which returns the number of damaged places.
template <typename Add>
void read_usage(DecodeContext& context, std::string_view file, Add&& add) {
  const std::string text = context.files.read_text(file, context.losses);
  const std::size_t damaged = add(text);
  if (damaged == 0) return;
  context.losses.add(context.files.text_path(file), 0, damaged,
                     std::to_string(damaged) + " samples or lines cannot be read_usage.");
}

// Reads the files of all processes with `add(text, pid)`.
template <typename Add>
void read_processes(DecodeContext& context, std::string_view suffix, Add&& add) {
  for (const std::string& file : context.files.text_names_with_suffix(suffix)) {
    const auto pid = process_of_file(file, suffix);
    if (!pid) continue;
    read_usage(context, file, [&](std::string_view text) { return add(text, *pid); });
  }
}

}  // namespace

void decode_system_cpu_times(DecodeContext& context, trace::SystemCpuTimes& table) {
  const ProcSource source = source_of(context);
  read_usage(context, kHostSystemCpuFile,
             [&](std::string_view text) { return add_system_cpu_times(text, source, {}, table); });
}

void decode_process_cpu_times(DecodeContext& context, trace::ProcessCpuTimes& table) {
  const ProcSource source = source_of(context);
  read_processes(context, kProcessCpuSuffix, [&](std::string_view text, std::uint32_t pid) {
    return add_process_cpu_times(text, source, pid, table);
  });
}

void decode_system_memory(DecodeContext& context, trace::SystemMemory& table) {
  const ProcSource source = source_of(context);
  read_usage(context, kHostSystemMemoryFile,
             [&](std::string_view text) { return add_system_memory(text, source, table); });
}

void decode_process_memory(DecodeContext& context, trace::ProcessMemory& table) {
  const ProcSource source = source_of(context);
  read_processes(context, kProcessMemorySuffix, [&](std::string_view text, std::uint32_t pid) {
    return add_process_memory(text, source, pid, table);
  });
}

}  // namespace npuprof::load
