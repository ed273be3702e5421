#include "load/cann_host/host_usage_records.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/host/host_text.h"

namespace npuprof::load {
namespace {

using format::host::HostCall;
using format::host::HostCpuSample;
using format::host::HostDiskCounts;
using format::host::HostDiskSample;
using format::host::HostMemorySample;
using format::host::HostNetworkSample;
using format::host::InfoJson;
using format::host::kHostCpuFile;
using format::host::kHostDiskFile;
using format::host::kHostMemoryFile;
using format::host::kHostNetworkFile;
using format::host::kHostPthreadFile;
using format::host::kHostSyscallFile;
using format::host::NetworkCard;
using format::host::NetworkCounter;
using format::host::TextCounts;
using format::host::ThreadStat;
using trace::HostUsageKind;

constexpr double kDefaultDiskHz = 50;
constexpr double kPageKb = 4;
constexpr double kBytesPerMegabit = 125'000;

void report(DecodeContext& context, std::string_view file, const TextCounts& counts) {
  if (counts.bad_lines == 0) return;
  context.losses.add(context.files.text_path(file), 0, counts.bad_lines,
                     std::to_string(counts.bad_lines) + " lines cannot be read.");
}

// Nanoseconds of a number of seconds from a text file, which may be anything.
std::int64_t to_ns(double seconds) {
  constexpr double kLongest = 1e9;  // Seconds; about 30 years.
  return std::isfinite(seconds) && std::abs(seconds) < kLongest ? std::llround(seconds * 1e9) : 0;
}

class UsageWriter {
 public:
  UsageWriter(const HostClock& clock, trace::HostUsage& usage) : clock_(clock), usage_(usage) {}

  void add(HostUsageKind kind, std::uint64_t monotonic_ns, std::uint32_t unit, double percent,
           double first_rate = 0, double second_rate = 0) {
    usage_.time_ns.push_back(clock_.monotonic_to_wall(static_cast<std::int64_t>(monotonic_ns)));
    usage_.kind.push_back(static_cast<std::uint8_t>(kind));
    usage_.unit.push_back(unit);
    usage_.usage_percent.push_back(percent);
    usage_.first_rate.push_back(first_rate);
    usage_.second_rate.push_back(second_rate);
  }

 private:
  const HostClock& clock_;
  trace::HostUsage& usage_;
};

// Jiffies each thread has used up, by thread.
using ThreadJiffies = std::unordered_map<std::uint32_t, std::uint64_t>;

ThreadJiffies jiffies_of(const HostCpuSample& sample) {
  ThreadJiffies jiffies;
  for (const ThreadStat& thread : sample.threads) {
    jiffies[thread.thread_id] = thread.user_jiffies + thread.system_jiffies;
  }
  return jiffies;
}

// The use of each CPU between two samples, as of the earlier one: what the threads that were last
// seen on it used.
void add_cpu_rows(const HostCpuSample& sample, const ThreadJiffies& before, double jiffies_passed,
                  std::int64_t cpu_count, std::uint64_t time_ns, UsageWriter& writer) {
  std::map<std::uint32_t, double> used_of_cpu;
  double used_in_all = 0;
  for (const ThreadStat& thread : sample.threads) {
    const auto earlier = before.find(thread.thread_id);
    const std::uint64_t now = thread.user_jiffies + thread.system_jiffies;
    const std::uint64_t then = earlier == before.end() ? 0 : earlier->second;
    const double used = std::min(now > then ? static_cast<double>(now - then) : 0, jiffies_passed);
    used_of_cpu[thread.cpu] += used;
    used_in_all += used;
  }
  for (const auto& [cpu, used] : used_of_cpu) {
    const double percent = used * 100 / jiffies_passed;
    if (percent <= 100) writer.add(HostUsageKind::kCpu, time_ns, cpu, percent);
  }
  if (cpu_count > 0) {
    writer.add(HostUsageKind::kCpu, time_ns, trace::kNone,
               used_in_all * 100 / (jiffies_passed * static_cast<double>(cpu_count)));
  }
}

void decode_cpu(DecodeContext& context, const InfoJson& info, UsageWriter& writer) {
  const std::string text = context.files.read_text(kHostCpuFile, context.losses);
  const double jiffies_per_second =
      info.jiffies_per_second > 0 ? static_cast<double>(info.jiffies_per_second) : 100;
  bool has_earlier = false;
  std::uint64_t earlier_ns = 0;
  double earlier_uptime_s = 0;
  ThreadJiffies earlier;
  report(context, kHostCpuFile, format::host::read_host_cpu(text, [&](const HostCpuSample& sample) {
           const double passed = (sample.uptime_s - earlier_uptime_s) * jiffies_per_second;
           if (has_earlier && passed > 0) {
             add_cpu_rows(sample, earlier, passed, info.cpu_count, earlier_ns, writer);
           }
           has_earlier = true;
           earlier_ns = sample.time_ns;
           earlier_uptime_s = sample.uptime_s;
           earlier = jiffies_of(sample);
         }));
}

void decode_memory(DecodeContext& context, const InfoJson& info, UsageWriter& writer) {
  if (info.memory_total_kb <= 0) return;
  const std::string text = context.files.read_text(kHostMemoryFile, context.losses);
  std::optional<std::uint64_t> earlier_ns;
  report(context, kHostMemoryFile,
         format::host::read_host_memory(text, [&](const HostMemorySample& sample) {
           if (earlier_ns) {
             writer.add(HostUsageKind::kMemory, *earlier_ns, trace::kNone,
                        static_cast<double>(sample.resident_pages) * kPageKb * 100 /
                            static_cast<double>(info.memory_total_kb));
           }
           earlier_ns = sample.time_ns;
         }));
}

// The file gives no times but one: that of the first sample, in its last line.
void decode_disk(DecodeContext& context, double sample_hz, UsageWriter& writer) {
  const std::string text = context.files.read_text(kHostDiskFile, context.losses);
  if (text.empty()) return;
  std::vector<HostDiskSample> samples;
  const HostDiskCounts counts = format::host::read_host_disk(
      text, [&](const HostDiskSample& sample) { samples.push_back(sample); });
  report(context, kHostDiskFile, counts);
  if (!counts.start_time_ns) {
    context.losses.add(context.files.text_path(kHostDiskFile), text.size(), samples.size(),
                       "The file has no start time, so its samples have no times.");
    return;
  }
  const double period_s = 1 / (sample_hz > 0 ? sample_hz : kDefaultDiskHz);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto after_ns = static_cast<std::uint64_t>(to_ns(static_cast<double>(i) * period_s));
    writer.add(HostUsageKind::kDisk, *counts.start_time_ns + after_ns, trace::kNone,
               samples[i].io_percent, samples[i].read_kb_s, samples[i].write_kb_s);
  }
}

struct NetworkBytes {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
};

std::uint64_t increase(std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; }

void decode_network(DecodeContext& context, const InfoJson& info, UsageWriter& writer) {
  const std::string text = context.files.read_text(kHostNetworkFile, context.losses);
  std::map<std::string, double, std::less<>> capacity;  // Bytes per second of known cards.
  for (const NetworkCard& card : info.network_cards) {
    if (card.speed_mbit_s > 0) {
      capacity[card.name] = static_cast<double>(card.speed_mbit_s) * kBytesPerMegabit;
    }
  }
  std::optional<std::uint64_t> earlier_ns;
  std::map<std::string, NetworkBytes, std::less<>> earlier;
  report(context, kHostNetworkFile,
         format::host::read_host_network(text, [&](const HostNetworkSample& sample) {
           double bytes = 0;
           double bytes_per_second = 0;
           for (const NetworkCounter& counter : sample.interfaces) {
             const auto known = capacity.find(counter.name);
             if (known == capacity.end()) continue;
             const auto [found, is_new] =
                 earlier.try_emplace(std::string(counter.name),
                                     NetworkBytes{counter.received_bytes, counter.sent_bytes});
             bytes += static_cast<double>(increase(found->second.received, counter.received_bytes) +
                                          increase(found->second.sent, counter.sent_bytes));
             bytes_per_second += known->second;
             found->second = {counter.received_bytes, counter.sent_bytes};
           }
           if (earlier_ns && sample.time_ns > *earlier_ns && bytes_per_second > 0) {
             const double seconds = static_cast<double>(sample.time_ns - *earlier_ns) / 1e9;
             writer.add(HostUsageKind::kNetwork, *earlier_ns, trace::kNone,
                        bytes * 100 / (seconds * bytes_per_second), bytes / seconds / 1024);
           }
           earlier_ns = sample.time_ns;
         }));
}

}  // namespace

void decode_host_usage(DecodeContext& context, const InfoJson& info, double disk_sample_hz,
                       trace::HostUsage& usage) {
  UsageWriter writer(context.clock, usage);
  decode_cpu(context, info, writer);
  decode_memory(context, info, writer);
  decode_disk(context, disk_sample_hz, writer);
  decode_network(context, info, writer);
}

void decode_os_calls(DecodeContext& context, std::int64_t begin_ns, std::uint32_t pid,
                     trace::OsCalls& calls) {
  const auto decode = [&](std::string_view file, auto&& read) {
    const std::string text = context.files.read_text(file, context.losses);
    std::optional<double> first_s;
    report(context, file, read(text, [&](const HostCall& call) {
             if (!first_s) first_s = call.begin_s;
             const std::int64_t start_ns = begin_ns + to_ns(call.begin_s - *first_s);
             calls.start_ns.push_back(start_ns);
             calls.end_ns.push_back(start_ns + std::max<std::int64_t>(to_ns(call.duration_s), 0));
             calls.pid.push_back(pid);
             calls.tid.push_back(call.thread_id);
             calls.name.push_back(context.names.intern(call.name));
           }));
  };
  decode(kHostSyscallFile, format::host::read_host_syscalls);
  decode(kHostPthreadFile, format::host::read_host_pthread_calls);
}

}  // namespace npuprof::load
