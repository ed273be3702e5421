#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace npuprof::cli {

// Exit status of every command.
inline constexpr int kOk = 0;
inline constexpr int kLosses = 1;      // Finished, but part of the input could not be used.
inline constexpr int kUsage = 2;       // The command line is wrong.
inline constexpr int kUnreadable = 3;  // Nothing could be read, or results could not be written.

// The command line is refused: `sentence` says why and what to write instead.
[[noreturn]] inline void fail(const std::string& argument, const std::string& sentence) {
  throw CLI::ValidationError(argument, sentence);
}

// Switches are written as msprof's are.
inline bool is_on(const std::string& text) { return text == "on" || text == "true"; }

// Each adds one subcommand; its callback puts the exit status into `status`.
void add_record_command(CLI::App& app, int& status);
void add_dynamic_command(CLI::App& app, int& status);
void add_parse_command(CLI::App& app, int& status);
void add_msprof_command(CLI::App& app, int& status);
void add_export_command(CLI::App& app, int& status);
void add_analyze_command(CLI::App& app, int& status);
void add_compare_command(CLI::App& app, int& status);
void add_gate_command(CLI::App& app, int& status);
void add_sql_command(CLI::App& app, int& status);
void add_mcp_command(CLI::App& app, int& status);
void add_view_command(CLI::App& app, int& status);
void add_dump_command(CLI::App& app, int& status);

}  // namespace npuprof::cli
