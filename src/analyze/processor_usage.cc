#include "analyze/processor_usage.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/sample_tables.h"
#include "base/saturated.h"
#include "base/units.h"
#include "format/device/cpu_events.h"
#include "trace/machine/cpu_kind.h"
#include "trace/machine/cpu_samples.h"
#include "trace/machine/process_cpu_times.h"
#include "trace/machine/process_memory.h"
#include "trace/machine/system_cpu_times.h"
#include "trace/machine/system_memory.h"

namespace npuprof::analyze {
namespace {

using trace::CpuKind;
using trace::Trace;

// Rows of one counter between which it is to be compared.
struct Span {
  std::size_t first = 0;
  std::size_t last = 0;
};

// For counters that only grow: for each key the last row, and the one to count from. That is the
// last row before `begin_ns` if there is one, so that all of the time after it counts.
template <typename Key, typename KeyOf>
std::map<Key, Span> spans(const std::vector<std::int64_t>& time_ns, std::int64_t begin_ns,
                          const KeyOf& key_of) {
  std::map<Key, Span> found;
  for (std::size_t i = 0; i < time_ns.size(); ++i) {
    Span& span = found.try_emplace(key_of(i), Span{i, i}).first->second;
    if (time_ns[i] < time_ns[span.first]) span.first = i;
    if (time_ns[i] >= time_ns[span.last]) span.last = i;
  }
  for (std::size_t i = 0; i < time_ns.size(); ++i) {
    Span& span = found.at(key_of(i));
    const bool is_nearer = time_ns[i] <= begin_ns && time_ns[i] > time_ns[span.first];
    // A clock that is wrong by far must not hide all rows.
    if (is_nearer && time_ns[span.last] > begin_ns) span.first = i;
  }
  return found;
}

// How much a counter grew; of a single row, what it shows.
class Growth {
 public:
  explicit Growth(const Span& span) : span_(span) {}

  double of(const std::vector<std::uint64_t>& counter) const {
    const std::uint64_t last = counter[span_.last];
    if (span_.first == span_.last) return static_cast<double>(last);
    const std::uint64_t first = counter[span_.first];
    return last > first ? static_cast<double>(last - first) : 0;
  }

 private:
  Span span_;
};

double percent_of(double part, double whole) { return whole > 0 ? part * kPercent / whole : 0; }

// Adds values up for a mean.
class Mean {
 public:
  void add(std::uint64_t value) {
    sum_ += static_cast<double>(value);
    ++count_;
  }
  double value() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<CpuUse> cpu_use(const Trace& trace) {
  using Key = std::pair<std::uint16_t, std::uint8_t>;
  const auto& rows = trace.system_cpu_times();
  std::vector<CpuUse> uses;
  for (const auto& [key, span] :
       spans<Key>(rows.time_ns, trace.session.begin_ns, [&](std::size_t i) {
         return Key{rows.device[i], rows.cpu_kind[i]};
       })) {
    const Growth growth(span);
    const double total = growth.of(rows.total);
    uses.push_back({.device = key.first,
                    .kind = static_cast<CpuKind>(key.second),
                    .user = percent_of(growth.of(rows.user), total),
                    .system = percent_of(growth.of(rows.system), total),
                    .io_wait = percent_of(growth.of(rows.io_wait), total),
                    .irq = percent_of(growth.of(rows.irq), total),
                    .soft_irq = percent_of(growth.of(rows.soft_irq), total),
                    .idle = percent_of(growth.of(rows.idle), total)});
  }
  return uses;
}

std::vector<ProcessCpuUse> process_cpu_use(const Trace& trace) {
  using Key = std::pair<std::uint16_t, std::uint32_t>;
  const auto& rows = trace.process_cpu_times();
  std::vector<ProcessCpuUse> uses;
  for (const auto& [key, span] :
       spans<Key>(rows.time_ns, trace.session.begin_ns, [&](std::size_t i) {
         return Key{rows.device[i], rows.pid[i]};
       })) {
    const Growth growth(span);
    uses.push_back({.device = key.first,
                    .pid = key.second,
                    .name = rows.name[span.last],
                    .percent = percent_of(growth.of(rows.used), growth.of(rows.machine))});
  }
  std::stable_sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) {
    return std::pair(a.device, -a.percent) < std::pair(b.device, -b.percent);
  });
  return uses;
}

std::vector<SystemMemoryUse> system_memory_use(const Trace& trace) {
  const auto& rows = trace.system_memory();
  std::map<std::uint16_t, std::array<Mean, 9>> devices;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& means = devices[rows.device[i]];
    std::size_t column = 0;
    for (const auto* values : {&rows.total_kb, &rows.free_kb, &rows.buffers_kb, &rows.cached_kb,
                               &rows.shared_kb, &rows.commit_limit_kb, &rows.committed_kb,
                               &rows.huge_pages_total, &rows.huge_pages_free}) {
      means[column++].add((*values)[i]);
    }
  }
  std::vector<SystemMemoryUse> uses;
  uses.reserve(devices.size());
  for (const auto& [device, means] : devices) {
    uses.push_back({device, means[0].value(), means[1].value(), means[2].value(), means[3].value(),
                    means[4].value(), means[5].value(), means[6].value(), means[7].value(),
                    means[8].value()});
  }
  return uses;
}

std::vector<ProcessMemoryUse> process_memory_use(const Trace& trace) {
  struct Pages {
    StringId name{};
    Mean size;
    Mean resident;
    Mean shared;
  };
  const auto& rows = trace.process_memory();
  std::map<std::pair<std::uint16_t, std::uint32_t>, Pages> processes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Pages& pages = processes[{rows.device[i], rows.pid[i]}];
    pages.name = rows.name[i];
    pages.size.add(rows.size_pages[i]);
    pages.resident.add(rows.resident_pages[i]);
    pages.shared.add(rows.shared_pages[i]);
  }
  std::vector<ProcessMemoryUse> uses;
  uses.reserve(processes.size());
  for (const auto& [key, pages] : processes) {
    uses.push_back({key.first, key.second, pages.name, pages.size.value(), pages.resident.value(),
                    pages.shared.value()});
  }
  const auto all_pages = [](const ProcessMemoryUse& use) {
    return use.size_pages + use.resident_pages + use.shared_pages;
  };
  std::stable_sort(uses.begin(), uses.end(), [&](const auto& a, const auto& b) {
    return std::pair(a.device, -all_pages(a)) < std::pair(b.device, -all_pages(b));
  });
  return uses;
}

std::vector<FunctionCycles> function_cycles(const Trace& trace, CpuKind kind) {
  const auto& rows = trace.cpu_samples();
  // Sorted by text, so that functions of equal length are in the same order in every run.
  std::map<std::tuple<std::uint16_t, std::string_view, std::string_view>, FunctionCycles> functions;
  std::map<std::uint16_t, std::uint64_t> cycles_of_device;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.cpu_kind[i] != static_cast<std::uint8_t>(kind) || rows.count[i] == 0 ||
        rows.event[i] != format::device::kCpuCyclesEvent) {
      continue;
    }
    FunctionCycles& function = functions[{rows.device[i], trace.strings.view(rows.function[i]),
                                          trace.strings.view(rows.module[i])}];
    function.device = rows.device[i];
    function.function = rows.function[i];
    function.module = rows.module[i];
    add_saturated(function.cycles, rows.count[i]);
    add_saturated(cycles_of_device[rows.device[i]], rows.count[i]);
  }
  std::vector<FunctionCycles> sorted;
  for (auto& [key, function] : functions) {
    function.percent = percent_of(static_cast<double>(function.cycles),
                                  static_cast<double>(cycles_of_device[function.device]));
    sorted.push_back(function);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.device != b.device ? a.device < b.device : a.cycles > b.cycles;
  });
  return sorted;
}

std::vector<CpuEventCount> cpu_event_counts(const Trace& trace, CpuKind kind) {
  const auto& rows = trace.cpu_samples();
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint64_t> counts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.cpu_kind[i] != static_cast<std::uint8_t>(kind)) continue;
    add_saturated(counts[{rows.device[i], rows.event[i]}], rows.count[i]);
  }
  std::vector<CpuEventCount> sorted;
  for (const auto& [key, count] : counts) {
    const trace::DeviceInfo* info = find_device(trace, key.first);
    if (kind == CpuKind::kScheduler && info != nullptr && !info->scheduler_events.empty()) {
      const auto& asked = info->scheduler_events;
      if (std::find(asked.begin(), asked.end(), key.second) == asked.end()) continue;
    }
    sorted.push_back({key.first, key.second, count});
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.device != b.device ? a.device < b.device : a.count > b.count;
  });
  return sorted;
}

}  // namespace npuprof::analyze
