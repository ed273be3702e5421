#include "cli/answer_output.h"

#include <utility>

#include "base/file.h"
#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/standard_output.h"
#include "report/answers/database_tables.h"
#include "report/answers/text_forms.h"
#include "report/answers/workbook.h"
#include "report/html/advisor_page.h"
#include "report/output_file.h"

namespace npuprof::cli {
namespace {

namespace fs = std::filesystem;
using answers::Table;

std::string answer_json(const ShownAnswer& shown) {
  std::string text;
  JsonWriter json(text, 1);
  json.begin_object().member("mode", shown.mode).member("simulated", shown.simulated);
  json.key("sentences").begin_array();
  for (const std::string& sentence : shown.answer.sentences) json.value(sentence);
  json.end_array().key("tables").begin_object();
  for (const Table& table : shown.answer.tables) {
    if (!table.in_files) continue;
    json.key(table.name());
    report::write_json_rows(table, json);
  }
  json.end_object().end_object();
  return text + "\n";
}

void print_tables(const ShownAnswer& shown, const std::optional<std::size_t>& rows,
                  std::size_t width) {
  for (const std::string& sentence : shown.answer.sentences) print(sentence + "\n");
  if (shown.simulated) print("This profile comes from a simulated NPU.\n");
  for (const Table& table : shown.answer.tables) {
    if (!table.on_terminal || table.size() == 0) continue;
    // Drawings have no parts to do without.
    print("\n" + report::terminal_text(table, {.rows = rows,
                                               .zero_ns = shown.zero_ns,
                                               .width = table.in_files ? width : 0}));
  }
}

// The first table is what was asked for; the others have files.
void print_csv(const ShownAnswer& shown) {
  bool is_first = true;
  for (const Table& table : shown.answer.tables) {
    if (!table.in_files || !table.on_terminal) continue;
    if (!is_first) print("\n");
    is_first = false;
    print(report::csv_text(table));
  }
}

// Writes the text to a file, which appears when it is complete.
Status write_text_file(const fs::path& path, std::string_view text) {
  NPUPROF_ASSIGN_OR_RETURN(const report::OutputFile file, report::OutputFile::find(path.native()));
  return file.write([&](const fs::path& to) { return write_file(to, text); });
}

class AnswerFiles {
 public:
  AnswerFiles(const ShownAnswer& shown, ExportType type, fs::path folder, std::int32_t rank)
      : shown_(shown), type_(type), folder_(std::move(folder)), rank_(rank) {}

  Result<std::vector<fs::path>> write() {
    if (type_ == ExportType::kDatabase) {
      NPUPROF_RETURN_IF_ERROR(write_database());
    } else if (type_ == ExportType::kJson) {
      NPUPROF_RETURN_IF_ERROR(write_whole(".json", answer_json(shown_)));
    } else if (type_ == ExportType::kPage) {
      NPUPROF_RETURN_IF_ERROR(write_whole(
          ".html", report::advisor_html(shown_.answer, {shown_.profile, shown_.simulated})));
    } else {
      NPUPROF_RETURN_IF_ERROR(write_tables());
    }
    return std::move(files_);
  }

 private:
  Status write_whole(const std::string& ending, std::string_view text) {
    const fs::path path = folder_ / (std::string(shown_.mode) + ending);
    NPUPROF_RETURN_IF_ERROR(make_directories(folder_));
    files_.push_back(path);
    return write_text_file(path, text);
  }

  Status write_database() {
    std::vector<const Table*> tables;
    for (const Table& table : shown_.answer.tables) {
      if (table.in_files) tables.push_back(&table);
    }
    NPUPROF_RETURN_IF_ERROR(make_directories(folder_));
    files_.push_back(folder_ / "cluster_analysis.db");
    return report::store_tables(files_.back(), tables);
  }

  Status write_tables() {
    std::vector<const Table*> own;
    for (const Table& table : shown_.answer.tables) {
      if (!table.in_files) continue;
      if (!table.file.empty()) {
        NPUPROF_RETURN_IF_ERROR(write_known_workbook(table));
      } else if (type_ == ExportType::kText) {
        NPUPROF_RETURN_IF_ERROR(write_csv(table));
      } else {
        own.push_back(&table);
      }
    }
    if (own.empty()) return ok_status();
    return write_book(folder_ / (std::string(shown_.mode) + ".xlsx"), own);
  }

  // Other tools write these as workbooks too, one for each rank.
  Status write_known_workbook(const Table& table) {
    const std::string rank = rank_ < 0 ? "" : "_" + std::to_string(rank_);
    const Table* tables[] = {&table};
    return write_book(folder_ / (table.file + rank + ".xlsx"), tables);
  }

  Status write_book(const fs::path& path, std::span<const Table* const> tables) {
    NPUPROF_RETURN_IF_ERROR(make_directories(path.parent_path()));
    NPUPROF_ASSIGN_OR_RETURN(const report::OutputFile file,
                             report::OutputFile::find(path.native()));
    NPUPROF_RETURN_IF_ERROR(
        file.write([&](const fs::path& to) { return report::write_workbook(to, tables); }));
    files_.push_back(path);
    return ok_status();
  }

  Status write_csv(const Table& table) {
    const fs::path path = folder_ / shown_.mode / (table.name() + ".csv");
    NPUPROF_RETURN_IF_ERROR(make_directories(path.parent_path()));
    NPUPROF_RETURN_IF_ERROR(write_text_file(path, report::csv_text(table)));
    files_.push_back(path);
    return ok_status();
  }

  const ShownAnswer& shown_;
  ExportType type_;
  fs::path folder_;
  std::int32_t rank_;
  std::vector<fs::path> files_;
};

}  // namespace

AnswerFormat answer_format(const std::string& name) {
  if (name == "table") return AnswerFormat::kTable;
  if (name == "csv") return AnswerFormat::kCsv;
  if (name == "json") return AnswerFormat::kJson;
  fail("--format", "'" + name + "' is neither table, csv nor json");
}

ExportType export_type(const std::string& name) {
  if (name == "text") return ExportType::kText;
  if (name == "db") return ExportType::kDatabase;
  if (name == "xlsx") return ExportType::kWorkbook;
  if (name == "json") return ExportType::kJson;
  if (name == "html") return ExportType::kPage;
  fail("--export-type", "'" + name + "' is neither text, db, xlsx, json nor html");
}

void add_wide_option(CLI::App& command, bool& is_wide) {
  command.add_flag("--wide", is_wide,
                   "All columns and longer texts, though the terminal is too narrow");
}

void print_answer(const ShownAnswer& shown, AnswerFormat format,
                  const std::optional<std::size_t>& rows, bool is_wide) {
  switch (format) {
    case AnswerFormat::kTable:
      return print_tables(shown, rows, is_wide ? 0 : terminal_width());
    case AnswerFormat::kCsv:
      return print_csv(shown);
    case AnswerFormat::kJson:
      return print(answer_json(shown));
  }
}

Result<std::vector<fs::path>> write_answer(const ShownAnswer& shown, ExportType type,
                                           const fs::path& folder, std::int32_t rank) {
  return AnswerFiles(shown, type, folder / "cluster_analysis_output", rank).write();
}

}  // namespace npuprof::cli
