#include "trace/append.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/all_tables.h"

namespace npuprof::trace {
namespace {

using RowCounts = std::array<std::size_t, kTableCount>;

// References of `table`, whose targets move behind rows that are there already.
template <Columnar Table>
void shift_references(Table& table, const RowCounts& rows_before) {
  Table::columns(table, [&](const char*, auto& column) {
    using Kind = Reference<KindOf<decltype(column)>>;
    if constexpr (Kind::kIsReference) {
      const auto by = static_cast<std::uint32_t>(rows_before[kTableNumber<typename Kind::Target>]);
      if (by == 0) return;
      for (auto& row : column) {
        if (row != kNone) row = row + by;
      }
    }
  });
}

}  // namespace

std::vector<StringId> append(Trace& trace, Trace&& part) {
  std::vector<StringId> ids = trace.strings.merge(part.strings);
  RowCounts rows_before{};
  for_each_table(
      [&]<typename Table>(const TableFacts&, const Table& table) {
        rows_before[kTableNumber<Table>] = table.size();
      },
      std::as_const(trace));
  for_each_table(
      [&](const TableFacts&, auto& table, auto& added) {
        translate_texts(added, ids);
        shift_references(added, rows_before);
        take_rows(table, added);
      },
      trace, part);
  return ids;
}

}  // namespace npuprof::trace
