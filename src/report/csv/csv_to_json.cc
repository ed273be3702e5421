#include "report/csv/csv_to_json.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/csv_guard.h"
#include "base/file.h"
#include "base/json_writer.h"

namespace npuprof::report {
namespace {

namespace fs = std::filesystem;

// Takes rows off a text that was written here: quotes are doubled inside quotes, and only there
// may a line end be part of a cell.
class RowReader {
 public:
  explicit RowReader(std::string_view text) : rest_(text) {}

  bool next(std::vector<std::string>& cells) {
    cells.clear();
    if (rest_.empty()) return false;
    cells.emplace_back();
    bool is_quoted = false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') {
        if (is_quoted && rest_.starts_with('"')) {
          cells.back() += '"';
          rest_.remove_prefix(1);
        } else {
          is_quoted = !is_quoted;
        }
      } else if (is_quoted || (c != ',' && c != '\n' && c != '\r')) {
        cells.back() += c;
      } else if (c == ',') {
        cells.emplace_back();
      } else if (c == '\n') {
        return true;
      }
    }
    return true;
  }

 private:
  std::string_view rest_;
};

// Takes digits off the front; how many there were.
std::size_t skip_digits(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count;
}

bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool begins_with_zero = text.starts_with('0');
  const std::size_t whole = skip_digits(text);
  if (whole == 0 || (begins_with_zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (skip_digits(text) == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (skip_digits(text) == 0) return false;
  }
  return text.empty();
}

void put_json_cell(JsonWriter& json, std::string_view cell) {
  if (is_json_number(cell)) {
    json.raw(cell);
    return;
  }
  if (cell.ends_with('\t')) cell.remove_suffix(1);
  json.value(without_csv_guard(cell));
}

}  // namespace

std::string csv_to_json(std::string_view csv) {
  RowReader reader(csv);
  std::vector<std::string> header;
  std::vector<std::string> cells;
  std::string text;
  JsonWriter json(text, 0);
  json.begin_array();
  if (reader.next(header)) {
    while (reader.next(cells)) {
      json.begin_object();
      for (std::size_t i = 0; i < cells.size() && i < header.size(); ++i) {
        json.key(header[i]);
        put_json_cell(json, cells[i]);
      }
      json.end_object();
    }
  }
  json.end_array();
  return text;
}

Status csv_files_to_json(const fs::path& directory, std::string_view suffix) {
  std::error_code error;
  std::vector<fs::path> tables;
  const std::string ending = std::string(suffix) + ".csv";
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().filename().native().ends_with(ending)) tables.push_back(entry.path());
  }
  if (error) return Error::from_errno("cannot list", directory.native(), error.value());
  for (const fs::path& table : tables) {
    const fs::path made = fs::path(table).replace_extension(".json");
    if (fs::exists(made, error)) continue;
    NPUPROF_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::open(table));
    NPUPROF_RETURN_IF_ERROR(write_file(made, csv_to_json(file.text())));
    fs::remove(table, error);
    if (error) return Error::from_errno("cannot remove", table.native(), error.value());
  }
  return ok_status();
}

}  // namespace npuprof::report
