#pragma once

// Runs programs as a shell does.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/wait.h>

#include "base/file.h"
#include "temporary_directory.h"

namespace npuprof::testing {

struct ProgramResult {
  int status = -1;  // Exit status, -1 if the program did not exit by itself.
  std::string output;
  std::string errors;
};

inline std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

inline ProgramResult run_program(const std::string& program,
                                 const std::vector<std::string>& arguments) {
  const TemporaryDirectory directory;
  std::string command = "env -u NPUPROF_LOG " + shell_quoted(program);
  for (const std::string& argument : arguments) command += " " + shell_quoted(argument);
  command += " >" + shell_quoted((directory / "out").native());
  command += " 2>" + shell_quoted((directory / "err").native()) + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(directory / "out").value(),
          read_file(directory / "err").value()};
}

}  // namespace npuprof::testing
