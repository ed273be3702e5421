#pragma once

// What commands print as their result. A full disk or a closed pipe behind standard output is an
// error of the command, which main() asks for at the end.

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace npuprof::cli {

// On a terminal, control characters in names of files are shown and not obeyed.
void print(std::string_view text);

// Characters of a line of the terminal; 0 = it is none, or does not say.
std::size_t terminal_width();

// The first error of all that was printed.
const Status& printed();

}  // namespace npuprof::cli
