#pragma once

// Answers and their tables as the page takes them.

#include <cstdint>
#include <string>
#include <string_view>

#include "answers/answer.h"
#include "base/json_writer.h"

namespace npuprof::serve {

struct ShownRows {
  std::size_t from = 0;
  std::size_t count = 0;     // At most so many of each table.
  std::int64_t zero_ns = 0;  // Moments count from there.
};

// An object: name, title, notes, columns, rows, total_rows.
void write_table(const answers::Table& table, const ShownRows& shown, JsonWriter& json);
// Members of an object that has been begun: sentences, tables.
void write_answer(const answers::Answer& answer, const ShownRows& shown, JsonWriter& json);

}  // namespace npuprof::serve
