#include <string>
#include <utility>

#include "analyze/cache_310.h"
#include "report/csv/sample_summary.h"
#include "report/csv/summary_text.h"

namespace npuprof::report {
namespace {

using analyze::CacheCapacity310;
using analyze::CacheTraffic310;
using trace::Trace;

SummaryTable bandwidth(const Trace& trace) {
  static constexpr std::pair<std::string_view, double CacheTraffic310::*> kMetrics[] = {
      {"BandWidth(MB/s)", &CacheTraffic310::mb_s},
      {"Hit_Rate(%)", &CacheTraffic310::hit_percent},
      {"Hit_BandWidth(MB/s)", &CacheTraffic310::hit_mb_s}};
  SummaryTable table{"llc_bandwidth", "Device_id,Metric,l3c_rd,l3c_wr", {}};
  for (const analyze::CacheBandwidth310& device : analyze::cache_bandwidth_310(trace)) {
    for (const auto& [name, value] : kMetrics) {
      SummaryLine line(std::uint64_t{device.device});
      line.text(name).number(device.read.*value).number(device.write.*value);
      table.rows.push_back(line.take());
    }
  }
  return table;
}

SummaryTable capacity(const std::vector<CacheCapacity310>& devices,
                      std::vector<double> CacheCapacity310::*cpus, std::string_view stem) {
  SummaryTable table{stem, "", {}};
  std::size_t columns = 0;
  for (const CacheCapacity310& device : devices) {
    const std::vector<double>& kilobytes = device.*cpus;
    if (kilobytes.empty()) continue;
    if (table.header.empty()) {
      columns = kilobytes.size();
      table.header = "Device_id,Metric";
      for (std::size_t i = 0; i < columns; ++i) {
        table.header += ",CPU" + std::to_string(i) + "(KB)";
      }
      table.header += ",Total(KB)";
    }
    // Devices of one machine are alike; one that is not has no place under the header.
    if (kilobytes.size() != columns) continue;
    SummaryLine line(std::uint64_t{device.device});
    line.text("Used Capacity of LLC");
    double total = 0;
    for (const double value : kilobytes) {
      line.number(value);
      total += value;
    }
    table.rows.push_back(line.number(total).take());
  }
  return table;
}

}  // namespace

std::vector<SummaryTable> cache_summaries(const Trace& trace) {
  const std::vector<CacheCapacity310> devices = analyze::cache_capacity_310(trace);
  return {bandwidth(trace), capacity(devices, &CacheCapacity310::ai_cpu_kb, "llc_aicpu"),
          capacity(devices, &CacheCapacity310::control_cpu_kb, "llc_ctrlcpu")};
}

}  // namespace npuprof::report
