#pragma once

// How busy CPUs and processes were, how much memory they had and in which functions they were: one
// row each for the whole time.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/machine/cpu_kind.h"
#include "trace/trace.h"

namespace npuprof::analyze {

// What CPUs of one kind did, in percent of their time. Of a single sample: since the machine was
// started.
struct CpuUse {
  std::uint16_t device = 0;  // trace::kHostDevice = the host, also below.
  trace::CpuKind kind{};
  double user = 0;
  double system = 0;
  double io_wait = 0;
  double irq = 0;
  double soft_irq = 0;
  double idle = 0;
};
// By device and kind.
std::vector<CpuUse> cpu_use(const trace::Trace& trace);

struct ProcessCpuUse {
  std::uint16_t device = 0;
  std::uint32_t pid = 0;
  StringId name{};
  double percent = 0;  // Of all CPUs.
};
// By device, the busiest first.
std::vector<ProcessCpuUse> process_cpu_use(const trace::Trace& trace);

// Means, in the units of trace::SystemMemory.
struct SystemMemoryUse {
  std::uint16_t device = 0;
  double total_kb = 0;
  double free_kb = 0;
  double buffers_kb = 0;
  double cached_kb = 0;
  double shared_kb = 0;
  double commit_limit_kb = 0;
  double committed_kb = 0;
  double huge_pages_total = 0;
  double huge_pages_free = 0;
};
// By device.
std::vector<SystemMemoryUse> system_memory_use(const trace::Trace& trace);

struct ProcessMemoryUse {
  std::uint16_t device = 0;
  std::uint32_t pid = 0;
  StringId name{};
  double size_pages = 0;  // Means.
  double resident_pages = 0;
  double shared_pages = 0;
};
// By device, the largest first.
std::vector<ProcessMemoryUse> process_memory_use(const trace::Trace& trace);

struct FunctionCycles {
  std::uint16_t device = 0;
  StringId function{};
  StringId module{};
  std::uint64_t cycles = 0;
  double percent = 0;  // Of the cycles of all CPUs of the kind.
};
// By device, the longest first.
std::vector<FunctionCycles> function_cycles(const trace::Trace& trace, trace::CpuKind kind);

struct CpuEventCount {
  std::uint16_t device = 0;
  std::uint32_t event = 0;
  std::uint64_t count = 0;
};
// By device, the most frequent first. Of the scheduler only events that were asked for, if that is
// known.
std::vector<CpuEventCount> cpu_event_counts(const trace::Trace& trace, trace::CpuKind kind);

}  // namespace npuprof::analyze
