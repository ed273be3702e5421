#pragma once

// Spreadsheets take a cell that begins with = + - or @ for a formula and compute it, whoever wrote
// it. A text cell that begins so, and is no number, gets an apostrophe in front, which spreadsheets
// read as "this is text"; our own reader takes it away again. A text that has apostrophes there of
// its own gets one more, so that every text comes back as it was.

#include <string_view>

namespace npuprof {

// Whether `text` needs an apostrophe in front.
bool needs_csv_guard(std::string_view text);

// The text of a cell that may have one.
std::string_view without_csv_guard(std::string_view cell);

}  // namespace npuprof
