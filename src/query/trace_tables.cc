#include "query/column_cells.h"
#include "query/trace_module.h"
#include "trace/table_list.h"

namespace npuprof::query {

std::deque<ShownTable> trace_tables(const trace::Trace& trace) {
  std::deque<ShownTable> tables;
  const auto all = trace::tables_of(trace);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ShownTable& shown = tables.emplace_back();
    shown.name = trace::table_facts(i).name;
    show_columns(all[i], trace.strings, shown);
  }
  return tables;
}

}  // namespace npuprof::query
