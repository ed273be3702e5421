#include "report/csv/core_csv.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/core_metrics.h"
#include "report/csv/value_range.h"
#include "report/tables/text_table.h"

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

// Names of the metrics with their units.
std::vector<std::string> headers_of(const CoreMetrics& table) {
  std::vector<std::string> headers;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    headers.push_back(table.names[i]);
    if (table.kinds[i] == MetricKind::kBandwidth) headers.back() += "(GB/s)";
    if (table.kinds[i] == MetricKind::kKilobytes) headers.back() += "(KB)";
  }
  if (MemoryBound::of(table)) headers.emplace_back("memory_bound");
  return headers;
}

// Cores of one kind, each device's followed by their mean.
class CoreRows {
 public:
  CoreRows(const std::vector<CoreMetrics>& tables, bool on_vector_cores) {
    for (const CoreMetrics& table : tables) {
      if (table.on_vector_cores != on_vector_cores) continue;
      // Devices of one run collect the same group; one that does not has no place under the header.
      if (headers_.empty()) headers_ = headers_of(table);
      if (headers_of(table) == headers_) add(table);
    }
  }

  struct Row {
    std::uint16_t device;
    std::string core;
    std::vector<double> values;
  };
  std::size_t size() const { return rows_.size(); }
  const Row& operator[](std::size_t i) const { return rows_[i]; }
  const std::vector<std::string>& headers() const { return headers_; }

 private:
  void add(const CoreMetrics& table) {
    const std::size_t width = table.names.size();
    const std::optional<MemoryBound> bound = MemoryBound::of(table);
    const auto add_row = [&](std::string name, std::span<const double> values) {
      Row& row =
          rows_.emplace_back(Row{table.device, std::move(name), {values.begin(), values.end()}});
      if (bound) row.values.push_back(bound->value(values));
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

  std::vector<std::string> headers_;
  std::vector<Row> rows_;
};

constexpr auto kCoreUtilization =
    text_table("ai_core_utilization",  //
               column(TextColumn{"Device_id"}, &CoreRows::Row::device),
               column(TextColumn{"Core ID"}, &CoreRows::Row::core),
               column_group([](const CoreRows& rows) { return rows.headers(); },
                            [](const CoreRows&) { return 0; },
                            [](TextBuffer& out, const CoreRows::Row& row, int) {
                              for (const double value : row.values) {
                                put_cell(out.character(','), number_column(""), value);
                              }
                            }));
constexpr auto kVectorCoreUtilization = kCoreUtilization.in_file("ai_vector_core_utilization");

}  // namespace

Status write_core_utilization(const trace::Trace& trace, const CsvTarget& target,
                              ThreadPool& pool) {
  const std::vector<CoreMetrics> tables = analyze::core_metrics(trace);
  NPUPROF_RETURN_IF_ERROR(
      write_text_table<kCoreUtilization>(CoreRows(tables, false), target, pool));
  return write_text_table<kVectorCoreUtilization>(CoreRows(tables, true), target, pool);
}

}  // namespace npuprof::report
