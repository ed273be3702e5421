#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "analyze/processor_usage.h"
#include "format/device/cpu_events.h"
#include "report/csv/sample_summary.h"
#include "report/csv/summary_text.h"
#include "trace/machine/cpu_kind.h"

namespace npuprof::report {
namespace {

using trace::CpuKind;
using trace::Trace;

// A line that begins with the id of the device, or "host".
SummaryLine line_of(std::uint16_t device) {
  if (device == trace::kHostDevice) return SummaryLine("host");
  return SummaryLine(std::uint64_t{device});
}

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

SummaryTable cpu_usage(const Trace& trace) {
  SummaryTable table{
      "cpu_usage", "Device_id,Cpu Type,User(%),Sys(%),IoWait(%),Irq(%),Soft(%),Idle(%)", {}};
  for (const analyze::CpuUse& use : analyze::cpu_use(trace)) {
    SummaryLine line = line_of(use.device);
    line.text(cpu_name(use.kind)).number(use.user).number(use.system).number(use.io_wait);
    table.rows.push_back(line.number(use.irq).number(use.soft_irq).number(use.idle).take());
  }
  return table;
}

SummaryTable process_cpu_usage(const Trace& trace) {
  SummaryTable table{"process_cpu_usage", "Device_id,PID,Name,CPU(%)", {}};
  for (const analyze::ProcessCpuUse& use : analyze::process_cpu_use(trace)) {
    SummaryLine line = line_of(use.device);
    line.integer(use.pid).text(trace.strings.view(use.name));
    table.rows.push_back(line.number(use.percent).take());
  }
  return table;
}

// Means of kilobytes and pages are shown without the part that is less than one.
SummaryTable system_memory(const Trace& trace) {
  SummaryTable table{"sys_mem",
                     "Device_id,Memory Total(kB),Memory Free(kB),Buffers(kB),Cached(kB),"
                     "Share Memory(kB),Commit Limit(kB),Committed AS(kB),Huge Pages Total(pages),"
                     "Huge Pages Free(pages)",
                     {}};
  for (const analyze::SystemMemoryUse& use : analyze::system_memory_use(trace)) {
    SummaryLine line = line_of(use.device);
    for (const double value :
         {use.total_kb, use.free_kb, use.buffers_kb, use.cached_kb, use.shared_kb,
          use.commit_limit_kb, use.committed_kb, use.huge_pages_total, use.huge_pages_free}) {
      line.whole(std::floor(value));
    }
    table.rows.push_back(line.take());
  }
  return table;
}

SummaryTable process_memory(const Trace& trace) {
  SummaryTable table{
      "process_mem", "Device_id,PID,Name,Size(pages),Resident(pages),Shared(pages)", {}};
  for (const analyze::ProcessMemoryUse& use : analyze::process_memory_use(trace)) {
    SummaryLine line = line_of(use.device);
    line.integer(use.pid).text(trace.strings.view(use.name)).whole(std::floor(use.size_pages));
    line.whole(std::floor(use.resident_pages)).whole(std::floor(use.shared_pages));
    table.rows.push_back(line.take());
  }
  return table;
}

SummaryTable top_functions(const Trace& trace, CpuKind kind, std::string_view stem) {
  SummaryTable table{stem, "Device_id,Function,Module,Cycles,Cycles(%)", {}};
  for (const analyze::FunctionCycles& function : analyze::function_cycles(trace, kind)) {
    SummaryLine line = line_of(function.device);
    line.text(trace.strings.view(function.function)).text(trace.strings.view(function.module));
    table.rows.push_back(line.integer(function.cycles).number(function.percent).take());
  }
  return table;
}

// The scheduler's functions are addresses, of which only the first few are of use.
SummaryTable top_scheduler_functions(const Trace& trace) {
  constexpr std::size_t kMost = 5;
  SummaryTable table{"ts_cpu_top_function", "Device_id,Function,Cycles,Cycles(%)", {}};
  std::map<std::uint16_t, std::size_t> shown;
  for (const auto& function : analyze::function_cycles(trace, CpuKind::kScheduler)) {
    if (++shown[function.device] > kMost) continue;
    SummaryLine line = line_of(function.device);
    line.text(trace.strings.view(function.function)).integer(function.cycles);
    table.rows.push_back(line.number(function.percent).take());
  }
  return table;
}

// "CPU_CYCLES" is shown as "Cpu_cycles".
std::string shown_event(std::uint32_t event) {
  std::string name(format::device::cpu_event_name(event));
  if (name.empty()) return "N/A";
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (name[i] >= 'A' && name[i] <= 'Z') name[i] = static_cast<char>(name[i] - 'A' + 'a');
  }
  return name;
}

SummaryTable events(const Trace& trace, CpuKind kind, std::string_view stem) {
  SummaryTable table{stem, "Device_id,Event,Name,Count", {}};
  for (const analyze::CpuEventCount& event : analyze::cpu_event_counts(trace, kind)) {
    SummaryLine line = line_of(event.device);
    line.text(fmt::format("{:#x}", event.event)).text(shown_event(event.event));
    table.rows.push_back(line.integer(event.count).take());
  }
  return table;
}

}  // namespace

std::vector<SummaryTable> processor_summaries(const Trace& trace) {
  return {cpu_usage(trace),
          process_cpu_usage(trace),
          system_memory(trace),
          process_memory(trace),
          top_functions(trace, CpuKind::kAi, "ai_cpu_top_function"),
          events(trace, CpuKind::kAi, "ai_cpu_pmu_events"),
          top_functions(trace, CpuKind::kControl, "ctrl_cpu_top_function"),
          events(trace, CpuKind::kControl, "ctrl_cpu_pmu_events"),
          top_scheduler_functions(trace),
          events(trace, CpuKind::kScheduler, "ts_cpu_pmu_events")};
}

}  // namespace npuprof::report
