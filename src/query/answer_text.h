#pragma once

// Answers as a language model reads them: sentences first, then few rows of each table, and how
// many there are.

#include <cstddef>
#include <string>

#include "answers/mode.h"

namespace npuprof::query {

// Appends a line of names, which have units, and a line for each row; cells are separated by " | ".
// Texts are cut where they are very long. `all_rows` is how many rows there would be.
void append_table_text(std::string& out, const answers::Table& table, std::size_t top,
                       std::size_t all_rows);

// Tables that are not for people to read are named only, with how to get at them.
std::string answer_text(const answers::Mode& mode, const answers::Answer& answer, std::size_t top);
// Of what is no mode, such as a comparison.
std::string answer_text(const answers::Answer& answer, std::size_t top);

}  // namespace npuprof::query
