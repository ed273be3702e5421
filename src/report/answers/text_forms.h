#pragma once

// Tables of answers as text: for a terminal, as CSV, as JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "answers/answer.h"
#include "base/json_writer.h"

namespace npuprof::report {

struct TerminalOptions {
  std::optional<std::size_t> rows;  // At most; 0 = all, nothing = what is usual for the table.
  std::size_t text_width = 60;      // Longer texts are cut in the middle; 0 = not at all.
  std::int64_t zero_ns = 0;         // Moments are shown as the time since then.
  // Of a line, in characters: wider tables lose parts of their texts, then columns; 0 = any.
  std::size_t width = 0;
};

// With its title and notes. Times of a column have one unit, which fits the largest of them.
std::string terminal_text(const answers::Table& table, const TerminalOptions& options);

// With a line of titles. Times in us, shares in percent; a title says the unit. A column that other
// tools know (`key_is_final`) is written as they do.
std::string csv_text(const answers::Table& table);

// An array of objects: times in ns, shares from 0 to 1, null where there is no value.
void write_json_rows(const answers::Table& table, JsonWriter& json);
std::string json_text(const answers::Table& table);

// The name of a column for programs: its key with the unit, `total_ns`.
std::string stored_name(const answers::Column& column);

}  // namespace npuprof::report
