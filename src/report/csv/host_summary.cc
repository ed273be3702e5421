#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "base/units.h"
#include "report/csv/sample_summary.h"
#include "report/csv/summary_text.h"
#include "trace/host/os_calls.h"

namespace npuprof::report {
namespace {

using analyze::SampleKind;
using analyze::Samples;
using trace::Trace;

constexpr std::string_view kHost = "host";

std::vector<double> column(const Samples& samples, std::size_t value) {
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

SummaryTable cpu(const Trace& trace, const Samples& samples) {
  std::set<std::uint32_t> seen;
  std::set<std::uint32_t> used;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    seen.insert(samples.unit[i]);
    if (samples.row(i)[0] > 0) used.insert(samples.unit[i]);
  }
  SummaryLine line(kHost);
  line.integer(trace.session.cpu_count).integer(seen.size()).integer(used.size());
  return {"host_cpu_usage",
          "Device_id,Total Cpu Numbers,Occupied Cpu Numbers,Recommend Cpu Numbers",
          {line.take()}};
}

SummaryTable memory(const Trace& trace, const Samples& samples) {
  std::vector<double> used_kb = column(samples, 0);
  for (double& kb : used_kb) kb *= static_cast<double>(trace.session.memory_kb) / kPercent;
  SummaryLine line(kHost);
  line.integer(trace.session.memory_kb).number(peak(used_kb)).number(recommended(used_kb));
  return {"host_mem_usage",
          "Device_id,Total Memory(KB),Peak Used Memory(KB),Recommend Memory(KB)",
          {line.take()}};
}

SummaryTable disk(const Samples& samples) {
  SummaryLine line(kHost);
  for (const std::size_t value : {1, 2}) {
    const std::vector<double> rates = column(samples, value);
    line.number(peak(rates)).number(recommended(rates));
  }
  return {"host_disk_usage",
          "Device_id,Peak Disk Read(KB/s),Recommend Disk Read(KB/s),Peak Disk Write(KB/s),"
          "Recommend Disk Write(KB/s)",
          {line.take()}};
}

SummaryTable network(const Trace& trace, const Samples& samples) {
  constexpr double kKilobytesPerMegabit = 125'000.0 / 1024;
  double speed_kb_s = 0;
  for (const auto& [name, mbit_s] : trace.session.network_cards) {
    if (mbit_s > 0) speed_kb_s += static_cast<double>(mbit_s) * kKilobytesPerMegabit;
  }
  const std::vector<double> rates = column(samples, 1);
  SummaryLine line(kHost);
  line.number(speed_kb_s).number(peak(rates)).number(recommended(rates));
  return {"host_network_usage",
          "Device_id,Netcard Speed(KB/s),Peak Used Speed(KB/s),Recommend Speed(KB/s)",
          {line.take()}};
}

// Calls of one name on one thread.
struct CallStatistic {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  StringId name{};
  Range us;
  double total_us = 0;
  std::size_t count = 0;
};

SummaryTable os_calls(const Trace& trace) {
  const auto& calls = trace.os_calls();
  std::map<std::tuple<std::uint32_t, std::uint32_t, StringId>, CallStatistic> by_name;
  double total_us = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CallStatistic& statistic = by_name[{calls.pid[i], calls.tid[i], calls.name[i]}];
    const double us = static_cast<double>(calls.end_ns[i] - calls.start_ns[i]) / 1000;
    statistic.pid = calls.pid[i];
    statistic.tid = calls.tid[i];
    statistic.name = calls.name[i];
    statistic.us.add(us);
    statistic.total_us += us;
    ++statistic.count;
    total_us += us;
  }
  std::vector<CallStatistic> sorted;
  sorted.reserve(by_name.size());
  for (const auto& [key, statistic] : by_name) sorted.push_back(statistic);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.total_us > b.total_us; });
  SummaryTable table{"os_runtime_statistic",
                     "Device_id,Process ID,Thread ID,Name,Time(%),Time(us),Count,Avg(us),Max(us),"
                     "Min(us)",
                     {}};
  for (const CallStatistic& statistic : sorted) {
    SummaryLine line(kHost);
    line.integer(statistic.pid).integer(statistic.tid).text(trace.strings.view(statistic.name));
    line.number(total_us > 0 ? statistic.total_us * kPercent / total_us : 0);
    line.number(statistic.total_us).integer(statistic.count).number(statistic.us.mean());
    line.number(statistic.us.greatest()).number(statistic.us.least());
    table.rows.push_back(line.take());
  }
  return table;
}

}  // namespace

std::vector<SummaryTable> host_summaries(const Trace& trace, std::span<const Samples> samples) {
  std::vector<SummaryTable> tables;
  for (const Samples& table : samples) {
    switch (table.kind) {
      case SampleKind::kCpu:
        tables.push_back(cpu(trace, table));
        break;
      case SampleKind::kHostMemory:
        tables.push_back(memory(trace, table));
        break;
      case SampleKind::kDisk:
        tables.push_back(disk(table));
        break;
      case SampleKind::kNetwork:
        tables.push_back(network(trace, table));
        break;
      default:
        break;
    }
  }
  if (trace.os_calls().size() > 0) tables.push_back(os_calls(trace));
  return tables;
}

}  // namespace npuprof::report
