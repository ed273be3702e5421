#include "load/cann_device/processor_files.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "format/device/file_names.h"
#include "format/device/perf_text.h"
#include "format/device/tscpu.h"
#include "format/host/proc_blocks.h"
#include "load/proc_samples.h"
#include "trace/machine/cpu_kind.h"
#include "trace/machine/cpu_samples.h"
#include "trace/machine/process_cpu_times.h"
#include "trace/machine/process_memory.h"
#include "trace/machine/system_cpu_times.h"
#include "trace/machine/system_memory.h"

namespace npuprof::load {
namespace {

using format::device::PerfSample;
using format::device::TsCpuEvent;
using format::device::TsCpuSample;
using format::device::TsCpuSample610;
using format::host::kDeviceSystemCpuFile;
using format::host::kDeviceSystemMemoryFile;
using format::host::kProcessCpuSuffix;
using format::host::kProcessMemorySuffix;
using trace::CpuKind;

constexpr std::uint64_t kLastEvent = 0xFFFF;
constexpr std::uint64_t kGreatestCount = std::uint64_t{1} << 56;  // Years of cycles.

bool contains(const std::vector<std::uint32_t>& numbers, std::uint32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

class ProcessorLoader {
 public:
  ProcessorLoader(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out)
      : files_(files),
        config_(config),
        out_(out),
        source_{
            .device = config.info.id,
            .to_wall_ns =
                [&config](std::uint64_t ns) { return config.clock.from_device_monotonic(ns); },
            .intern = [&out](std::string_view name) { return out.tables.strings.intern(name); }} {}

  void load_system() {
    if (files_.has(kDeviceSystemCpuFile) && knows_cpus(kDeviceSystemCpuFile)) {
      const CpuGroup groups[] = {{CpuKind::kAi, config_.info.ai_cpus},
                                 {CpuKind::kControl, config_.info.control_cpus}};
      read(kDeviceSystemCpuFile, [&](std::string_view text) {
        return add_system_cpu_times(text, source_, groups, out_.tables.system_cpu_times());
      });
    }
    read(kDeviceSystemMemoryFile, [&](std::string_view text) {
      return add_system_memory(text, source_, out_.tables.system_memory());
    });
  }

  void load_processes() {
    read_processes(kProcessCpuSuffix, [&](std::string_view text, std::uint32_t pid) {
      return add_process_cpu_times(text, source_, pid, out_.tables.process_cpu_times());
    });
    read_processes(kProcessMemorySuffix, [&](std::string_view text, std::uint32_t pid) {
      return add_process_memory(text, source_, pid, out_.tables.process_memory());
    });
  }

  // CPUs that are neither AI nor control CPUs do not concern the user's program.
  void load_perf_samples() {
    if (!files_.has(format::device::kControlCpuFile) ||
        !knows_cpus(format::device::kControlCpuFile))
      return;
    read(format::device::kControlCpuFile, [&](std::string_view text) {
      return format::device::read_perf_samples(
                 text,
                 [&](const PerfSample& sample) {
                   const auto kind = kind_of(sample.cpu);
                   if (!kind || sample.time_ns < 0) return;
                   const auto time_ns = static_cast<std::uint64_t>(sample.time_ns);
                   append(config_.clock.from_device_monotonic(time_ns), *kind, sample.event,
                          sample.count, out_.tables.strings.intern(sample.function),
                          out_.tables.strings.intern(sample.module));
                 })
          .damaged;
    });
  }

  // Most chips have a 64-bit CPU for the scheduler; which layout a file has shows by the marks of
  // its records.
  void load_scheduler_samples() {
    const DeviceFile file = files_.open(format::device::kSchedulerCpuFile, out_.losses);
    if (file.empty()) return;
    if (count_marks<TsCpuSample610>(file) > count_marks<TsCpuSample>(file)) {
      load_scheduler_records<TsCpuSample610>(file);
    } else {
      load_scheduler_records<TsCpuSample>(file);
    }
  }

 private:
  // Reads one file with `add(text)`, which returns the number of damaged places.
  template <typename Add>
  void read(std::string_view base, Add&& add) {
    const DeviceFile file = files_.open(base, out_.losses);
    const std::string text = file.text();
    const std::size_t damaged = add(text);
    if (damaged == 0) return;
    out_.losses.add(file.name(), 0, damaged,
                    fmt::format("{} sample(s) or line(s) cannot be read.", damaged));
  }

  template <typename Add>
  void read_processes(std::string_view suffix, Add&& add) {
    for (const std::string& base : files_.names_with_suffix(suffix)) {
      const auto pid = process_of_file(base, suffix);
      if (pid) read(base, [&](std::string_view text) { return add(text, *pid); });
    }
  }

  bool knows_cpus(std::string_view base) {
    if (!config_.info.ai_cpus.empty() || !config_.info.control_cpus.empty()) return true;
    out_.losses.add(files_.open(base, out_.losses).name(), 0, 0,
                    "The file was left out: info.json does not tell what the device's CPUs are.");
    return false;
  }

  std::optional<CpuKind> kind_of(std::uint32_t cpu) const {
    if (contains(config_.info.control_cpus, cpu)) return CpuKind::kControl;
    if (contains(config_.info.ai_cpus, cpu)) return CpuKind::kAi;
    return std::nullopt;
  }

  template <format::Record T>
  static std::size_t count_marks(const DeviceFile& file) {
    trace::Losses ignored;  // The records are read again.
    std::size_t marks = 0;
    const auto has_mark = [](const T& sample) { return sample.has_magic(); };
    file.for_each_record<T>(ignored, has_mark, [&](const T& sample) {
      marks += sample.has_magic() ? 1 : 0;
      return true;
    });
    return marks;
  }

  template <format::Record T>
  void load_scheduler_records(const DeviceFile& file) {
    const auto plausible = [](const T& sample) {
      return sample.has_magic() &&
             std::all_of(sample.events.begin(), sample.events.end(), [](const TsCpuEvent& entry) {
               return entry.event <= kLastEvent && entry.count <= kGreatestCount;
             });
    };
    file.for_each_record<T>(out_.losses, plausible, [&](const T& sample) {
      if (!plausible(sample)) return false;
      const std::int64_t time_ns = config_.clock.from_syscnt(sample.timestamp);
      const StringId function = out_.tables.strings.intern(fmt::format("{:#x}", sample.pc.get()));
      for (const TsCpuEvent& entry : sample.events) {
        const auto event = static_cast<std::uint32_t>(entry.event);
        // Counters that are not in use show event 0.
        if (entry.count == 0 && !contains(config_.info.scheduler_events, event)) continue;
        append(time_ns, CpuKind::kScheduler, event, entry.count, function, kEmptyString);
      }
      return true;
    });
  }

  void append(std::int64_t time_ns, CpuKind kind, std::uint32_t event, std::uint64_t count,
              StringId function, StringId module) {
    trace::CpuSamples& table = out_.tables.cpu_samples();
    table.time_ns.push_back(time_ns);
    table.device.push_back(config_.info.id);
    table.cpu_kind.push_back(static_cast<std::uint8_t>(kind));
    table.event.push_back(event);
    table.count.push_back(count);
    table.function.push_back(function);
    table.module.push_back(module);
  }

  const DeviceFiles& files_;
  const DeviceConfig& config_;
  DevicePart& out_;
  ProcSource source_;
};

}  // namespace

void load_processor_files(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out) {
  ProcessorLoader loader(files, config, out);
  loader.load_system();
  loader.load_processes();
  loader.load_perf_samples();
  loader.load_scheduler_samples();
}

}  // namespace npuprof::load
