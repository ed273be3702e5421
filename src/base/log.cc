#include "base/log.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "base/printable.h"

namespace npuprof::log {
namespace {

std::atomic<Level>& current_level() {
  static std::atomic<Level> level = choose_level(false, 0, std::getenv("NPUPROF_LOG"));
  return level;
}

std::string_view prefix(Level level) {
  switch (level) {
    case Level::kTrace:
      return "trace: ";
    case Level::kDebug:
      return "debug: ";
    case Level::kWarning:
      return "warning: ";
    case Level::kError:
      return "error: ";
    default:
      return "";
  }
}

spdlog::logger make_logger(const std::string& pattern) {
  spdlog::logger logger("npuprof", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  // A progress bar leaves the cursor at the start of its line: erase the bar before a message.
  logger.set_pattern(::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" + pattern : pattern);
  logger.set_level(spdlog::level::trace);
  logger.flush_on(spdlog::level::trace);
  return logger;
}

// Never destroyed, so that static destructors may log too.
spdlog::logger& logger_for(Level level) {
  static auto& short_lines = *new spdlog::logger(make_logger("npuprof: %v"));
  static auto& long_lines = *new spdlog::logger(make_logger("npuprof [%T.%e %t]: %v"));
  return level <= Level::kDebug ? long_lines : short_lines;
}

}  // namespace

std::optional<Level> parse_level(std::string_view name) {
  if (name == "trace") return Level::kTrace;
  if (name == "debug") return Level::kDebug;
  if (name == "info") return Level::kInfo;
  if (name == "warning" || name == "warn") return Level::kWarning;
  if (name == "error") return Level::kError;
  if (name == "off") return Level::kOff;
  return std::nullopt;
}

Level choose_level(bool quiet, int verbosity, const char* environment) {
  if (verbosity >= 2) return Level::kTrace;
  if (verbosity == 1) return Level::kDebug;
  if (quiet) return Level::kWarning;
  if (environment == nullptr) return Level::kInfo;
  return parse_level(environment).value_or(Level::kInfo);
}

void configure(bool quiet, int verbosity) {
  set_level(choose_level(quiet, verbosity, std::getenv("NPUPROF_LOG")));
}

void set_level(Level level) { current_level().store(level, std::memory_order_relaxed); }

Level level() { return current_level().load(std::memory_order_relaxed); }

void write(Level of_message, std::string_view text) {
  try {
    const std::string_view start = prefix(of_message);
    // Names of files may hold orders to a terminal.
    logger_for(level()).log(spdlog::level::info, "{}{}", start, printable(text));
  } catch (...) {
    // Nothing is left to complain to; what was to be logged must not stop the work.
  }
}

}  // namespace npuprof::log
