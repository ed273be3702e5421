#pragma once

// A table as SQLite shows it: columns with their names and with functions that read their cells
// where they are. Nothing is copied.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"
#include "trace/any_table.h"

struct sqlite3_context;

namespace npuprof::query {

enum class CellType : std::uint8_t { kInteger, kReal, kText };

// "INTEGER", "REAL", "TEXT".
std::string_view type_name(CellType type);

struct ShownColumn {
  std::string name;
  CellType type = CellType::kInteger;
  std::string about;                                 // "row of tasks"; empty if the name says all.
  const void* values = nullptr;                      // What `show` and `number` read.
  const trace::ValueFunctions* functions = nullptr;  // Of columns of the model.
  std::size_t element = 0;                           // Of each value, where values are arrays.
  const StringPool* strings = nullptr;               // Of texts.
  bool is_reference = false;  // To rows of another table: few rows have the same.
  // Gives the cell of a row to SQLite; NULL where there is none.
  void (*show)(sqlite3_context* context, const ShownColumn& column, std::size_t row) = nullptr;
  // What an integer cell is compared by; null for other types.
  std::int64_t (*number)(const ShownColumn& column, std::size_t row) = nullptr;
};

class ShownTable {
 public:
  std::string name;
  std::string about;  // One sentence; empty if the name says all.
  std::size_t rows = 0;
  std::vector<ShownColumn> columns;
  // Fills the members above when the table is first used, where that takes work; the result keeps
  // alive what columns refer to. May be empty.
  std::function<std::shared_ptr<const void>(ShownTable&)> make;

  // Calls `make`, once.
  void be_made();

  // Whether the numbers of a column never fall from one row to the next. Found out once.
  bool is_ascending(std::size_t column) const;
  // Rows in order of a column's numbers, and of themselves where these are equal. Made once.
  const std::vector<std::uint32_t>& rows_by(std::size_t column) const;

 private:
  struct Order {
    std::optional<bool> is_ascending;
    std::optional<std::vector<std::uint32_t>> rows;
  };
  Order& order_of(std::size_t column) const;

  std::shared_ptr<const void> kept_;
  mutable std::vector<Order> orders_;  // One for each column that was asked for, or more.
};

// The statement that would create it: `CREATE TABLE tasks(start_ns INTEGER, ...)`.
std::string schema_of(const ShownTable& table);

// A name as it is written in a statement, whatever it is.
std::string quoted_name(std::string_view name);

}  // namespace npuprof::query
