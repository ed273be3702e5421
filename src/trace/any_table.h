#pragma once

// Tables of any type, treated alike. What is done with all columns of a table is compiled once for
// each type of values, not for each column of each table: there are hundreds of them.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "trace/row.h"

namespace npuprof::trace {

enum class ColumnKind : std::uint8_t { kPlain, kTime, kMoment, kText, kRow, kPart };
// How a value looks to whoever shows it; arrays have several cells. Structs of private tables are
// not shown.
enum class CellKind : std::uint8_t { kInteger, kReal, kText, kHidden };

// Tables are told apart by the address of their mark.
template <typename Table>
inline constexpr char kTableMark = 0;

template <typename Value>
struct CellsOf {
  using Cell = Value;
  static constexpr std::size_t kCount = 1;
  static const Cell& at(const Value& value, std::size_t) { return value; }
};
template <typename Element, std::size_t kLength>
struct CellsOf<std::array<Element, kLength>> {
  using Cell = Element;
  static constexpr std::size_t kCount = kLength;
  static const Cell& at(const std::array<Element, kLength>& value, std::size_t i) {
    return value[i];
  }
};

template <typename Value>
inline constexpr bool kIsRow = false;
template <typename Table>
inline constexpr bool kIsRow<Row<Table>> = true;

// What can be done with a column, given the address of its vector.
struct ValueFunctions {
  CellKind cell_kind;
  std::size_t cell_count;  // Of a value.
  std::size_t (*size)(const void* column);
  std::size_t (*memory_bytes)(const void* column);
  void (*reserve)(void* column, std::size_t rows);
  void (*resize)(void* column, std::size_t rows);
  void (*reorder)(void* column, std::span<const std::uint32_t> order);
  void (*take)(void* column, void* added);
  // A cell; of texts the id, of rows the number.
  std::int64_t (*integer)(const void* column, std::size_t row, std::size_t cell);
  double (*real)(const void* column, std::size_t row, std::size_t cell);
  // Of references alone. To rows `by` further on; to where new_row says that each went.
  void (*shift_rows)(void* column, std::uint32_t by);
  void (*move_rows)(void* column, std::span<const std::uint32_t> new_row);
};

template <typename Value>
struct RowValues {
  static void shift(void* column, std::uint32_t by) {
    for (Value& row : *static_cast<std::vector<Value>*>(column)) {
      if (row != kNone) row = row + by;
    }
  }
  static void move(void* column, std::span<const std::uint32_t> new_row) {
    for (Value& row : *static_cast<std::vector<Value>*>(column)) {
      if (row != kNone) row = new_row[row];
    }
  }
};

template <typename Value>
struct Values {
  using Cells = CellsOf<Value>;
  using Cell = typename Cells::Cell;

  static std::vector<Value>& of(void* column) { return *static_cast<std::vector<Value>*>(column); }
  static const std::vector<Value>& of(const void* column) {
    return *static_cast<const std::vector<Value>*>(column);
  }

  static std::size_t size(const void* column) { return of(column).size(); }
  static std::size_t memory_bytes(const void* column) {
    return of(column).capacity() * sizeof(Value);
  }
  static void reserve(void* column, std::size_t rows) { of(column).reserve(rows); }
  static void resize(void* column, std::size_t rows) { of(column).resize(rows); }
  static void reorder(void* column, std::span<const std::uint32_t> order) {
    const std::vector<Value>& values = of(column);
    std::vector<Value> moved(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[order[i]];
    of(column) = std::move(moved);
  }
  // `added` is empty afterwards.
  static void take(void* column, void* added) {
    std::vector<Value>& values = of(column);
    std::vector<Value>& more = of(added);
    if (values.empty()) {
      values = std::move(more);
    } else {
      values.insert(values.end(), more.begin(), more.end());
    }
    more = std::vector<Value>();
  }

  static constexpr CellKind cell_kind() {
    if constexpr (std::same_as<Cell, StringId>) return CellKind::kText;
    if constexpr (std::is_class_v<Cell> && !kIsRow<Cell>) return CellKind::kHidden;
    return std::floating_point<Cell> ? CellKind::kReal : CellKind::kInteger;
  }
  static std::int64_t integer(const void* column, std::size_t row, std::size_t i) {
    const Cell& cell = Cells::at(of(column)[row], i);
    if constexpr (std::same_as<Cell, StringId>) {
      return static_cast<std::int64_t>(to_index(cell));
    } else if constexpr (kIsRow<Cell>) {
      return cell.number();
    } else if constexpr (cell_kind() == CellKind::kHidden) {
      return 0;
    } else {
      return static_cast<std::int64_t>(cell);
    }
  }
  static double real(const void* column, std::size_t row, std::size_t i) {
    if constexpr (std::floating_point<Cell>) return Cells::at(of(column)[row], i);
    return static_cast<double>(integer(column, row, i));
  }

  static constexpr ValueFunctions functions() {
    ValueFunctions all{.cell_kind = cell_kind(),
                       .cell_count = Cells::kCount,
                       .size = size,
                       .memory_bytes = memory_bytes,
                       .reserve = reserve,
                       .resize = resize,
                       .reorder = reorder,
                       .take = take,
                       .integer = integer,
                       .real = real,
                       .shift_rows = nullptr,
                       .move_rows = nullptr};
    if constexpr (kIsRow<Value>) {
      all.shift_rows = RowValues<Value>::shift;
      all.move_rows = RowValues<Value>::move;
    }
    return all;
  }
};

template <typename Value>
inline constexpr ValueFunctions kValueFunctions = Values<Value>::functions();

struct ColumnFacts {
  const char* name = nullptr;
  ColumnKind kind = ColumnKind::kPlain;
  std::size_t offset = 0;  // In its table.
  const ValueFunctions* values = nullptr;
  const char* target = nullptr;  // Mark of the table that it refers to, null = none.
};

template <typename Table>
concept Columnar = requires {
  { Table::column_facts() } -> std::convertible_to<std::span<const ColumnFacts>>;
};

// A table that is read.
class AnyConstTable {
 public:
  template <Columnar Table>
  AnyConstTable(const Table& table)  // NOLINT(*-explicit-*)
      : columns_(Table::column_facts()), table_(&table), mark_(&kTableMark<Table>) {}

  std::span<const ColumnFacts> columns() const { return columns_; }
  const char* mark() const { return mark_; }
  std::size_t size() const { return columns_.front().values->size(column(columns_.front())); }
  const void* column(const ColumnFacts& facts) const {
    return static_cast<const std::byte*>(table_) + facts.offset;
  }

 private:
  std::span<const ColumnFacts> columns_;
  const void* table_;
  const char* mark_;
};

// A table that is changed.
class AnyTable : public AnyConstTable {
 public:
  template <Columnar Table>
  requires(!std::is_const_v<Table>) AnyTable(Table& table)
      : AnyConstTable(table) {}  // NOLINT(*-explicit-*)

  using AnyConstTable::column;
  // It was made of a table that may be changed.
  void* column(const ColumnFacts& facts) {
    return const_cast<void*>(AnyConstTable::column(facts));  // NOLINT(*-const-cast)
  }
};

// Bytes of memory that the columns have, used or not.
std::size_t memory_bytes(AnyConstTable table);

void reserve_rows(AnyTable table, std::size_t rows);

// New rows hold zeros and refer to no row; the caller fills them by index.
void resize_rows(AnyTable table, std::size_t rows);

// Reorders every column: new row i is old row order[i]. `order` may also drop or repeat rows. A
// column without values (of a part that nobody wanted) stays so.
void reorder_rows(AnyTable table, std::span<const std::uint32_t> order);

// Appends all rows of `added`, a table of the same type, which has none afterwards; string ids in
// it must already be ids of the same pool.
void take_rows(AnyTable table, AnyTable added);

// Replaces each string id; ids[to_index(id)] is what merging the old pool into the new one gave.
void translate_texts(AnyTable table, std::span<const StringId> ids);

// Calls visit(values) for each column of texts.
template <typename Visit>
void for_each_text(AnyTable table, const Visit& visit) {
  for (const ColumnFacts& facts : table.columns()) {
    if (facts.kind == ColumnKind::kText) visit(Values<StringId>::of(table.column(facts)));
  }
}

// Replaces each string id of the rows from `first_row` to before `end_row` by translated(id).
template <std::invocable<StringId> Translated>
void translate_texts(AnyTable table, std::size_t first_row, std::size_t end_row,
                     const Translated& translated) {
  for_each_text(table, [&](std::vector<StringId>& texts) {
    for (std::size_t row = first_row; row < end_row; ++row) texts[row] = translated(texts[row]);
  });
}

// Calls visit(values) for each column of times of the rows themselves.
template <typename Visit>
void for_each_time(AnyConstTable table, const Visit& visit) {
  for (const ColumnFacts& facts : table.columns()) {
    if (facts.kind == ColumnKind::kTime) visit(Values<std::int64_t>::of(table.column(facts)));
  }
}
// Replaces each of these times by changed(time).
template <std::invocable<std::int64_t> Changed>
void change_times(AnyTable table, const Changed& changed) {
  for (const ColumnFacts& facts : table.columns()) {
    if (facts.kind != ColumnKind::kTime) continue;
    for (std::int64_t& time_ns : Values<std::int64_t>::of(table.column(facts))) {
      time_ns = changed(time_ns);
    }
  }
}

// Of the types that most columns have; any_table.cc has their functions.
extern template struct Values<std::uint8_t>;
extern template struct Values<std::uint16_t>;
extern template struct Values<std::uint32_t>;
extern template struct Values<std::uint64_t>;
extern template struct Values<std::int64_t>;
extern template struct Values<double>;
extern template struct Values<StringId>;

}  // namespace npuprof::trace
