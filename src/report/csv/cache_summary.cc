#include <numeric>
#include <string>
#include <vector>

#include "analyze/cache_310.h"
#include "report/csv/sample_summary.h"
#include "report/tables/text_table.h"

namespace npuprof::report {
namespace {

using analyze::CacheCapacity310;
using analyze::CacheTraffic310;
using trace::Trace;

struct CacheTrafficRow {
  std::uint16_t device;
  std::string_view metric;
  double read;
  double write;
};
constexpr auto kLlcBandwidth = text_table("llc_bandwidth",  //
                                          column(TextColumn{"Device_id"}, &CacheTrafficRow::device),
                                          column(TextColumn{"Metric"}, &CacheTrafficRow::metric),
                                          column(number_column("l3c_rd"), &CacheTrafficRow::read),
                                          column(number_column("l3c_wr"), &CacheTrafficRow::write));

std::vector<CacheTrafficRow> bandwidth_rows(const Trace& trace) {
  std::vector<CacheTrafficRow> rows;
  for (const analyze::CacheBandwidth310& device : analyze::cache_bandwidth_310(trace)) {
    const auto add = [&](std::string_view metric, double CacheTraffic310::*value) {
      rows.push_back({device.device, metric, device.read.*value, device.write.*value});
    };
    add("BandWidth(MB/s)", &CacheTraffic310::mb_s);
    add("Hit_Rate(%)", &CacheTraffic310::hit_percent);
    add("Hit_BandWidth(MB/s)", &CacheTraffic310::hit_mb_s);
  }
  return rows;
}

// What each CPU of a device took of the cache.
struct CapacityRow {
  std::uint16_t device;
  std::vector<double> kilobytes;
};

// Devices of one machine are alike; one that is not has no place under the header.
std::vector<CapacityRow> capacity_rows(const std::vector<CacheCapacity310>& devices,
                                       std::vector<double> CacheCapacity310::*cpus) {
  std::vector<CapacityRow> rows;
  for (const CacheCapacity310& device : devices) {
    const std::vector<double>& kilobytes = device.*cpus;
    if (kilobytes.empty()) continue;
    if (!rows.empty() && rows.front().kilobytes.size() != kilobytes.size()) continue;
    rows.push_back({device.device, kilobytes});
  }
  return rows;
}

constexpr auto kCapacities = column_group(
    [](const std::vector<CapacityRow>& rows) {
      std::vector<std::string> headers;
      if (rows.empty()) return headers;
      for (std::size_t i = 0; i < rows.front().kilobytes.size(); ++i) {
        headers.push_back("CPU" + std::to_string(i) + "(KB)");
      }
      headers.emplace_back("Total(KB)");
      return headers;
    },
    [](const std::vector<CapacityRow>&) { return 0; },
    [](TextBuffer& out, const CapacityRow& row, int) {
      for (const double kilobytes : row.kilobytes) {
        put_cell(out.character(','), number_column(""), kilobytes);
      }
      const double total = std::accumulate(row.kilobytes.begin(), row.kilobytes.end(), 0.0);
      put_cell(out.character(','), number_column(""), total);
    });

constexpr auto kLlcAicpu =
    text_table("llc_aicpu",  //
               column(TextColumn{"Device_id"}, &CapacityRow::device),
               column(TextColumn{"Metric"},
                      [](const CapacityRow&) { return std::string_view("Used Capacity of LLC"); }),
               kCapacities);
constexpr auto kLlcCtrlcpu = kLlcAicpu.in_file("llc_ctrlcpu");

}  // namespace

Status write_cache_summaries(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const std::vector<CacheCapacity310> devices = analyze::cache_capacity_310(trace);
  NPUPROF_RETURN_IF_ERROR(write_text_table<kLlcBandwidth>(bandwidth_rows(trace), target, pool));
  NPUPROF_RETURN_IF_ERROR(write_text_table<kLlcAicpu>(
      capacity_rows(devices, &CacheCapacity310::ai_cpu_kb), target, pool));
  return write_text_table<kLlcCtrlcpu>(capacity_rows(devices, &CacheCapacity310::control_cpu_kb),
                                       target, pool);
}

}  // namespace npuprof::report
