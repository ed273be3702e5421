#pragma once

// Which rows of a table are shown, and in which order: the same choices for every mode.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "answers/answer.h"
#include "base/result.h"

namespace npuprof::answers {

struct Selection {
  std::string name;  // A NameExpression; rows with a text it is found in.
  std::string sort;  // Key or title of a column: numbers from high to low, texts from a to z.
  // So many rows of each table, and in tables of several ranks of each rank; 0 = all.
  std::optional<std::size_t> top;
};

// Tables without texts are not filtered, sentences neither: both are said. Those without the column
// keep their order. Fails if the expression is none, or no table has the column.
Status select_rows(Answer& answer, const Selection& selection);

// Row numbers in order of a column: numbers from high to low, texts from a to z, absent ones last.
std::vector<std::uint32_t> order_by(const Table& table, std::size_t column);

}  // namespace npuprof::answers
