#include "cli/standard_output.h"

#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/printable.h"
#include "base/write_all.h"

namespace npuprof::cli {
namespace {

Status& print_status() {
  static Status status = ok_status();
  return status;
}

}  // namespace

void print(std::string_view text) {
  if (!print_status().ok()) return;
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  const std::string shown = is_terminal ? printable(text, "\n") : std::string(text);
  print_status() = write_all(STDOUT_FILENO, as_bytes(shown), "standard output");
}

std::size_t terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1) return 0;
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

const Status& printed() { return print_status(); }

}  // namespace npuprof::cli
