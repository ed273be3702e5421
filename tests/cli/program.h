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

// A line with pipes and redirections.
inline ProgramResult run_shell(const std::string& line) {
  const TemporaryDirectory directory;
  std::string command = "{ unset NPUPROF_LOG; " + line + "; }";
  command += " >" + shell_quoted((directory / "out").native());
  command += " 2>" + shell_quoted((directory / "err").native()) + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(directory / "out").value(),
          read_file(directory / "err").value()};
}

inline std::string shell_line(const std::string& program,
                              const std::vector<std::string>& arguments) {
  std::string line = shell_quoted(program);
  for (const std::string& argument : arguments) line += " " + shell_quoted(argument);
  return line;
}

inline ProgramResult run_program(const std::string& program,
                                 const std::vector<std::string>& arguments) {
  return run_shell(shell_line(program, arguments));
}

}  // namespace npuprof::testing
