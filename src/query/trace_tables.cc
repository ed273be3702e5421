#include "query/column_cells.h"
#include "query/trace_module.h"
#include "trace/all_tables.h"

namespace npuprof::query {

std::deque<ShownTable> trace_tables(const trace::Trace& trace) {
  std::vector<std::string_view> names;
  trace::for_each_table(
      [&](const trace::TableFacts& facts, const auto&) { names.push_back(facts.name); }, trace);
  const auto target_name = [&]<typename Target>(const Target*) {
    static_assert(trace::kTableNumber<Target> < trace::kTableCount);
    return names[trace::kTableNumber<Target>];
  };
  std::deque<ShownTable> tables;
  trace::for_each_table(
      [&]<typename Table>(const trace::TableFacts& facts, const Table& table) {
        ShownTable& shown = tables.emplace_back();
        shown.name = facts.name;
        show_columns(table, trace.strings, target_name, shown);
      },
      trace);
  return tables;
}

}  // namespace npuprof::query
