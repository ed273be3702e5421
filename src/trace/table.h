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
// part of the name: `start_ns`, `size_bytes`. any_table.h has what can be done with any table.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "trace/any_table.h"
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
  std::size_t offset;
  Member member;
};
template <typename Member>
NamedColumn(const char*, std::size_t, Member) -> NamedColumn<Member>;

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

template <typename Kind>
constexpr ColumnKind column_kind() {
  if constexpr (std::same_as<Kind, Time>) return ColumnKind::kTime;
  if constexpr (std::same_as<Kind, Moment>) return ColumnKind::kMoment;
  if constexpr (std::same_as<Kind, Text>) return ColumnKind::kText;
  if constexpr (Reference<Kind>::kIsPart) return ColumnKind::kPart;
  if constexpr (Reference<Kind>::kIsReference) return ColumnKind::kRow;
  return ColumnKind::kPlain;
}
template <typename Kind>
constexpr const char* target_mark() {
  if constexpr (Reference<Kind>::kIsReference) return &kTableMark<typename Reference<Kind>::Target>;
  return nullptr;
}

constexpr void add_facts(NoColumn, ColumnFacts*&) {}
template <typename Table, typename Column>
constexpr void add_facts(NamedColumn<Column Table::*> column, ColumnFacts*& next) {
  using Kind = typename Column::Kind;
  *next++ = {column.name, column_kind<Kind>(), column.offset,
             &kValueFunctions<typename Column::Value>, target_mark<Kind>()};
}

// The columns of a table, of which each line from its first on may have one.
template <typename Table, int... kOffset>
constexpr auto facts_of(std::integer_sequence<int, kOffset...>) {
  constexpr auto kCount =
      (std::size_t{
           !std::same_as<decltype(Table::column_at(SourceLine<Table::kFirstLine + kOffset>{})),
                         NoColumn>} +
       ...);
  std::array<ColumnFacts, kCount> facts{};
  ColumnFacts* next = facts.data();
  (add_facts(Table::column_at(SourceLine<Table::kFirstLine + kOffset>{}), next), ...);
  return facts;
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
#define NPUPROF_COLUMN(kind, name)                                                  \
  static constexpr auto column_at(::npuprof::trace::SourceLine<__LINE__>) {         \
    return ::npuprof::trace::NamedColumn{#name, offsetof(Self, name), &Self::name}; \
  }                                                                                 \
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
  static std::span<const ::npuprof::trace::ColumnFacts> column_facts() {                   \
    static constexpr auto kFacts = ::npuprof::trace::facts_of<Self>(                       \
        std::make_integer_sequence<int, __LINE__ - kFirstLine>{});                         \
    return kFacts;                                                                         \
  }                                                                                        \
  std::size_t size() const {                                                               \
    return (this->*::npuprof::trace::first_column<Self>().member).size();                  \
  }                                                                                        \
  static_assert(true)

template <Columnar Table>
std::size_t row_count(const Table& table) {
  return table.size();
}

// Frees a table that later stages no longer need.
template <Columnar Table>
void clear_rows(Table& table) {
  table = Table{};
}

}  // namespace npuprof::trace
