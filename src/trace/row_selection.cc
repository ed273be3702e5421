#include "trace/row_selection.h"

#include "trace/reorder.h"

namespace npuprof::trace {

bool RowSelection::drop_parts(std::size_t own_number, AnyConstTable table) {
  bool changed = false;
  for (const ColumnFacts& facts : table.columns()) {
    if (facts.kind != ColumnKind::kPart) continue;
    const auto& whole = masks_[table_number(facts.target)];
    if (!whole) continue;
    auto& own = masks_[own_number];
    if (!own) own.emplace(table.size(), 1);
    const void* const column = table.column(facts);
    const std::size_t rows = facts.values->size(column);
    for (std::size_t row = 0; row < rows; ++row) {
      if ((*own)[row] == 0) continue;
      const auto of = static_cast<std::uint32_t>(facts.values->integer(column, row, 0));
      if (of != kNone && (*whole)[of] != 0) continue;
      (*own)[row] = 0;
      changed = true;
    }
  }
  return changed;
}

void RowSelection::apply(Trace& trace) && {
  const std::vector<AnyTable> tables = tables_of(trace);
  // Parts may have parts.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      changed = drop_parts(i, tables[i]) || changed;
    }
  }
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto& mask = masks_[i];
    if (!mask) continue;
    std::vector<std::uint32_t> kept;
    for (std::uint32_t row = 0; row < mask->size(); ++row) {
      if ((*mask)[row] != 0) kept.push_back(row);
    }
    if (kept.size() != mask->size()) reorder(trace, i, kept);
  }
}

}  // namespace npuprof::trace
