#include "report/csv/core_csv.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/core_metrics.h"
#include "report/csv/summary_text.h"

namespace npuprof::report {
namespace {

using analyze::CoreMetrics;
using format::device::MetricKind;

// How much longer the pipe that reads memory was busy than those that compute, where all three are
// counted. Columns of a table.
class MemoryBound {
 public:
  static std::optional<MemoryBound> of(const CoreMetrics& table) {
    for (const std::string_view kind : {"_ratio", "_exe_ratio"}) {
      const auto find = [&](std::string_view pipe) {
        const std::string name = std::string(pipe).append(kind);
        const auto found = std::find(table.names.begin(), table.names.end(), name);
        return static_cast<std::size_t>(found - table.names.begin());
      };
      const MemoryBound columns(find("mte2"), find("mac"), find("vec"));
      if (std::max({columns.mte2_, columns.mac_, columns.vec_}) < table.names.size()) {
        return columns;
      }
    }
    return std::nullopt;
  }
  double value(std::span<const double> row) const {
    const double computing = std::max(row[mac_], row[vec_]);
    return computing > 0 ? row[mte2_] / computing : 0;
  }

 private:
  MemoryBound(std::size_t mte2, std::size_t mac, std::size_t vec)
      : mte2_(mte2), mac_(mac), vec_(vec) {}

  std::size_t mte2_;
  std::size_t mac_;
  std::size_t vec_;
};

std::string header_of(const CoreMetrics& table) {
  std::string header = "Device_id,Core ID";
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    header += "," + table.names[i];
    if (table.kinds[i] == MetricKind::kBandwidth) header += "(GB/s)";
    if (table.kinds[i] == MetricKind::kKilobytes) header += "(KB)";
  }
  if (MemoryBound::of(table)) header += ",memory_bound";
  return header;
}

void add_rows(const CoreMetrics& table, std::vector<std::string>& rows) {
  const std::size_t width = table.names.size();
  const std::optional<MemoryBound> bound = MemoryBound::of(table);
  const auto add_row = [&](const std::string& name, std::span<const double> values) {
    SummaryLine line(std::uint64_t{table.device});
    line.text(name);
    for (const double value : values) line.number(value);
    if (bound) line.number(bound->value(values));
    rows.push_back(line.take());
  };
  std::vector<Range> ranges(width);
  for (std::size_t core = 0; core < table.cores.size(); ++core) {
    const auto values = std::span(table.values).subspan(core * width, width);
    for (std::size_t i = 0; i < width; ++i) ranges[i].add(values[i]);
    add_row("Core" + std::to_string(table.cores[core]), values);
  }
  std::vector<double> means;
  means.reserve(width);
  for (const Range& range : ranges) means.push_back(range.mean());
  add_row("Average", means);
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
