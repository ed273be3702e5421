#include "query/answer_tables.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "query/column_cells.h"
#include "report/answers/text_forms.h"

namespace npuprof::query {
namespace {

constexpr std::string_view kAnswerPrefix = "answer_";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Names of modes may have hyphens, those of tables have none.
std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    if (!is_name_character(c)) c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return plain;
}

// Of modes whose names begin alike the one with the longest name; null = of none.
const answers::Mode* mode_of_table(std::string_view name) {
  const answers::Mode* best = nullptr;
  for (const answers::Mode* mode : answers::all_modes()) {
    const std::string first = answer_table_name(*mode);
    if (name != first && !name.starts_with(first + "_")) continue;
    if (best == nullptr || mode->name.size() > best->name.size()) best = mode;
  }
  return best;
}

void show_answer_text(sqlite3_context* context, const ShownColumn& column, std::size_t row) {
  const auto& table = *static_cast<const answers::Table*>(column.values);
  show_text(context, table.text_at(column.element, row));
}

void show_answer_real(sqlite3_context* context, const ShownColumn& column, std::size_t row) {
  const auto& table = *static_cast<const answers::Table*>(column.values);
  sqlite3_result_double(context, table.column(column.element).reals[row]);
}

std::int64_t answer_number(const ShownColumn& column, std::size_t row) {
  const auto& table = *static_cast<const answers::Table*>(column.values);
  return table.column(column.element).numbers[row];
}

void show_answer_number(sqlite3_context* context, const ShownColumn& column, std::size_t row) {
  const std::int64_t number = answer_number(column, row);
  if (number == answers::Column::kNoNumber) return sqlite3_result_null(context);
  sqlite3_result_int64(context, number);
}

ShownColumn answer_column(const answers::Table& table, std::size_t place) {
  const answers::Column& column = table.column(place);
  ShownColumn shown;
  shown.name = report::stored_name(column);
  shown.about = column.title;
  shown.values = &table;
  shown.element = place;
  if (column.kind == answers::Kind::kText) {
    shown.type = CellType::kText;
    shown.show = show_answer_text;
  } else if (answers::is_real(column.kind)) {
    shown.type = CellType::kReal;
    shown.show = show_answer_real;
  } else {
    shown.type = CellType::kInteger;
    shown.show = show_answer_number;
    shown.number = answer_number;
  }
  return shown;
}

// SQLite takes no two columns with names that differ in case alone.
void make_names_differ(std::vector<ShownColumn>& columns) {
  std::set<std::string> taken;
  for (ShownColumn& column : columns) {
    const std::string wanted = column.name;
    for (int i = 2; !taken.insert(plain_name(column.name)).second; ++i) {
      column.name = fmt::format("{}_{}", wanted, i);
    }
  }
}

ShownTable shown_answer(const std::shared_ptr<const answers::Answer>& answer,
                        const answers::Table& table, std::string name) {
  ShownTable shown;
  shown.name = std::move(name);
  shown.about = table.title();
  shown.rows = table.size();
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    shown.columns.push_back(answer_column(table, i));
  }
  make_names_differ(shown.columns);
  shown.make = [answer](ShownTable&) { return answer; };
  return shown;
}

}  // namespace

std::string answer_table_name(const answers::Mode& mode, std::string_view table) {
  const std::string first = std::string(kAnswerPrefix) + plain_name(mode.name);
  return table.empty() ? first : first + "_" + plain_name(table);
}

std::vector<const answers::Mode*> answers_named_in(std::string_view statement) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < statement.size();) {
    if (!is_name_character(statement[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < statement.size() && is_name_character(statement[i])) ++i;
    if (i - begin <= kAnswerPrefix.size() || i - begin > 200) continue;
    std::string name = plain_name(statement.substr(begin, i - begin));
    if (name.starts_with(kAnswerPrefix)) names.insert(std::move(name));
  }
  std::set<const answers::Mode*> named;
  for (const std::string& name : names) named.insert(mode_of_table(name));
  std::vector<const answers::Mode*> modes;
  for (const answers::Mode* mode : answers::all_modes()) {
    if (named.count(mode) > 0) modes.push_back(mode);
  }
  return modes;
}

std::string with_needs(const answers::Mode& mode, const Error& error) {
  if (error.code != ErrorCode::kNoData) return error.message;
  return fmt::format("{}; {} needs {}: {}", error.message, mode.name, mode.needs, mode.collect);
}

Result<std::deque<ShownTable>> answer_tables(const answers::Mode& mode,
                                             const answers::Request& request) {
  Result<answers::Answer> made = mode.answer(request);
  if (!made.ok()) return Error{made.error().code, with_needs(mode, made.error())};
  const auto answer = std::make_shared<const answers::Answer>(std::move(made).value());
  std::deque<ShownTable> tables;
  for (const answers::Table& table : answer->tables) {
    if (table.columns().empty()) continue;
    if (tables.empty()) tables.push_back(shown_answer(answer, table, answer_table_name(mode)));
    tables.push_back(shown_answer(answer, table, answer_table_name(mode, table.name())));
  }
  return tables;
}

}  // namespace npuprof::query
