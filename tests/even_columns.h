#pragma once

// Loaders, joins and whatever appends rows fill the columns of a table one by one: all must have a
// value for each row.

#include <string>

#include "trace/table_list.h"

namespace npuprof::testing {

// Columns that are longer or shorter than their table, as "tasks.stream: 2 of 3 rows". A column
// without any values is one that nobody wanted, which only results leave out.
inline std::string uneven_columns(const trace::Trace& trace) {
  const bool may_be_absent = trace.session.origin == trace::Origin::kResults;
  std::string uneven;
  const auto tables = trace::tables_of(trace);
  for (std::size_t number = 0; number < tables.size(); ++number) {
    const trace::AnyConstTable& table = tables[number];
    for (const trace::ColumnFacts& facts : table.columns()) {
      const std::size_t size = facts.values->size(table.column(facts));
      if (size == table.size() || (size == 0 && may_be_absent)) continue;
      uneven += std::string(trace::table_facts(number).name) + "." + facts.name + ": " +
                std::to_string(size) + " of " + std::to_string(table.size()) + " rows\n";
    }
  }
  return uneven;
}

}  // namespace npuprof::testing
