#include "report/answers/database_tables.h"

#include <algorithm>
#include <cctype>
#include <memory>

#include <sqlite3.h>

#include "report/answers/text_forms.h"

namespace npuprof::report {
namespace {

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char character : name) text += character == '"' ? "\"\"" : std::string(1, character);
  return text + "\"";
}

// A database that is written to; all or nothing.
class AnswerDatabase {
 public:
  explicit AnswerDatabase(std::filesystem::path path) : path_(std::move(path)) {}
  AnswerDatabase(const AnswerDatabase&) = delete;
  AnswerDatabase& operator=(const AnswerDatabase&) = delete;
  ~AnswerDatabase() { sqlite3_close(handle_); }

  Status open() {
    if (sqlite3_open(path_.c_str(), &handle_) != SQLITE_OK) return failure();
    sqlite3_busy_timeout(handle_, 5000);
    return run("BEGIN IMMEDIATE");
  }
  Status run(const std::string& statement) {
    return sqlite3_exec(handle_, statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK
               ? ok_status()
               : failure();
  }
  Status store(const answers::Table& table);
  Status close() { return run("COMMIT"); }

 private:
  Status failure() const {
    const int code = handle_ == nullptr ? SQLITE_NOMEM : sqlite3_errcode(handle_);
    return Error{code == SQLITE_FULL ? ErrorCode::kNoSpace : ErrorCode::kIo,
                 "cannot write the database '" + path_.native() + "': " + sqlite3_errstr(code)};
  }

  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
};

const char* affinity_of(answers::Kind kind) {
  if (kind == answers::Kind::kText) return "TEXT";
  return answers::is_real(kind) ? "REAL" : "INTEGER";
}

int bind_cell(sqlite3_stmt* statement, int place, const answers::Table& table,
              std::size_t column_place, std::size_t row) {
  const answers::Column& column = table.column(column_place);
  if (table.is_absent(column_place, row) && column.kind != answers::Kind::kText) {
    return sqlite3_bind_null(statement, place);
  }
  if (column.kind == answers::Kind::kText) {
    const std::string_view text = table.text_at(column_place, row);
    // A null pointer would be stored as NULL.
    return sqlite3_bind_text64(statement, place, text.empty() ? "" : text.data(), text.size(),
                               SQLITE_STATIC, SQLITE_UTF8);
  }
  return answers::is_real(column.kind) ? sqlite3_bind_double(statement, place, column.reals[row])
                                       : sqlite3_bind_int64(statement, place, column.numbers[row]);
}

Status AnswerDatabase::store(const answers::Table& table) {
  const std::string name = quoted_name(table_name(table));
  std::string columns;
  std::string marks;
  for (const answers::Column& column : table.columns()) {
    columns += (columns.empty() ? "" : ", ") + quoted_name(stored_name(column)) + " " +
               affinity_of(column.kind);
    marks += marks.empty() ? "?" : ", ?";
  }
  NPUPROF_RETURN_IF_ERROR(run("DROP TABLE IF EXISTS " + name));
  NPUPROF_RETURN_IF_ERROR(run("CREATE TABLE " + name + " (" + columns + ")"));
  sqlite3_stmt* raw = nullptr;
  const std::string insert = "INSERT INTO " + name + " VALUES (" + marks + ")";
  if (sqlite3_prepare_v2(handle_, insert.c_str(), -1, &raw, nullptr) != SQLITE_OK) return failure();
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw,
                                                                             &sqlite3_finalize);
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      const int code = bind_cell(raw, static_cast<int>(i) + 1, table, i, row);
      if (code != SQLITE_OK) return failure();
    }
    if (sqlite3_step(raw) != SQLITE_DONE) return failure();
    sqlite3_reset(raw);
  }
  return ok_status();
}

}  // namespace

std::string table_name(const answers::Table& table) {
  const std::string& name = table.name();
  const bool has_capitals = std::any_of(name.begin(), name.end(), [](char character) {
    return std::isupper(static_cast<unsigned char>(character)) != 0;
  });
  if (has_capitals) return name;
  std::string result;
  bool is_first = true;
  for (const char character : name) {
    if (character == '_') {
      is_first = true;
      continue;
    }
    result += is_first ? static_cast<char>(std::toupper(static_cast<unsigned char>(character)))
                       : character;
    is_first = false;
  }
  return result;
}

Status store_tables(const std::filesystem::path& database,
                    std::span<const answers::Table* const> tables) {
  AnswerDatabase out(database);
  NPUPROF_RETURN_IF_ERROR(out.open());
  for (const answers::Table* table : tables) NPUPROF_RETURN_IF_ERROR(out.store(*table));
  return out.close();
}

}  // namespace npuprof::report
