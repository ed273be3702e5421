#include "trace/reorder.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "trace/all_tables.h"

namespace npuprof::trace {
namespace {

// References to the table of that number; new_row is by old row.
void move_references(Trace& trace, std::size_t table_number,
                     std::span<const std::uint32_t> new_row) {
  for_each_table(
      [&]<typename Table>(const TableFacts&, Table& table) {
        Table::columns(table, [&](const char*, auto& column) {
          using Kind = Reference<KindOf<decltype(column)>>;
          if constexpr (Kind::kIsReference) {
            if (kTableNumber<typename Kind::Target> != table_number) return;
            for (auto& row : column) {
              if (row != kNone) row = new_row[row];
            }
          }
        });
      },
      trace);
}

void reorder_metrics(ResultMetrics& metrics, std::span<const std::uint32_t> order) {
  for (ResultMetrics::Column& metric : metrics.columns) {
    std::vector<double> values;
    values.reserve(order.size());
    for (const std::uint32_t row : order) values.push_back(metric.values[row]);
    metric.values = std::move(values);
  }
}

template <typename Table>
void reorder_table(Trace& trace, Table& table, std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> new_row(table.size(), kNone);
  for (std::uint32_t i = 0; i < order.size(); ++i) new_row[order[i]] = i;
  reorder_rows(table, order);
  if constexpr (std::is_same_v<Table, Kernels>) reorder_metrics(trace.result_metrics, order);
  move_references(trace, kTableNumber<Table>, new_row);
}

}  // namespace

#define NPUPROF_REORDER(Table, name, kind)                                   \
  template <>                                                                \
  void reorder<Table>(Trace & trace, std::span<const std::uint32_t> order) { \
    reorder_table(trace, trace.name(), order);                               \
  }
NPUPROF_TRACE_TABLES(NPUPROF_REORDER)
#undef NPUPROF_REORDER

}  // namespace npuprof::trace
