#pragma once

// Writes a described table (result_table.h) into a database.

#include <cstdint>
#include <string_view>

#include "base/string_pool.h"
#include "base/text.h"
#include "report/sqlite/bulk_database.h"
#include "report/tables/result_table.h"

namespace npuprof::report::sqlite {

constexpr const StoredColumn& stored_schema(const StoredColumn& column) { return column; }
constexpr const StoredColumn& stored_schema(const SharedColumn& column) { return column.stored; }

template <const auto& kTable, typename Rows>
TableSchema schema_of(const Rows& rows) {
  TableSchema schema{kTable.table, {}};
  for_each_column<kTable>([&](auto, const auto& column) {
    const StoredColumn& stored = stored_schema(column.schema);
    if (std::invoke(column.when, rows))
      schema.columns.push_back({stored.name, stored.affinity, stored.is_key});
  });
  return schema;
}

inline void put_number(PageBuilder& row, const StoredColumn& column, double value) {
  if (column.affinity == Affinity::kReal) {
    row.real(value);
  } else {
    row.numeric(value);
  }
}

// Inlined, so that what is known of a column when this is compiled costs nothing per cell.
template <typename Value>
[[gnu::always_inline]] inline void put_cell(PageBuilder& row, const StoredColumn& column,
                                            const Value& value) {
  using format::results::Unit;
  if constexpr (std::is_same_v<Value, std::nullopt_t>) {
    row.null();
  } else if constexpr (kIsOptional<Value>) {
    if (value) {
      put_cell(row, column, *value);
    } else {
      row.null();
    }
  } else if constexpr (std::is_same_v<Value, StringId>) {
    // A text of the trace has the number that it has in the pool (database_strings.h).
    row.integer(to_index(value));
  } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
    row.text(value);
  } else if constexpr (std::integral<Value>) {
    if (column.affinity == Affinity::kText) {
      char digits[kMaxIntegerChars];
      const char* end = write_signed(digits, static_cast<std::int64_t>(value));
      row.text({digits, static_cast<std::size_t>(end - digits)});
    } else if (column.unit == Unit::kUs) {
      row.numeric(static_cast<double>(value) / 1000);
    } else {
      row.integer(static_cast<std::int64_t>(value));
    }
  } else {
    static_assert(std::floating_point<Value>, "no content of a database");
    put_number(row, column, value);
  }
}

// The place of the column whose content is the row id; the number of columns if there is none.
template <const auto& kTable>
constexpr std::size_t key_place() {
  std::size_t place = std::remove_cvref_t<decltype(kTable)>::kSize;
  for_each_column<kTable>([&](auto i, const auto& column) {
    if (stored_schema(column.schema).is_key) place = i;
  });
  return place;
}

// One row of the table; `rows` says which of its columns the file has.
template <const auto& kTable, typename Rows, typename Row>
void put_row(RowSink& sink, const Rows& rows, const Row& content) {
  constexpr std::size_t kKey = key_place<kTable>();
  constexpr bool kHasKey = kKey < std::remove_cvref_t<decltype(kTable)>::kSize;
  const auto begin = [&]() -> PageBuilder& {
    if constexpr (kHasKey) {
      return sink.row(static_cast<std::int64_t>(
          std::invoke(std::get<kKey>(kTable.columns).stored_content, content)));
    } else {
      return sink.row();
    }
  };
  PageBuilder& row = begin();
  for_each_column<kTable>([&](auto place, const auto& column) {
    if constexpr (place == kKey) {
      row.null();
    } else {
      if (!std::invoke(column.when, rows)) return;
      put_cell(row, stored_schema(column.schema), std::invoke(column.stored_content, content));
    }
  });
  row.end_row();
}

// `rows` has size() and operator[], which is called from several threads. `name` is for one of
// several tables with the same columns.
template <const auto& kTable, typename Rows>
void write_stored_table(const Rows& rows, BulkDatabase& database,
                        std::string_view name = kTable.table) {
  TableSchema schema = schema_of<kTable>(rows);
  schema.name = name;
  database.table(schema, rows.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) put_row<kTable>(sink, rows, rows[i]);
  });
}

}  // namespace npuprof::report::sqlite
