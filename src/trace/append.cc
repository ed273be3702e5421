#include "trace/append.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/table_list.h"

namespace npuprof::trace {
namespace {

// References of `table`, whose targets move behind rows that are there already.
void shift_references(AnyTable table, const std::vector<std::size_t>& rows_before) {
  for (const ColumnFacts& facts : table.columns()) {
    if (facts.target == nullptr) continue;
    const std::size_t by = rows_before[table_number(facts.target)];
    if (by > 0) facts.values->shift_rows(table.column(facts), static_cast<std::uint32_t>(by));
  }
}

}  // namespace

std::vector<StringId> append(Trace& trace, Trace&& part) {
  std::vector<StringId> ids = trace.strings.merge(part.strings);
  const std::vector<AnyTable> tables = tables_of(trace);
  std::vector<std::size_t> rows_before;
  for (const AnyTable& table : tables) rows_before.push_back(table.size());
  const std::vector<AnyTable> added = tables_of(part);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    translate_texts(added[i], ids);
    shift_references(added[i], rows_before);
    take_rows(tables[i], added[i]);
  }
  return ids;
}

}  // namespace npuprof::trace
