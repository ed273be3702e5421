#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analyze/processor_usage.h"
#include "format/device/cpu_events.h"
#include "report/csv/sample_summary.h"
#include "report/tables/text_table.h"
#include "trace/machine/cpu_kind.h"

namespace npuprof::report {
namespace {

using trace::CpuKind;
using trace::Trace;

// The number of a device; nothing for the host.
constexpr auto kDeviceOfUse = column(kDeviceOrHost, [](const auto& use) {
  return use.device == trace::kHostDevice ? std::nullopt : std::optional(use.device);
});

std::string_view cpu_name(CpuKind kind) {
  switch (kind) {
    case CpuKind::kAi:
      return "aicpu";
    case CpuKind::kControl:
      return "ctrlcpu";
    case CpuKind::kScheduler:
      return "tscpu";
    case CpuKind::kHost:
      return "host";
  }
  return "";
}

using analyze::CpuUse;
constexpr auto kCpuUsage =
    text_table("cpu_usage", kDeviceOfUse,  //
               column(TextColumn{"Cpu Type"}, [](const CpuUse& use) { return cpu_name(use.kind); }),
               column(number_column("User(%)"), &CpuUse::user),
               column(number_column("Sys(%)"), &CpuUse::system),
               column(number_column("IoWait(%)"), &CpuUse::io_wait),
               column(number_column("Irq(%)"), &CpuUse::irq),
               column(number_column("Soft(%)"), &CpuUse::soft_irq),
               column(number_column("Idle(%)"), &CpuUse::idle));

// Rows of an analysis whose names are texts of the trace.
template <typename Use>
struct NamedUses {
  const Trace& trace;
  std::vector<Use> uses;

  struct Row : Use {
    const StringPool& strings;
  };
  std::size_t size() const { return uses.size(); }
  Row operator[](std::size_t i) const { return {uses[i], trace.strings}; }
};
template <typename Use>
NamedUses<Use> named(const Trace& trace, std::vector<Use> uses) {
  return {trace, std::move(uses)};
}

constexpr auto kNameOfProcess =
    column(TextColumn{"Name"}, [](const auto& use) { return use.strings.view(use.name); });

using analyze::ProcessCpuUse;
constexpr auto kProcessCpuUsage =
    text_table("process_cpu_usage", kDeviceOfUse,  //
               column(TextColumn{"PID"}, &ProcessCpuUse::pid), kNameOfProcess,
               column(number_column("CPU(%)"), &ProcessCpuUse::percent));

// Means of kilobytes and pages are shown without the part that is less than one.
template <typename Use>
constexpr auto whole_mean(std::string_view header, double Use::*mean) {
  return column(TextColumn{header, Print::kFixed0},
                [mean](const Use& use) { return std::floor(use.*mean); });
}

using analyze::SystemMemoryUse;
constexpr auto kSystemMemory =
    text_table("sys_mem", kDeviceOfUse,  //
               whole_mean("Memory Total(kB)", &SystemMemoryUse::total_kb),
               whole_mean("Memory Free(kB)", &SystemMemoryUse::free_kb),
               whole_mean("Buffers(kB)", &SystemMemoryUse::buffers_kb),
               whole_mean("Cached(kB)", &SystemMemoryUse::cached_kb),
               whole_mean("Share Memory(kB)", &SystemMemoryUse::shared_kb),
               whole_mean("Commit Limit(kB)", &SystemMemoryUse::commit_limit_kb),
               whole_mean("Committed AS(kB)", &SystemMemoryUse::committed_kb),
               whole_mean("Huge Pages Total(pages)", &SystemMemoryUse::huge_pages_total),
               whole_mean("Huge Pages Free(pages)", &SystemMemoryUse::huge_pages_free));

using analyze::ProcessMemoryUse;
constexpr auto kProcessMemory =
    text_table("process_mem", kDeviceOfUse,  //
               column(TextColumn{"PID"}, &ProcessMemoryUse::pid), kNameOfProcess,
               whole_mean("Size(pages)", &ProcessMemoryUse::size_pages),
               whole_mean("Resident(pages)", &ProcessMemoryUse::resident_pages),
               whole_mean("Shared(pages)", &ProcessMemoryUse::shared_pages));

using analyze::FunctionCycles;
using FunctionRow = NamedUses<FunctionCycles>::Row;
constexpr auto kFunction = column(
    TextColumn{"Function"}, [](const FunctionRow& row) { return row.strings.view(row.function); });
constexpr auto kCycles = column(TextColumn{"Cycles"}, &FunctionCycles::cycles);
constexpr auto kShareOfCycles = column(number_column("Cycles(%)"), &FunctionCycles::percent);

constexpr auto kAiCpuFunctions =
    text_table("ai_cpu_top_function", kDeviceOfUse, kFunction,
               column(TextColumn{"Module"},
                      [](const FunctionRow& row) { return row.strings.view(row.module); }),
               kCycles, kShareOfCycles);
constexpr auto kControlCpuFunctions = kAiCpuFunctions.in_file("ctrl_cpu_top_function");
constexpr auto kSchedulerFunctions =
    text_table("ts_cpu_top_function", kDeviceOfUse, kFunction, kCycles, kShareOfCycles);

// The scheduler's functions are addresses, of which only the first few are of use.
std::vector<FunctionCycles> top_scheduler_functions(const Trace& trace) {
  constexpr std::size_t kMost = 5;
  std::vector<FunctionCycles> functions = analyze::function_cycles(trace, CpuKind::kScheduler);
  std::map<std::uint16_t, std::size_t> shown;
  std::erase_if(functions, [&](const auto& function) { return ++shown[function.device] > kMost; });
  return functions;
}

// "CPU_CYCLES" is shown as "Cpu_cycles".
std::string shown_event(std::uint32_t event) {
  std::string name(format::device::cpu_event_name(event));
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (name[i] >= 'A' && name[i] <= 'Z') name[i] = static_cast<char>(name[i] - 'A' + 'a');
  }
  return name;
}

using analyze::CpuEventCount;
constexpr auto kAiCpuEvents =
    text_table("ai_cpu_pmu_events", kDeviceOfUse,
               column(TextColumn{"Event"},
                      [](const CpuEventCount& event) { return fmt::format("{:#x}", event.event); }),
               column(or_not_available("Name"),
                      [](const CpuEventCount& event) { return shown_event(event.event); }),
               column(TextColumn{"Count"}, &CpuEventCount::count));
constexpr auto kControlCpuEvents = kAiCpuEvents.in_file("ctrl_cpu_pmu_events");
constexpr auto kSchedulerEvents = kAiCpuEvents.in_file("ts_cpu_pmu_events");

}  // namespace

Status write_processor_summaries(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto functions = [&](CpuKind kind) {
    return named(trace, analyze::function_cycles(trace, kind));
  };
  const auto events = [&](CpuKind kind) { return analyze::cpu_event_counts(trace, kind); };
  const auto processes = named(trace, analyze::process_cpu_use(trace));
  const auto memory = named(trace, analyze::process_memory_use(trace));
  NPUPROF_RETURN_IF_ERROR(write_text_table<kCpuUsage>(analyze::cpu_use(trace), target, pool));
  NPUPROF_RETURN_IF_ERROR(write_text_table<kProcessCpuUsage>(processes, target, pool));
  NPUPROF_RETURN_IF_ERROR(
      write_text_table<kSystemMemory>(analyze::system_memory_use(trace), target, pool));
  NPUPROF_RETURN_IF_ERROR(write_text_table<kProcessMemory>(memory, target, pool));
  NPUPROF_RETURN_IF_ERROR(write_text_table<kAiCpuFunctions>(functions(CpuKind::kAi), target, pool));
  NPUPROF_RETURN_IF_ERROR(write_text_table<kAiCpuEvents>(events(CpuKind::kAi), target, pool));
  NPUPROF_RETURN_IF_ERROR(
      write_text_table<kControlCpuFunctions>(functions(CpuKind::kControl), target, pool));
  NPUPROF_RETURN_IF_ERROR(
      write_text_table<kControlCpuEvents>(events(CpuKind::kControl), target, pool));
  NPUPROF_RETURN_IF_ERROR(write_text_table<kSchedulerFunctions>(
      named(trace, top_scheduler_functions(trace)), target, pool));
  return write_text_table<kSchedulerEvents>(events(CpuKind::kScheduler), target, pool);
}

}  // namespace npuprof::report
