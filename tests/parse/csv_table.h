#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "parse/row_compare.h"

namespace npuprof::testing {

struct CsvTable {
  std::vector<std::string> header;
  Rows rows;
  std::size_t crlf_rows = 0;  // Rows that end with CR LF.
};

// Splits a CSV text; quotes stay part of a cell, as the two may quote differently.
inline CsvTable read_csv(const std::filesystem::path& path) {
  const std::string text = read_file(path).value();
  CsvTable table;
  std::vector<std::string> cells(1);
  bool quoted = false;
  const auto end_row = [&] {
    if (cells.back().ends_with('\r')) {
      cells.back().pop_back();
      ++table.crlf_rows;
    }
    if (table.header.empty()) {
      table.header = cells;
    } else {
      Row row;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        row[i < table.header.size() ? table.header[i] : "too many"] = cells[i];
      }
      table.rows.push_back(row);
    }
    cells.assign(1, "");
  };
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c == '\n' && !quoted) {
      end_row();
    } else {
      cells.back() += c;
    }
  }
  return table;
}

}  // namespace npuprof::testing
