#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "report/csv/sample_summary.h"
#include "report/csv/value_range.h"
#include "report/tables/text_table.h"
#include "trace/host/os_calls.h"

namespace npuprof::report {
namespace {

using analyze::SampleKind;
using analyze::Samples;
using trace::Trace;

std::vector<double> sampled_values(const Samples& samples, std::size_t value) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < samples.size(); ++i) numbers.push_back(samples.row(i)[value]);
  return numbers;
}

double peak(const std::vector<double>& numbers) {
  return numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end());
}

// What to provide so that 98 of 100 busy samples use at most 80 percent of it.
double recommended(std::vector<double> numbers) {
  constexpr double kShare = 0.98;
  constexpr double kLoad = 0.8;
  std::erase_if(numbers, [](double number) { return !(number > 0); });
  if (numbers.empty()) return 0;
  std::sort(numbers.begin(), numbers.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(static_cast<double>(numbers.size()) * kShare));
  return numbers[std::clamp<std::size_t>(rank, 1, numbers.size()) - 1] / kLoad;
}

struct CpuCounts {
  std::uint64_t all;
  std::size_t seen;
  std::size_t used;
};
constexpr auto kHostCpuUsage =
    text_table("host_cpu_usage", kHostColumn,  //
               column(TextColumn{"Total Cpu Numbers"}, &CpuCounts::all),
               column(TextColumn{"Occupied Cpu Numbers"}, &CpuCounts::seen),
               column(TextColumn{"Recommend Cpu Numbers"}, &CpuCounts::used));

std::vector<CpuCounts> cpu_rows(const Trace& trace, const Samples& samples) {
  std::set<std::uint32_t> seen;
  std::set<std::uint32_t> used;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    seen.insert(samples.unit[i]);
    if (samples.row(i)[0] > 0) used.insert(samples.unit[i]);
  }
  return {{trace.session.cpu_count, seen.size(), used.size()}};
}

struct HostMemory {
  std::uint64_t total_kb;
  std::vector<double> used_kb;

  double peak_kb() const { return peak(used_kb); }
  double recommended_kb() const { return recommended(used_kb); }
};
constexpr auto kHostMemoryUsage =
    text_table("host_mem_usage", kHostColumn,  //
               column(TextColumn{"Total Memory(KB)"}, &HostMemory::total_kb),
               column(number_column("Peak Used Memory(KB)"), &HostMemory::peak_kb),
               column(number_column("Recommend Memory(KB)"), &HostMemory::recommended_kb));

std::vector<HostMemory> memory_rows(const Trace& trace, const Samples& samples) {
  std::vector<double> used_kb = sampled_values(samples, 0);
  for (double& kb : used_kb) kb *= static_cast<double>(trace.session.memory_kb) / kPercent;
  return {{trace.session.memory_kb, std::move(used_kb)}};
}

struct DiskRates {
  std::vector<double> read;
  std::vector<double> write;
};
constexpr auto kHostDiskUsage =
    text_table("host_disk_usage", kHostColumn,  //
               column(number_column("Peak Disk Read(KB/s)"),
                      [](const DiskRates& rates) { return peak(rates.read); }),
               column(number_column("Recommend Disk Read(KB/s)"),
                      [](const DiskRates& rates) { return recommended(rates.read); }),
               column(number_column("Peak Disk Write(KB/s)"),
                      [](const DiskRates& rates) { return peak(rates.write); }),
               column(number_column("Recommend Disk Write(KB/s)"),
                      [](const DiskRates& rates) { return recommended(rates.write); }));

struct NetworkRates {
  double speed_kb_s;
  std::vector<double> used_kb_s;
};
constexpr auto kHostNetworkUsage =
    text_table("host_network_usage", kHostColumn,  //
               column(number_column("Netcard Speed(KB/s)"), &NetworkRates::speed_kb_s),
               column(number_column("Peak Used Speed(KB/s)"),
                      [](const NetworkRates& rates) { return peak(rates.used_kb_s); }),
               column(number_column("Recommend Speed(KB/s)"),
                      [](const NetworkRates& rates) { return recommended(rates.used_kb_s); }));

std::vector<NetworkRates> network_rows(const Trace& trace, const Samples& samples) {
  constexpr double kKilobytesPerMegabit = 125'000.0 / 1024;
  double speed_kb_s = 0;
  for (const auto& [name, mbit_s] : trace.session.network_cards) {
    if (mbit_s > 0) speed_kb_s += static_cast<double>(mbit_s) * kKilobytesPerMegabit;
  }
  return {{speed_kb_s, sampled_values(samples, 1)}};
}

// Calls of one name on one thread.
struct CallStatistic {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string_view name;
  Range us;
  double total_us = 0;
  std::size_t count = 0;
  double percent = 0;
};
constexpr auto kOsRuntimeStatistic = text_table(
    "os_runtime_statistic", kHostColumn,  //
    column(TextColumn{"Process ID"}, &CallStatistic::pid),
    column(TextColumn{"Thread ID"}, &CallStatistic::tid),
    column(TextColumn{"Name"}, &CallStatistic::name),
    column(number_column("Time(%)"), &CallStatistic::percent),
    column(number_column("Time(us)"), &CallStatistic::total_us),
    column(TextColumn{"Count"}, &CallStatistic::count),
    column(number_column("Avg(us)"), [](const CallStatistic& calls) { return calls.us.mean(); }),
    column(number_column("Max(us)"),
           [](const CallStatistic& calls) { return calls.us.greatest(); }),
    column(number_column("Min(us)"), [](const CallStatistic& calls) { return calls.us.least(); }));

// The longest first.
std::vector<CallStatistic> os_call_rows(const Trace& trace) {
  const auto& calls = trace.os_calls();
  std::map<std::tuple<std::uint32_t, std::uint32_t, StringId>, CallStatistic> by_name;
  double total_us = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CallStatistic& statistic = by_name[{calls.pid[i], calls.tid[i], calls.name[i]}];
    const double us = static_cast<double>(calls.end_ns[i] - calls.start_ns[i]) / 1000;
    statistic.pid = calls.pid[i];
    statistic.tid = calls.tid[i];
    statistic.name = trace.strings.view(calls.name[i]);
    statistic.us.add(us);
    statistic.total_us += us;
    ++statistic.count;
    total_us += us;
  }
  std::vector<CallStatistic> rows;
  rows.reserve(by_name.size());
  for (auto& [key, statistic] : by_name) {
    statistic.percent = total_us > 0 ? statistic.total_us * kPercent / total_us : 0;
    rows.push_back(statistic);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.total_us > b.total_us; });
  return rows;
}

}  // namespace

Status write_host_summaries(const Trace& trace, std::span<const Samples> samples,
                            const CsvTarget& target, ThreadPool& pool) {
  for (const Samples& table : samples) {
    switch (table.kind) {
      case SampleKind::kCpu:
        NPUPROF_RETURN_IF_ERROR(
            write_text_table<kHostCpuUsage>(cpu_rows(trace, table), target, pool));
        break;
      case SampleKind::kHostMemory:
        NPUPROF_RETURN_IF_ERROR(
            write_text_table<kHostMemoryUsage>(memory_rows(trace, table), target, pool));
        break;
      case SampleKind::kDisk: {
        const std::vector<DiskRates> rows{{sampled_values(table, 1), sampled_values(table, 2)}};
        NPUPROF_RETURN_IF_ERROR(write_text_table<kHostDiskUsage>(rows, target, pool));
        break;
      }
      case SampleKind::kNetwork:
        NPUPROF_RETURN_IF_ERROR(
            write_text_table<kHostNetworkUsage>(network_rows(trace, table), target, pool));
        break;
      default:
        break;
    }
  }
  return write_text_table<kOsRuntimeStatistic>(os_call_rows(trace), target, pool);
}

}  // namespace npuprof::report
