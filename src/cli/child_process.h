#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace npuprof::cli {

// How a program ended.
struct ProgramEnd {
  int status = 0;  // Exit status.
  int signal = 0;  // The signal that ended it, 0 for none.

  // As a shell tells it.
  int code() const { return signal != 0 ? 128 + signal : status; }
};

// Runs a program with this process' input, output and environment, and `variables` ("NAME=value")
// added to it, and waits. Ctrl-C and other signals that ask to end are the program's matter.
Result<ProgramEnd> run_and_wait(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& variables);

}  // namespace npuprof::cli
