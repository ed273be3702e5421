#pragma once

// The description of a result table: its name, and for each column what it is called, how it is
// written and where its content comes from. Writers of text files (text_table.h) and of databases
// (stored_table.h) take any table; they are templates, so a cell costs no call.
//
//   constexpr auto kSteps = text_table(
//       "steps",                                          // steps.csv
//       column(TextColumn{"Device_id"}, &StepTime::device),
//       column(TextColumn{"Free", Print::kUs}, [](const StepTime& step) { return step.free_ns; }));
//
//   write_text_table<kSteps>(steps, target, pool);        // A line for each of steps[i].
//
// Contents are whole numbers (times and spans in ns, sizes in bytes), doubles, texts or texts of
// the trace's pool (StringId, in databases); std::optional of these where a cell may have none. A
// function of a text buffer and a row prints its cell itself, where its form depends on the row. A
// column of both kinds of table may have two functions. A description is chosen, not changed: a
// variant of a table, such as that of another framework, is a table of its own of the same columns.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "format/results/column.h"

namespace npuprof::report {

using format::results::IfAbsent;
using format::results::kDeviceOrHost;
using format::results::or_not_available;
using format::results::Print;
using format::results::SharedColumn;
using format::results::StoredColumn;
using format::results::TextColumn;

// The condition of a column that every file has.
struct Always {
  constexpr bool operator()(const auto&) const { return true; }
};

// `when(rows)` says whether the file has the column.
template <typename Schema, typename TextContent, typename StoredContent, typename When>
struct TableColumn {
  Schema schema;
  TextContent text_content;  // Function or member of a row.
  StoredContent stored_content;
  When when;
};

template <typename Schema, typename Content>
constexpr auto column(Schema schema, Content content) {
  return TableColumn<Schema, Content, Content, Always>{schema, content, content, {}};
}
// A column whose content differs between text file and database.
template <typename TextContent, typename StoredContent>
constexpr auto column(SharedColumn schema, TextContent text, StoredContent stored) {
  return TableColumn<SharedColumn, TextContent, StoredContent, Always>{schema, text, stored, {}};
}
template <typename When, typename Schema, typename Text, typename Stored>
constexpr auto only_if(When when, TableColumn<Schema, Text, Stored, Always> column) {
  return TableColumn<Schema, Text, Stored, When>{column.schema, column.text_content,
                                                 column.stored_content, when};
}

// Columns of a text file whose number depends on the profile, such as those of counters:
// `headers(rows)` lists them, `put(out, row, scratch)` writes a cell for each, with a comma before
// it. `scratch(rows)` is room that the rows of a block share.
template <typename Headers, typename Scratch, typename Put>
struct ColumnGroup {
  Headers headers;
  Scratch scratch;
  Put put;
};
template <typename Headers, typename Scratch, typename Put>
constexpr auto column_group(Headers headers, Scratch scratch, Put put) {
  return ColumnGroup<Headers, Scratch, Put>{headers, scratch, put};
}

template <typename... Columns>
struct Table {
  std::string_view file;   // Stem of the text file.
  std::string_view table;  // Of the database.
  std::tuple<Columns...> columns;

  static constexpr std::size_t kSize = sizeof...(Columns);
  constexpr Table in_file(std::string_view other) const { return {other, table, columns}; }
};

template <typename... Columns>
constexpr auto text_table(std::string_view file, Columns... columns) {
  return Table<Columns...>{file, {}, {columns...}};
}
template <typename... Columns>
constexpr auto stored_table(std::string_view table, Columns... columns) {
  return Table<Columns...>{{}, table, {columns...}};
}
template <typename... Columns>
constexpr auto shared_table(std::string_view file, std::string_view table, Columns... columns) {
  return Table<Columns...>{file, table, {columns...}};
}

// visit(std::integral_constant<std::size_t, i>{}, column) for each column of a table.
template <const auto& kTable, typename Visit>
constexpr void for_each_column(Visit&& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::integral_constant<std::size_t, I>{}, std::get<I>(kTable.columns)), ...);
  }
  (std::make_index_sequence<std::remove_cvref_t<decltype(kTable)>::kSize>{});
}

// Row i of a table of the trace, and what stands in one of its columns.
template <typename Trace>
struct TraceRow {
  const Trace& table;
  std::size_t i;
  const StringPool* strings = nullptr;  // For text files, which show texts and not their numbers.

  std::string_view text(StringId id) const { return strings->view(id); }
};
template <typename Trace, typename Column>
constexpr auto cell(Column Trace::*column) {
  return [column](const TraceRow<Trace>& row) {
    const auto& value = (row.table.*column)[row.i];
    if constexpr (requires { value.number(); }) {
      return value.number();  // Of a row of another table.
    } else {
      return value;
    }
  };
}
template <typename Trace, typename Column>
constexpr auto text_cell(Column Trace::*column) {
  return [column](const TraceRow<Trace>& row) { return row.text((row.table.*column)[row.i]); };
}

// All rows of a table of the trace, or those listed.
template <typename Trace>
struct AllRows {
  const Trace& table;
  const StringPool* strings = nullptr;

  std::size_t size() const { return table.size(); }
  TraceRow<Trace> operator[](std::size_t i) const { return {table, i, strings}; }
};
template <typename Trace>
struct ListedRows {
  const Trace& table;
  const std::vector<std::uint32_t>& list;
  const StringPool* strings = nullptr;

  std::size_t size() const { return list.size(); }
  TraceRow<Trace> operator[](std::size_t i) const { return {table, list[i], strings}; }
};

// A number with three decimals at most and one at least.
constexpr TextColumn number_column(std::string_view header) {
  return {header, Print::kRoundedPoint};
}

// A cell without content.
inline constexpr auto kNoContent = [](const auto&) { return std::nullopt; };
// The first column of tables about the host alone.
inline constexpr auto kHostColumn = column(kDeviceOrHost, kNoContent);

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

}  // namespace npuprof::report
