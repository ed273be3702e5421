#include "analyze/cache_310.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include "analyze/sample_tables.h"
#include "base/units.h"
#include "format/device/perf_text.h"
#include "trace/device/memory_bandwidth.h"

namespace npuprof::analyze {
namespace {

using format::device::CacheEvent310;
using format::device::kCacheCpus310;
using trace::Trace;

constexpr auto kFirstCpu = static_cast<std::uint32_t>(CacheEvent310::kLinesOfCpu0);
constexpr std::size_t kEvents = kFirstCpu + kCacheCpus310;
constexpr double kLineBytes = 64;

// The counters of one device. Each count is of the time since the one before.
struct Counters {
  std::array<double, kEvents> counts{};
  std::array<double, kEvents> after_first{};  // Without those whose time is not known.
  std::array<bool, kEvents> is_seen{};
  bool has_times = false;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

class Collector {
 public:
  explicit Collector(const Trace& trace) : trace_(trace), rows_(trace.memory_bandwidth()) {}

  std::map<std::uint16_t, Counters> collect() {
    for_each_row([&](std::size_t i) { add_time(rows_.time_ns[i], devices_[rows_.device[i]]); });
    for_each_row([&](std::size_t i) {
      Counters& counters = devices_[rows_.device[i]];
      const auto count = static_cast<double>(rows_.count[i]);
      if (rows_.time_ns[i] > counters.first_ns) counters.after_first[rows_.event[i]] += count;
      counters.counts[rows_.event[i]] += count;
      counters.is_seen[rows_.event[i]] = true;
    });
    return std::move(devices_);
  }

 private:
  template <typename Visit>
  void for_each_row(Visit&& visit) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto kind = static_cast<trace::MemoryBandwidthKind>(rows_.kind[i]);
      if (kind == trace::MemoryBandwidthKind::kLlc310 && rows_.event[i] < kEvents &&
          rows_.time_ns[i] >= trace_.session.begin_ns) {
        visit(i);
      }
    }
  }
  static void add_time(std::int64_t time_ns, Counters& counters) {
    const bool is_first = !std::exchange(counters.has_times, true);
    counters.first_ns = is_first ? time_ns : std::min(counters.first_ns, time_ns);
    counters.last_ns = is_first ? time_ns : std::max(counters.last_ns, time_ns);
  }

  const Trace& trace_;
  const trace::MemoryBandwidth& rows_;
  std::map<std::uint16_t, Counters> devices_;
};

// MB/s of a number of accesses.
double rate(double accesses, std::int64_t time_ns) {
  if (time_ns <= 0) return 0;
  return accesses * kLineBytes / kBytesPerMegabyte * kNsPerSecond / static_cast<double>(time_ns);
}

// `allocating` is the first of three events: accesses that allocate, those that do not, hits.
CacheTraffic310 traffic(const Counters& counters, CacheEvent310 allocating,
                        const std::array<double, kEvents>& timed, std::int64_t time_ns) {
  const auto first = static_cast<std::size_t>(allocating);
  const double accesses = counters.counts[first] + counters.counts[first + 1];
  return {.mb_s = rate(timed[first] + timed[first + 1], time_ns),
          .hit_percent = accesses > 0 ? counters.counts[first + 2] * kPercent / accesses : 0,
          .hit_mb_s = rate(timed[first + 2], time_ns)};
}

std::vector<double> kilobytes(const Counters& counters, std::span<const std::uint32_t> cpus) {
  std::vector<double> result;
  for (const std::uint32_t cpu : cpus) {
    if (cpu >= kCacheCpus310) continue;
    result.push_back(counters.counts[kFirstCpu + cpu] * kLineBytes / kKilobyte);
  }
  return result;
}

}  // namespace

std::vector<CacheBandwidth310> cache_bandwidth_310(const Trace& trace) {
  std::vector<CacheBandwidth310> result;
  for (const auto& [device, counters] : Collector(trace).collect()) {
    const auto& seen = counters.is_seen;
    if (std::none_of(seen.begin(), seen.begin() + kFirstCpu, [](bool is) { return is; })) continue;
    const trace::DeviceInfo* info = find_device(trace, device);
    // Of a single count only the begin of collecting is known.
    const bool is_single = counters.first_ns == counters.last_ns;
    const std::int64_t begin_ns =
        is_single && info != nullptr ? info->counter_begin_ns : counters.first_ns;
    const std::int64_t time_ns = interval_ns(begin_ns, counters.last_ns);
    const auto& timed = is_single ? counters.counts : counters.after_first;
    result.push_back({.device = device,
                      .read = traffic(counters, CacheEvent310::kReadAllocate, timed, time_ns),
                      .write = traffic(counters, CacheEvent310::kWriteAllocate, timed, time_ns)});
  }
  return result;
}

std::vector<CacheCapacity310> cache_capacity_310(const Trace& trace) {
  // How the eight CPUs of the 310 are divided, unless the device tells.
  static constexpr std::array<std::uint32_t, 4> kControlCpus = {0, 1, 2, 3};
  static constexpr std::array<std::uint32_t, 4> kAiCpus = {4, 5, 6, 7};
  std::vector<CacheCapacity310> result;
  for (const auto& [device, counters] : Collector(trace).collect()) {
    const auto& seen = counters.is_seen;
    if (std::none_of(seen.begin() + kFirstCpu, seen.end(), [](bool is) { return is; })) continue;
    const trace::DeviceInfo* info = find_device(trace, device);
    std::span<const std::uint32_t> ai_cpus = kAiCpus;
    std::span<const std::uint32_t> control_cpus = kControlCpus;
    if (info != nullptr && (!info->ai_cpus.empty() || !info->control_cpus.empty())) {
      ai_cpus = info->ai_cpus;
      control_cpus = info->control_cpus;
    }
    result.push_back({.device = device,
                      .ai_cpu_kb = kilobytes(counters, ai_cpus),
                      .control_cpu_kb = kilobytes(counters, control_cpus)});
  }
  return result;
}

}  // namespace npuprof::analyze
