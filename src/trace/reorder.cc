#include "trace/reorder.h"

#include <utility>
#include <vector>

namespace npuprof::trace {
namespace {

void reorder_metrics(ResultMetrics& metrics, std::span<const std::uint32_t> order) {
  for (ResultMetrics::Column& metric : metrics.columns) {
    std::vector<double> values;
    values.reserve(order.size());
    for (const std::uint32_t row : order) values.push_back(metric.values[row]);
    metric.values = std::move(values);
  }
}

}  // namespace

void reorder(Trace& trace, std::size_t table_number, std::span<const std::uint32_t> order) {
  const std::vector<AnyTable> tables = tables_of(trace);
  AnyTable moved = tables[table_number];
  std::vector<std::uint32_t> new_row(moved.size(), kNone);
  for (std::uint32_t i = 0; i < order.size(); ++i) new_row[order[i]] = i;
  reorder_rows(moved, order);
  if (table_number == kTableNumber<Kernels>) reorder_metrics(trace.result_metrics, order);
  for (AnyTable table : tables) {
    for (const ColumnFacts& facts : table.columns()) {
      if (facts.target == moved.mark()) facts.values->move_rows(table.column(facts), new_row);
    }
  }
}

}  // namespace npuprof::trace
