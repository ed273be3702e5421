#pragma once

// Where answers go: to the terminal, to standard output for scripts, to files as other tools have
// them.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "answers/answer.h"
#include "answers/selection.h"
#include "base/result.h"

namespace npuprof::cli {

enum class AnswerFormat : std::uint8_t { kTable, kCsv, kJson };
enum class ExportType : std::uint8_t { kText, kDatabase, kWorkbook, kJson, kPage };

// "table", "csv" or "json"; "text", "db", "xlsx", "json" or "html".
AnswerFormat answer_format(const std::string& name);
ExportType export_type(const std::string& name);

// --wide: tables need not fit the terminal.
void add_wide_option(CLI::App& command, bool& is_wide);

// An answer about one or several profiles.
struct ShownAnswer {
  std::string_view mode;
  std::string profile;  // As the user wrote it.
  answers::Answer answer;
  std::int64_t zero_ns = 0;  // Moments are counted from here on a terminal.
  bool simulated = false;
};

// `rows`: at most so many of each table; 0 = all, nothing = what is usual. Tables are made to fit
// the terminal, unless they may be wide.
void print_answer(const ShownAnswer& shown, AnswerFormat format,
                  const std::optional<std::size_t>& rows, bool is_wide);

// Of tables that select_rows has cut: what is left is shown.
inline std::optional<std::size_t> rows_to_show(const answers::Selection& selection) {
  return selection.top ? std::optional<std::size_t>(0) : std::nullopt;
}

// Writes the tables below `folder`/cluster_analysis_output: into cluster_analysis.db, or as files
// <mode>/<table>.csv, <mode>.xlsx, .json or .html; tables that other tools know under their names.
// `rank` is part of such names. Returns the files.
Result<std::vector<std::filesystem::path>> write_answer(const ShownAnswer& shown, ExportType type,
                                                        const std::filesystem::path& folder,
                                                        std::int32_t rank);

}  // namespace npuprof::cli
