#include "trace/row_selection.h"

#include <cstddef>

#include "trace/reorder.h"

namespace npuprof::trace {
template <Columnar Table>
bool RowSelection::drop_parts(const Table& table) {
  bool changed = false;
  Table::columns(table, [&](const char*, const auto& column) {
    using Kind = Reference<KindOf<decltype(column)>>;
    if constexpr (Kind::kIsPart) {
      const auto& whole = masks_[kTableNumber<typename Kind::Target>];
      if (!whole) return;
      auto& own = masks_[kTableNumber<Table>];
      if (!own) own.emplace(table.size(), 1);
      for (std::size_t row = 0; row < column.size(); ++row) {
        const std::uint32_t of = column[row];
        if ((*own)[row] == 0 || (of != kNone && (*whole)[of] != 0)) continue;
        (*own)[row] = 0;
        changed = true;
      }
    }
  });
  return changed;
}

void RowSelection::apply(Trace& trace) && {
  // Parts may have parts.
  for (bool changed = true; changed;) {
    changed = false;
    for_each_table(
        [&](const TableFacts&, const auto& table) { changed = drop_parts(table) || changed; },
        std::as_const(trace));
  }

  for_each_table(
      [&]<typename Table>(const TableFacts&, const Table&) {
        const auto& mask = masks_[kTableNumber<Table>];
        if (!mask) return;
        std::vector<std::uint32_t> kept;
        for (std::uint32_t row = 0; row < mask->size(); ++row) {
          if ((*mask)[row] != 0) kept.push_back(row);
        }
        if (kept.size() != mask->size()) reorder<Table>(trace, kept);
      },
      std::as_const(trace));
}

}  // namespace npuprof::trace
