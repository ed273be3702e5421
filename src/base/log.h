#pragma once

// What the program says on standard error. Libraries say little: losses and odd input as warnings,
// steps of the work as debug lines; results go to files and standard output.

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace npuprof::log {

enum class Level { kTrace, kDebug, kInfo, kWarning, kError, kOff };

// "trace", "debug", "info", "warning" (or "warn"), "error", "off".
std::optional<Level> parse_level(std::string_view name);

// The level asked for on the command line (--quiet; -v once or more often), else by `environment`,
// the value of NPUPROF_LOG (may be null), else kInfo. Quiet still lets warnings and errors through.
Level choose_level(bool quiet, int verbosity, const char* environment);

// choose_level() with the process's environment, put into force.
void configure(bool quiet, int verbosity);

// The level starts as NPUPROF_LOG says.
void set_level(Level level);
Level level();
inline bool enabled(Level of_message) { return of_message >= level(); }

// Writes one line, "npuprof: warning: ..."; from kDebug on lines also have a time and a thread.
void write(Level of_message, std::string_view text);

template <typename... Arguments>
void message(Level level_of_message, fmt::format_string<Arguments...> format,
             Arguments&&... arguments) {
  if (enabled(level_of_message)) {
    write(level_of_message, fmt::format(format, std::forward<Arguments>(arguments)...));
  }
}
template <typename... Arguments>
void trace(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  message(Level::kTrace, format, std::forward<Arguments>(arguments)...);
}
template <typename... Arguments>
void debug(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  message(Level::kDebug, format, std::forward<Arguments>(arguments)...);
}
template <typename... Arguments>
void info(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  message(Level::kInfo, format, std::forward<Arguments>(arguments)...);
}
template <typename... Arguments>
void warning(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  message(Level::kWarning, format, std::forward<Arguments>(arguments)...);
}
template <typename... Arguments>
void error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  message(Level::kError, format, std::forward<Arguments>(arguments)...);
}

}  // namespace npuprof::log
