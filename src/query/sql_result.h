#pragma once

#include <cstddef>

#include "answers/table.h"

struct sqlite3_stmt;

namespace npuprof::query {

// Collects the rows of a statement. SQLite has types for cells, answers have them for columns: a
// column is of integers, of reals, or else of texts.
class SqlResult {
 public:
  explicit SqlResult(sqlite3_stmt* statement);

  // The row that the statement stands at.
  void add_row();

  std::size_t rows() const { return rows_; }
  // Bytes of memory that the cells take, about.
  std::size_t bytes() const { return bytes_; }
  // Names of columns are those of the statement; where two are equal the later one gets a number.
  answers::Table table() const;

 private:
  struct Cell {
    int type;  // SQLITE_INTEGER, ...
    union {
      std::int64_t number;
      double real;
      StringId text;
    };
  };

  Cell cell(int column);
  std::string cell_text(const Cell& cell) const;
  answers::Kind kind_of(std::size_t column) const;
  void add_cell(answers::Table& table, std::size_t column, const Cell& cell) const;

  sqlite3_stmt* statement_;
  std::vector<std::string> names_;
  std::vector<bool> has_texts_;
  std::vector<bool> has_reals_;
  std::vector<Cell> cells_;  // Row after row.
  StringPool strings_;
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace npuprof::query
