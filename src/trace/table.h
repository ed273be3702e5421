#pragma once

// Columnar tables. A table is a struct of vectors of equal length, one per column, and lists its
// columns once in `columns(self, visit)`; everything generic (resize, reorder, compare, dump) goes
// through that list. There is no object per event.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/string_pool.h"

namespace npuprof::trace {

// Absent references and ids. A row number or an id of 32 bits is enough: a profile with four
// thousand million events of one kind would not fit into memory.
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

template <typename Table>
concept Columnar = requires(Table& table) {
  Table::columns(table, [](const char*, auto&) {});
};

template <Columnar Table>
std::size_t row_count(const Table& table) {
  std::size_t rows = 0;
  bool first = true;
  Table::columns(table, [&](const char*, const auto& column) {
    if (std::exchange(first, false)) rows = column.size();
  });
  return rows;
}

template <Columnar Table>
void reserve_rows(Table& table, std::size_t rows) {
  Table::columns(table, [&](const char*, auto& column) { column.reserve(rows); });
}

// New rows hold zeros; the caller fills them by index.
template <Columnar Table>
void resize_rows(Table& table, std::size_t rows) {
  Table::columns(table, [&](const char*, auto& column) { column.resize(rows); });
}

// Frees a table that later stages no longer need.
template <Columnar Table>
void clear_rows(Table& table) {
  table = Table{};
}

// Reorders every column: new row i is old row order[i]. `order` may also drop or repeat rows.
template <Columnar Table>
void reorder_rows(Table& table, std::span<const std::uint32_t> order) {
  Table::columns(table, [&](const char*, auto& column) {
    std::remove_reference_t<decltype(column)> moved;
    moved.reserve(order.size());
    for (const std::uint32_t row : order) moved.push_back(column[row]);
    column = std::move(moved);
  });
}

// Appends all rows of `other`; string ids in it must already be ids of the same pool.
template <Columnar Table>
void append_rows(Table& table, const Table& other) {
  std::vector<const void*> sources;
  Table::columns(other, [&](const char*, const auto& column) { sources.push_back(&column); });
  std::size_t index = 0;
  Table::columns(table, [&](const char*, auto& column) {
    using Column = std::remove_reference_t<decltype(column)>;
    const auto& source = *static_cast<const Column*>(sources[index++]);
    column.insert(column.end(), source.begin(), source.end());
  });
}

}  // namespace npuprof::trace
