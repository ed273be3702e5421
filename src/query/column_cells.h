#pragma once

// Columns of the model's tables (trace/table.h) as SQLite shows them.

#include <array>
#include <concepts>
#include <string>
#include <type_traits>

#include <sqlite3.h>

#include "query/shown_table.h"
#include "trace/table.h"

namespace npuprof::query {

template <typename Value>
inline constexpr std::size_t kArrayLength = 0;
template <typename Element, std::size_t kLength>
inline constexpr std::size_t kArrayLength<std::array<Element, kLength>> = kLength;

inline void show_text(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

// Numbers above 2^63 appear as the negative ones with the same bits: SQLite has no others.
template <typename Column>
struct ColumnCells {
  using Value = typename Column::Value;
  static constexpr bool kIsReference = trace::Reference<typename Column::Kind>::kIsReference;

  static const Column& of(const ShownColumn& column) {
    return *static_cast<const Column*>(column.values);
  }
  static auto value(const ShownColumn& column, std::size_t row) {
    if constexpr (kArrayLength < Value >> 0) {
      return of(column)[row][column.element];
    } else {
      return of(column)[row];
    }
  }
  using Cell = decltype(value(std::declval<const ShownColumn&>(), 0));

  static constexpr CellType type() {
    if constexpr (std::same_as<Cell, StringId>) return CellType::kText;
    return std::floating_point<Cell> ? CellType::kReal : CellType::kInteger;
  }

  // Whoever fills a table by hand may leave columns out.
  static void show(sqlite3_context* context, const ShownColumn& column, std::size_t row) {
    if (row >= of(column).size()) return sqlite3_result_null(context);
    const Cell cell = value(column, row);
    if constexpr (std::same_as<Cell, StringId>) {
      show_text(context, column.strings->view(cell));
    } else if constexpr (std::floating_point<Cell>) {
      sqlite3_result_double(context, cell);  // NULL for NaN.
    } else if constexpr (kIsReference) {
      if (cell == trace::kNone) return sqlite3_result_null(context);
      sqlite3_result_int64(context, cell.number());
    } else {
      sqlite3_result_int64(context, static_cast<sqlite3_int64>(cell));
    }
  }

  static std::int64_t number(const ShownColumn& column, std::size_t row) {
    if constexpr (type() == CellType::kInteger) {
      if (row >= of(column).size()) return 0;
      const Cell cell = value(column, row);
      if constexpr (kIsReference) return cell.number();
      return static_cast<std::int64_t>(cell);
    }
    return 0;
  }
};

// Adds the columns of a table, in their order; arrays become a column for each element
// (`counters_0`). `target_name` names the table that a column refers to, by a null pointer to it.
template <trace::Columnar Table, typename TargetName>
void show_columns(const Table& table, const StringPool& strings, const TargetName& target_name,
                  ShownTable& shown) {
  shown.rows = table.size();
  Table::columns(table, [&]<typename Column>(const char* name, const Column& column) {
    using Cells = ColumnCells<Column>;
    using Kind = typename Column::Kind;
    ShownColumn added;
    added.name = name;
    added.type = Cells::type();
    added.values = &column;
    added.strings = &strings;
    added.show = &Cells::show;
    if constexpr (Cells::type() == CellType::kInteger) added.number = &Cells::number;
    if constexpr (Cells::kIsReference) {
      added.is_reference = true;
      using Target = typename trace::Reference<Kind>::Target;
      added.about = "row of " + std::string(target_name(static_cast<const Target*>(nullptr)));
    } else if constexpr (std::same_as<Kind, trace::Time> || std::same_as<Kind, trace::Moment>) {
      added.about = "wall-clock ns";
    }
    if constexpr (kArrayLength < typename Column::Value >> 0) {
      for (std::size_t i = 0; i < kArrayLength<typename Column::Value>; ++i) {
        ShownColumn& element = shown.columns.emplace_back(added);
        element.name += "_" + std::to_string(i);
        element.element = i;
      }
    } else {
      shown.columns.push_back(std::move(added));
    }
  });
}

}  // namespace npuprof::query
