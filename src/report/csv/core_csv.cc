#include "report/csv/core_csv.h"

#include <string>
#include <vector>

#include "analyze/core_metrics.h"
#include "report/csv/summary_text.h"

namespace npuprof::report {
namespace {

using analyze::CoreMetrics;
using format::device::MetricKind;

std::string header_of(const CoreMetrics& table) {
  std::string header = "Device_id,Core ID";
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    header += "," + table.names[i];
    if (table.kinds[i] == MetricKind::kBandwidth) header += "(GB/s)";
    if (table.kinds[i] == MetricKind::kKilobytes) header += "(KB)";
  }
  return header;
}

void add_rows(const CoreMetrics& table, std::vector<std::string>& rows) {
  const std::size_t width = table.names.size();
  std::vector<Range> ranges(width);
  for (std::size_t core = 0; core < table.cores.size(); ++core) {
    SummaryLine line(std::uint64_t{table.device});
    line.text("Core" + std::to_string(table.cores[core]));
    for (std::size_t i = 0; i < width; ++i) {
      line.number(table.values[core * width + i]);
      ranges[i].add(table.values[core * width + i]);
    }
    rows.push_back(line.take());
  }
  SummaryLine average(std::uint64_t{table.device});
  average.text("Average");
  for (const Range& range : ranges) average.number(range.mean());
  rows.push_back(average.take());
}

}  // namespace

Status write_core_utilization(const trace::Trace& trace, const CsvTarget& target,
                              ThreadPool& pool) {
  const std::vector<CoreMetrics> tables = analyze::core_metrics(trace);
  for (const bool on_vector : {false, true}) {
    std::string header;
    std::vector<std::string> rows;
    for (const CoreMetrics& table : tables) {
      if (table.on_vector_cores != on_vector) continue;
      // Devices of one run collect the same group; one that does not has no place under the header.
      if (header.empty()) header = header_of(table);
      if (header_of(table) == header) add_rows(table, rows);
    }
    NPUPROF_RETURN_IF_ERROR(write_csv(
        target, on_vector ? "ai_vector_core_utilization" : "ai_core_utilization", header,
        rows.size(),
        [&](TextBuffer& out, std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) out.text(rows[i]).text(target.line_end);
        },
        pool));
  }
  return ok_status();
}

}  // namespace npuprof::report
