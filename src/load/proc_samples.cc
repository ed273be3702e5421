#include "load/proc_samples.h"

#include <algorithm>

#include "base/text.h"
#include "format/host/proc_blocks.h"
#include "format/text_scan.h"

namespace npuprof::load {
namespace {

using format::host::CpuTimes;
using format::host::ProcBlock;

// Calls `add(block)` for each block, which returns whether the body could be read.
template <typename Add>
std::size_t add_blocks(std::string_view text, Add&& add) {
  std::size_t bad_blocks = 0;
  const auto counts = format::host::read_proc_blocks(text, [&](const ProcBlock& block) {
    if (!add(block)) ++bad_blocks;
  });
  return counts.bad_lines + bad_blocks;
}

// Adds up CPUs.
struct CpuSum {
  CpuTimes times;
  std::size_t cpus = 0;

  void add(const CpuTimes& cpu) {
    times.user += cpu.user;
    times.nice += cpu.nice;
    times.system += cpu.system;
    times.idle += cpu.idle;
    times.io_wait += cpu.io_wait;
    times.irq += cpu.irq;
    times.soft_irq += cpu.soft_irq;
    times.steal += cpu.steal;
    ++cpus;
  }
};

void append_sample(const CpuTimes& times, std::int64_t time_ns, std::uint16_t device,
                   trace::CpuKind kind, trace::SystemCpuTimes& table) {
  table.time_ns.push_back(time_ns);
  table.device.push_back(device);
  table.cpu_kind.push_back(static_cast<std::uint8_t>(kind));
  table.user.push_back(times.user);
  table.system.push_back(times.system);
  table.io_wait.push_back(times.io_wait);
  table.irq.push_back(times.irq);
  table.soft_irq.push_back(times.soft_irq);
  table.idle.push_back(times.idle);
  table.total.push_back(times.total());
}

// The CPUs of a block that `includes` names, together; nothing if there are none.
template <typename Includes>
std::optional<CpuTimes> sum_of_cpus(std::string_view body, Includes&& includes) {
  CpuSum sum;
  std::string_view line;
  while (format::take_line(body, line)) {
    const auto times = format::host::parse_cpu_times(line);
    if (times && includes(times->cpu())) sum.add(*times);
  }
  if (sum.cpus == 0) return std::nullopt;
  return sum.times;
}

}  // namespace

std::size_t add_system_cpu_times(std::string_view text, const ProcSource& source,
                                 std::span<const CpuGroup> groups, trace::SystemCpuTimes& table) {
  return add_blocks(text, [&](const ProcBlock& block) {
    const std::int64_t time_ns = source.to_wall_ns(block.time_ns);
    if (groups.empty()) {
      const auto all = sum_of_cpus(block.body, [](const auto& cpu) { return !cpu.has_value(); });
      if (all) append_sample(*all, time_ns, source.device, trace::CpuKind::kHost, table);
      return all.has_value();
    }
    bool is_whole = true;
    for (const CpuGroup& group : groups) {
      if (group.cpus.empty()) continue;
      const auto sum = sum_of_cpus(block.body, [&](const auto& cpu) {
        return cpu && std::find(group.cpus.begin(), group.cpus.end(), *cpu) != group.cpus.end();
      });
      if (sum) append_sample(*sum, time_ns, source.device, group.kind, table);
      is_whole = is_whole && sum.has_value();
    }
    return is_whole;
  });
}

std::size_t add_process_cpu_times(std::string_view text, const ProcSource& source,
                                  std::uint32_t pid, trace::ProcessCpuTimes& table) {
  return add_blocks(text, [&](const ProcBlock& block) {
    const auto times = format::host::parse_process_times(block.body);
    if (!times) return false;
    table.time_ns.push_back(source.to_wall_ns(block.time_ns));
    table.device.push_back(source.device);
    table.pid.push_back(pid);
    table.name.push_back(source.intern(times->name));
    table.used.push_back(times->used_jiffies);
    table.machine.push_back(times->machine_jiffies);
    return true;
  });
}

std::size_t add_system_memory(std::string_view text, const ProcSource& source,
                              trace::SystemMemory& table) {
  return add_blocks(text, [&](const ProcBlock& block) {
    const auto info = format::host::parse_memory_info(block.body);
    if (!info) return false;
    table.time_ns.push_back(source.to_wall_ns(block.time_ns));
    table.device.push_back(source.device);
    table.total_kb.push_back(info->total_kb);
    table.free_kb.push_back(info->free_kb);
    table.buffers_kb.push_back(info->buffers_kb);
    table.cached_kb.push_back(info->cached_kb);
    table.shared_kb.push_back(info->shared_kb);
    table.commit_limit_kb.push_back(info->commit_limit_kb);
    table.committed_kb.push_back(info->committed_kb);
    table.huge_pages_total.push_back(info->huge_pages_total);
    table.huge_pages_free.push_back(info->huge_pages_free);
    return true;
  });
}

std::size_t add_process_memory(std::string_view text, const ProcSource& source, std::uint32_t pid,
                               trace::ProcessMemory& table) {
  return add_blocks(text, [&](const ProcBlock& block) {
    const auto pages = format::host::parse_process_pages(block.body);
    if (!pages) return false;
    table.time_ns.push_back(source.to_wall_ns(block.time_ns));
    table.device.push_back(source.device);
    table.pid.push_back(pid);
    table.name.push_back(source.intern(pages->name));
    table.size_pages.push_back(pages->size);
    table.resident_pages.push_back(pages->resident);
    table.shared_pages.push_back(pages->shared);
    return true;
  });
}

std::optional<std::uint32_t> process_of_file(std::string_view base, std::string_view suffix) {
  if (!base.ends_with(suffix)) return std::nullopt;
  return parse_number<std::uint32_t>(base.substr(0, base.size() - suffix.size()));
}

}  // namespace npuprof::load
