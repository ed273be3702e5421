#include "query/sql_result.h"

#include <limits>
#include <set>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/text.h"

namespace npuprof::query {
namespace {

std::vector<std::string> result_names(sqlite3_stmt* statement) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  const int count = sqlite3_column_count(statement);
  for (int i = 0; i < count; ++i) {
    const char* name = sqlite3_column_name(statement, i);
    const std::string wanted = name == nullptr ? "" : name;
    std::string chosen = wanted;
    for (int number = 2; !taken.insert(chosen).second; ++number) {
      chosen = fmt::format("{}_{}", wanted, number);
    }
    names.push_back(std::move(chosen));
  }
  return names;
}

// X'0123': as SQL writes bytes.
std::string hex_text(const void* data, std::size_t size) {
  std::string text = "X'";
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02X}", bytes[i]);
  return text + "'";
}

}  // namespace

SqlResult::SqlResult(sqlite3_stmt* statement)
    : statement_(statement),
      names_(result_names(statement)),
      has_texts_(names_.size()),
      has_reals_(names_.size()) {}

SqlResult::Cell SqlResult::cell(int column) {
  Cell cell{.type = sqlite3_column_type(statement_, column), .number = 0};
  const auto place = static_cast<std::size_t>(column);
  const auto keep = [&](std::string_view text) {
    const std::size_t known = strings_.size();
    cell.text = strings_.intern(text);
    if (strings_.size() > known) bytes_ += text.size();
    has_texts_[place] = true;
  };
  switch (cell.type) {
    case SQLITE_INTEGER:
      cell.number = sqlite3_column_int64(statement_, column);
      // Stands for no value in answers.
      if (cell.number == answers::Column::kNoNumber) has_texts_[place] = true;
      break;
    case SQLITE_FLOAT:
      cell.real = sqlite3_column_double(statement_, column);
      has_reals_[place] = true;
      break;
    case SQLITE_TEXT: {
      const unsigned char* text = sqlite3_column_text(statement_, column);
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
      keep(text == nullptr ? std::string_view()
                           : std::string_view(reinterpret_cast<const char*>(text), size));
      break;
    }
    case SQLITE_BLOB: {
      const void* data = sqlite3_column_blob(statement_, column);
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
      keep(hex_text(data, data == nullptr ? 0 : size));
      break;
    }
    default:
      break;
  }
  return cell;
}

void SqlResult::add_row() {
  for (std::size_t i = 0; i < names_.size(); ++i) cells_.push_back(cell(static_cast<int>(i)));
  bytes_ += names_.size() * sizeof(Cell);
  ++rows_;
}

std::string SqlResult::cell_text(const Cell& cell) const {
  std::string text;
  if (cell.type == SQLITE_INTEGER) {
    append_integer(text, cell.number);
  } else if (cell.type == SQLITE_FLOAT) {
    append_double(text, cell.real);
  } else if (cell.type != SQLITE_NULL) {
    text = strings_.view(cell.text);
  }
  return text;
}

answers::Kind SqlResult::kind_of(std::size_t column) const {
  if (has_texts_[column]) return answers::Kind::kText;
  return has_reals_[column] ? answers::Kind::kReal : answers::Kind::kInteger;
}

void SqlResult::add_cell(answers::Table& table, std::size_t column, const Cell& cell) const {
  if (cell.type == SQLITE_NULL) {
    table.skip();
  } else if (has_texts_[column]) {
    table.add(cell_text(cell));
  } else if (cell.type == SQLITE_FLOAT) {
    table.add(cell.real);
  } else {
    table.add(cell.number);
  }
}

answers::Table SqlResult::table() const {
  answers::Table table("result", "");
  table.usual_rows = 0;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    switch (kind_of(i)) {
      case answers::Kind::kText:
        table.text(names_[i], names_[i]);
        break;
      case answers::Kind::kReal:
        table.real(names_[i], names_[i]);
        break;
      default:
        table.integer(names_[i], names_[i]);
    }
    table.column(i).key_is_final = true;
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    add_cell(table, i % names_.size(), cells_[i]);
  }
  return table;
}

}  // namespace npuprof::query
