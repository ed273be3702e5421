#pragma once

// Columnar tables: a vector for each column, no object per event. The columns of a table are
// declared once, a line each; all that is done with tables in general comes from these lines.
//
//   struct Kernels {
//     NPUPROF_TABLE(Kernels);
//     NPUPROF_COLUMN(PartOf<Tasks>, task);
//     NPUPROF_COLUMN(Text, name);
//     NPUPROF_COLUMN(std::uint32_t, block_num);
//     NPUPROF_TABLE_END();
//   };
//
// The first word says what the values are: one of the kinds below, or a plain type. The unit is
// part of the name: `start_ns`, `size_bytes`.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "trace/row.h"

namespace npuprof::trace {

struct Time {};    // Wall-clock ns, when the row began, ended or happened; 0 = not known.
struct Moment {};  // Wall-clock ns, something else that the row tells of.
struct Text {};    // Id in the string pool that belongs to the table.
// The row of a table that this one refers to, kNone = none.
template <typename Table>
struct RowOf {};
// Likewise, and without that row this one means nothing: they go together.
template <typename Table>
struct PartOf {};

template <typename Kind>
struct ValueOf {
  using Type = Kind;
};
template <>
struct ValueOf<Time> {
  using Type = std::int64_t;
};
template <>
struct ValueOf<Moment> {
  using Type = std::int64_t;
};
template <>
struct ValueOf<Text> {
  using Type = StringId;
};
template <typename Table>
struct ValueOf<RowOf<Table>> {
  using Type = Row<Table>;
};
template <typename Table>
struct ValueOf<PartOf<Table>> {
  using Type = Row<Table>;
};

// A column of OwnTable. Rows of other tables cannot be looked up in it.
template <typename OwnTable, typename OwnKind>
class Column : public std::vector<typename ValueOf<OwnKind>::Type> {
 public:
  using Kind = OwnKind;
  using Value = typename ValueOf<OwnKind>::Type;
  using Values = std::vector<Value>;

  Column() = default;
  Column(Values values) : Values(std::move(values)) {}
  Column(std::initializer_list<Value> values) : Values(values) {}

  using Values::operator[];
  Value& operator[](Row<OwnTable> row) { return Values::operator[](row.number()); }
  const Value& operator[](Row<OwnTable> row) const { return Values::operator[](row.number()); }
  template <typename Other>
  void operator[](Row<Other>) const = delete;
};

// Where a column is declared, its name and place in the table. Lines without a column have none.
template <int kLine>
struct SourceLine {};
struct NoColumn {};
template <typename Member>
struct NamedColumn {
  const char* name;
  Member member;
};
template <typename Member>
NamedColumn(const char*, Member) -> NamedColumn<Member>;

template <typename Table, int kLine = Table::kFirstLine>
constexpr auto first_column() {
  constexpr auto kColumn = Table::column_at(SourceLine<kLine>{});
  if constexpr (std::same_as<decltype(kColumn), const NoColumn>) {
    return first_column<Table, kLine + 1>();
  } else {
    return kColumn;
  }
}

constexpr void visit_column(NoColumn, auto&, auto&&) {}
template <typename Member>
constexpr void visit_column(NamedColumn<Member> column, auto& table, auto&& visit) {
  visit(column.name, table.*column.member);
}

// Each column is a function that answers to the line it stands in; `columns` asks all lines and
// calls visit(name, column) for each column, in the order they are declared.
#define NPUPROF_TABLE(table)                                                                   \
  using Self = table;                                                                          \
  static constexpr int kFirstLine = __LINE__;                                                  \
  template <int kLine>                                                                         \
  static constexpr ::npuprof::trace::NoColumn column_at(::npuprof::trace::SourceLine<kLine>) { \
    return {};                                                                                 \
  }                                                                                            \
  static_assert(true)
#define NPUPROF_COLUMN(kind, name)                                          \
  static constexpr auto column_at(::npuprof::trace::SourceLine<__LINE__>) { \
    return ::npuprof::trace::NamedColumn{#name, &Self::name};               \
  }                                                                         \
  ::npuprof::trace::Column<Self, kind> name
#define NPUPROF_TABLE_END()                                                                \
  static constexpr void columns(auto& table, auto&& visit) {                               \
    [&]<int... kOffset>(std::integer_sequence<int, kOffset...>) {                          \
      (::npuprof::trace::visit_column(                                                     \
           column_at(::npuprof::trace::SourceLine<kFirstLine + kOffset>{}), table, visit), \
       ...);                                                                               \
    }                                                                                      \
    (std::make_integer_sequence<int, __LINE__ - kFirstLine>{});                            \
  }                                                                                        \
  std::size_t size() const {                                                               \
    return (this->*::npuprof::trace::first_column<Self>().member).size();                  \
  }                                                                                        \
  static_assert(true)

template <typename Table>
concept Columnar = requires(Table& table) {
  Table::columns(table, [](const char*, auto&) {});
};

// What a column (a reference to it is fine) holds.
template <typename Column>
using KindOf = typename std::remove_cvref_t<Column>::Kind;

template <typename Kind>
struct Reference {
  static constexpr bool kIsReference = false;
  static constexpr bool kIsPart = false;
};
template <typename Table>
struct Reference<RowOf<Table>> {
  using Target = Table;
  static constexpr bool kIsReference = true;
  static constexpr bool kIsPart = false;
};
template <typename Table>
struct Reference<PartOf<Table>> {
  using Target = Table;
  static constexpr bool kIsReference = true;
  static constexpr bool kIsPart = true;
};

template <Columnar Table>
std::size_t row_count(const Table& table) {
  return table.size();
}

// What is done with values is compiled once for each type of them, not for each column.
template <typename Value>
[[gnu::noinline]] void reorder_values(std::vector<Value>& values,
                                      std::span<const std::uint32_t> order) {
  std::vector<Value> moved(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[order[i]];
  values = std::move(moved);
}
// `added` is empty afterwards.
template <typename Value>
[[gnu::noinline]] void take_values(std::vector<Value>& values, std::vector<Value>& added) {
  if (values.empty()) {
    values = std::move(added);
  } else {
    values.insert(values.end(), added.begin(), added.end());
  }
  added = std::vector<Value>();
}
[[gnu::noinline]] inline void translate_values(std::vector<StringId>& values,
                                               std::span<const StringId> ids) {
  for (StringId& value : values) value = ids[to_index(value)];
}
template <typename Value>
[[gnu::noinline]] void resize_values(std::vector<Value>& values, std::size_t rows) {
  values.resize(rows);
}

// Bytes of memory that the columns have, used or not.
template <Columnar Table>
std::size_t memory_bytes(const Table& table) {
  std::size_t bytes = 0;
  Table::columns(table, [&](const char*, const auto& column) {
    bytes += column.capacity() * sizeof(column[std::size_t{0}]);
  });
  return bytes;
}

template <Columnar Table>
void reserve_rows(Table& table, std::size_t rows) {
  Table::columns(table, [&](const char*, auto& column) { column.reserve(rows); });
}

// New rows hold zeros and refer to no row; the caller fills them by index.
template <Columnar Table>
void resize_rows(Table& table, std::size_t rows) {
  Table::columns(table, [&](const char*, auto& column) {
    resize_values<typename std::remove_reference_t<decltype(column)>::Value>(column, rows);
  });
}

// Frees a table that later stages no longer need.
template <Columnar Table>
void clear_rows(Table& table) {
  table = Table{};
}

// Reorders every column: new row i is old row order[i]. `order` may also drop or repeat rows.
template <Columnar Table>
void reorder_rows(Table& table, std::span<const std::uint32_t> order) {
  Table::columns(table, [&](const char*, auto& column) { reorder_values(column, order); });
}

// Appends all rows of `added`, which has none afterwards; string ids in it must already be ids of
// the same pool.
template <Columnar Table>
void take_rows(Table& table, Table& added) {
  std::vector<void*> sources;
  Table::columns(added, [&](const char*, auto& column) { sources.push_back(&column); });
  std::size_t index = 0;
  Table::columns(table, [&](const char*, auto& column) {
    using OwnColumn = std::remove_reference_t<decltype(column)>;
    take_values<typename OwnColumn::Value>(column, *static_cast<OwnColumn*>(sources[index++]));
  });
}

// Replaces each string id of the rows from `first_row` to before `end_row` by translated(id).
template <Columnar Table, std::invocable<StringId> Translated>
void translate_texts(Table& table, std::size_t first_row, std::size_t end_row,
                     const Translated& translated) {
  Table::columns(table, [&](const char*, auto& column) {
    if constexpr (std::same_as<KindOf<decltype(column)>, Text>) {
      for (std::size_t row = first_row; row < end_row; ++row) {
        column[row] = translated(column[row]);
      }
    }
  });
}

// Of a whole table; ids[to_index(id)] is what merging the old pool into the new one gave.
template <Columnar Table>
void translate_texts(Table& table, std::span<const StringId> ids) {
  Table::columns(table, [&](const char*, auto& column) {
    if constexpr (std::same_as<KindOf<decltype(column)>, Text>) translate_values(column, ids);
  });
}

// Calls visit(column) for each column of times of the rows themselves.
template <Columnar Table, typename Visit>
void for_each_time(Table& table, const Visit& visit) {
  std::remove_const_t<Table>::columns(table, [&](const char*, auto& column) {
    if constexpr (std::same_as<KindOf<decltype(column)>, Time>) visit(column);
  });
}

}  // namespace npuprof::trace
