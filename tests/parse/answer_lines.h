#pragma once

// Answers as texts, to compare those of one profile with those of another.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "answers/answer.h"
#include "base/result.h"

namespace npuprof::testing {

inline std::string cell_text(const answers::Table& table, std::size_t column, std::size_t row) {
  if (table.is_absent(column, row)) return "-";
  const answers::Column& cells = table.column(column);
  if (cells.kind == answers::Kind::kText) return std::string(table.text_at(column, row));
  return answers::is_real(cells.kind) ? fmt::format("{}", cells.reals[row])
                                      : fmt::format("{}", cells.numbers[row]);
}

// A line for each sentence, note and row, without some columns; or the reason why there are none.
inline std::vector<std::string> answer_lines(
    const Result<answers::Answer>& answer,
    const std::set<std::string, std::less<>>& without_columns = {}) {
  if (!answer.ok()) return {answer.error().message};
  std::vector<std::string> lines = answer->sentences;
  for (const answers::Table& table : answer->tables) {
    lines.push_back(table.name());
    lines.insert(lines.end(), table.notes.begin(), table.notes.end());
    for (std::size_t row = 0; row < table.size(); ++row) {
      std::string& line = lines.emplace_back();
      for (std::size_t column = 0; column < table.columns().size(); ++column) {
        if (without_columns.contains(table.column(column).key)) continue;
        line += table.column(column).key + "=" + cell_text(table, column, row) + " ";
      }
    }
  }
  return lines;
}

}  // namespace npuprof::testing
