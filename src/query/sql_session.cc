#include "query/sql_session.h"

#include <algorithm>
#include <deque>
#include <new>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/text.h"
#include "query/answer_tables.h"
#include "query/derived_tables.h"
#include "query/sql_functions.h"
#include "query/sql_guard.h"
#include "query/sql_result.h"
#include "query/trace_module.h"
#include "query/views.h"

namespace npuprof::query {
namespace {

constexpr int kInstructionsBetweenChecks = 10'000;

struct CloseSqlite {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Connection = std::unique_ptr<sqlite3, CloseSqlite>;
using Statement = std::unique_ptr<sqlite3_stmt, CloseSqlite>;

// Where in a statement something is wrong, for people: lines and characters count from 1.
std::string place_in(std::string_view sql, std::size_t offset) {
  const std::string_view before = sql.substr(0, std::min(offset, sql.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if there is none.
  std::size_t column = 1;
  for (const char c : before.substr(line_begin)) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++column;
  }
  return fmt::format("line {}, character {}", line, column);
}

std::string explained(int code, std::string message) {
  if (code == SQLITE_AUTH || code == SQLITE_READONLY || message.starts_with("not authorized")) {
    return message + ": a profile can be read and nothing else";
  }
  return message;
}

// A checked statement ended for one of these reasons.
enum class StopReason : std::uint8_t { kNone, kTime, kInstructions, kRequest };

}  // namespace

class SqlSession::State {
 public:
  explicit State(const answers::Request& request)
      : request(request),
        tables(trace_tables(request.trace)),
        derived(derived_tables(request.trace)) {}

  Status open();
  Status add(std::deque<ShownTable>& shown);
  Status make_answers(std::string_view sql);
  Result<Statement> prepare(std::string_view& sql);
  Result<bool> has_statement(std::string_view sql);
  Result<SqlAnswer> rows_of(sqlite3_stmt* statement, std::string_view sql);
  Error error_at(std::string_view sql) const;
  Error stopped() const;
  ShownTable* find(std::string_view name);

  answers::Request request;
  SqlLimits limits;
  std::deque<ShownTable> tables;
  std::deque<ShownTable> derived;
  std::deque<std::deque<ShownTable>> answers;
  std::set<const answers::Mode*> made;
  Connection database;  // Last: it refers to tables.

 private:
  static int check(void* state);

  std::chrono::steady_clock::time_point begin_;
  std::uint64_t instructions_ = 0;
  StopReason stop_ = StopReason::kNone;
};

Status SqlSession::State::open() {
  sqlite3* opened = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(":memory:", &opened, flags, nullptr);
  database.reset(opened);
  if (code != SQLITE_OK) return Error{ErrorCode::kInternal, "SQLite could not be opened"};
  NPUPROF_RETURN_IF_ERROR(add_sql_functions(opened));
  NPUPROF_RETURN_IF_ERROR(add(tables));
  NPUPROF_RETURN_IF_ERROR(add(derived));
  for (const View& view : all_views()) {
    const std::string create =
        fmt::format("CREATE VIEW {} AS {}", quoted_name(view.name), view.select);
    if (sqlite3_exec(opened, create.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      return Error{ErrorCode::kInternal,
                   fmt::format("view {}: {}", view.name, sqlite3_errmsg(opened))};
    }
  }
  allow_reading_only(opened);
  sqlite3_progress_handler(opened, kInstructionsBetweenChecks, check, this);
  return ok_status();
}

Status SqlSession::State::add(std::deque<ShownTable>& shown) {
  for (ShownTable& table : shown) {
    NPUPROF_RETURN_IF_ERROR(add_virtual_table(database.get(), table));
  }
  return ok_status();
}

// A table of an answer that cannot be made is an error only of statements that name it.
Status SqlSession::State::make_answers(std::string_view sql) {
  for (const answers::Mode* mode : answers_named_in(sql)) {
    if (made.count(mode) > 0) continue;
    NPUPROF_ASSIGN_OR_RETURN(auto shown, answer_tables(*mode, request));
    answers.push_back(std::move(shown));
    NPUPROF_RETURN_IF_ERROR(add(answers.back()));
    made.insert(mode);
  }
  return ok_status();
}

int SqlSession::State::check(void* state) {
  auto& self = *static_cast<State*>(state);
  self.instructions_ += kInstructionsBetweenChecks;
  const SqlLimits& limits = self.limits;
  if (limits.stop != nullptr && *limits.stop) {
    self.stop_ = StopReason::kRequest;
  } else if (limits.instructions > 0 && self.instructions_ > limits.instructions) {
    self.stop_ = StopReason::kInstructions;
  } else if (limits.time && std::chrono::steady_clock::now() - self.begin_ > *limits.time) {
    self.stop_ = StopReason::kTime;
  }
  return self.stop_ == StopReason::kNone ? 0 : 1;
}

Error SqlSession::State::stopped() const {
  switch (stop_) {
    case StopReason::kTime:
      return {ErrorCode::kCancelled,
              fmt::format("the statement took longer than {} ms and was stopped",
                          limits.time.value_or(std::chrono::milliseconds{}).count())};
    case StopReason::kInstructions:
      return {ErrorCode::kCancelled, "the statement took too much work and was stopped"};
    default:
      return {ErrorCode::kCancelled, "the statement was stopped"};
  }
}

Error SqlSession::State::error_at(std::string_view sql) const {
  const int code = sqlite3_errcode(database.get());
  if (code == SQLITE_INTERRUPT) return stopped();
  if (code == SQLITE_NOMEM) return {ErrorCode::kInternal, "there is not enough memory"};
  std::string message = explained(code, sqlite3_errmsg(database.get()));
  const int offset = sqlite3_error_offset(database.get());
  if (offset < 0) return {ErrorCode::kInvalidArgument, std::move(message)};
  return {ErrorCode::kInvalidArgument,
          fmt::format("{} ({})", message, place_in(sql, static_cast<std::size_t>(offset)))};
}

// Takes the statement from `sql`; an empty one if only blanks and comments are left.
Result<Statement> SqlSession::State::prepare(std::string_view& sql) {
  begin_ = std::chrono::steady_clock::now();
  instructions_ = 0;
  stop_ = StopReason::kNone;
  const std::string_view whole = sql;
  sqlite3_stmt* prepared = nullptr;
  const char* tail = nullptr;
  if (sql.size() > static_cast<std::size_t>(1) << 30) {
    sql = {};
    return Error{ErrorCode::kInvalidArgument, "the statement is too long"};
  }
  const int code = sqlite3_prepare_v2(database.get(), sql.data(), static_cast<int>(sql.size()),
                                      &prepared, &tail);
  Statement statement(prepared);
  sql.remove_prefix(code == SQLITE_OK && tail != nullptr
                        ? static_cast<std::size_t>(tail - sql.data())
                        : sql.size());
  if (code != SQLITE_OK) return error_at(whole);
  if (prepared != nullptr && sqlite3_stmt_readonly(prepared) == 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "the statement would change something: a profile can be read and nothing else"};
  }
  return statement;
}

Result<bool> SqlSession::State::has_statement(std::string_view sql) {
  while (!sql.empty()) {
    const std::size_t size = sql.size();
    NPUPROF_ASSIGN_OR_RETURN(const Statement next, prepare(sql));
    if (next != nullptr) return true;
    if (sql.size() == size) break;
  }
  return false;
}

Result<SqlAnswer> SqlSession::State::rows_of(sqlite3_stmt* statement, std::string_view sql) {
  SqlResult result(statement);
  std::size_t rows = 0;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    ++rows;
    if (limits.rows > 0 && rows > limits.rows) continue;
    result.add_row();
    if (result.bytes() > limits.bytes) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("the result is too large after {} rows: choose fewer columns or "
                               "rows (LIMIT)",
                               rows)};
    }
  }
  if (code != SQLITE_DONE) return error_at(sql);
  return SqlAnswer{result.table(), rows};
}

ShownTable* SqlSession::State::find(std::string_view name) {
  const auto find_in = [&](std::deque<ShownTable>& shown) -> ShownTable* {
    for (ShownTable& table : shown) {
      if (table.name == name) return &table;
    }
    return nullptr;
  };
  if (ShownTable* table = find_in(tables)) return table;
  if (ShownTable* table = find_in(derived)) return table;
  for (auto& shown : answers) {
    if (ShownTable* table = find_in(shown)) return table;
  }
  return nullptr;
}

SqlSession::SqlSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqlSession::SqlSession(SqlSession&&) noexcept = default;
SqlSession& SqlSession::operator=(SqlSession&&) noexcept = default;
SqlSession::~SqlSession() = default;

Result<SqlSession> SqlSession::open(const answers::Request& request) {
  auto state = std::make_unique<State>(request);
  NPUPROF_RETURN_IF_ERROR(state->open());
  return SqlSession(std::move(state));
}

void SqlSession::set_limits(const SqlLimits& limits) { state_->limits = limits; }

Result<std::optional<SqlAnswer>> SqlSession::run_next(std::string_view& sql) {
  const std::string_view whole = sql;
  try {
    if (whole.find('\0') != std::string_view::npos) {
      sql = {};
      return Error{ErrorCode::kInvalidArgument, "the statement has a zero byte in it"};
    }
    if (Status made = state_->make_answers(whole); !made.ok()) {
      sql = {};
      return std::move(made.error());
    }
    while (!sql.empty()) {
      const std::string_view rest = sql;
      NPUPROF_ASSIGN_OR_RETURN(const Statement statement, state_->prepare(sql));
      if (statement == nullptr) {  // A lone semicolon, or a comment.
        if (sql.size() == rest.size()) sql = {};
        continue;
      }
      NPUPROF_ASSIGN_OR_RETURN(SqlAnswer answer, state_->rows_of(statement.get(), rest));
      return std::optional(std::move(answer));
    }
    return std::optional<SqlAnswer>();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kInternal, "there is not enough memory"};
  }
}

Result<SqlAnswer> SqlSession::ask(std::string_view sql) {
  std::string_view rest = sql;
  NPUPROF_ASSIGN_OR_RETURN(auto first, run_next(rest));
  if (!first) return Error{ErrorCode::kInvalidArgument, "there is no statement"};
  NPUPROF_ASSIGN_OR_RETURN(const bool has_more, state_->has_statement(rest));
  if (has_more) return Error{ErrorCode::kInvalidArgument, "there is more than one statement"};
  return std::move(*first);
}

Result<answers::Table> SqlSession::run(std::string_view sql) {
  NPUPROF_ASSIGN_OR_RETURN(SqlAnswer answer, ask(sql));
  return std::move(answer.table);
}

std::vector<SqlName> SqlSession::names() const {
  std::vector<SqlName> names;
  const auto sort_from = [&](std::size_t begin) {
    std::sort(names.begin() + static_cast<std::ptrdiff_t>(begin), names.end(),
              [](const SqlName& a, const SqlName& b) { return a.name < b.name; });
  };
  for (const View& view : all_views()) {
    names.push_back({std::string(view.name), std::string(view.about), {}, SqlName::Kind::kView});
  }
  const auto add_all = [&](const std::deque<ShownTable>& shown, SqlName::Kind kind) {
    for (const ShownTable& table : shown) {
      const bool is_made = !table.columns.empty();
      names.push_back(
          {table.name, table.about, is_made ? std::optional(table.rows) : std::nullopt, kind});
    }
  };
  const std::size_t views = names.size();
  add_all(state_->tables, SqlName::Kind::kTable);
  add_all(state_->derived, SqlName::Kind::kTable);
  sort_from(views);
  const std::size_t tables = names.size();
  for (const auto& shown : state_->answers) add_all(shown, SqlName::Kind::kAnswer);
  sort_from(tables);
  return names;
}

Result<std::vector<SqlColumn>> SqlSession::columns_of(std::string_view name) {
  std::vector<SqlColumn> columns;
  NPUPROF_RETURN_IF_ERROR(state_->make_answers(name));
  if (ShownTable* table = state_->find(name)) {
    table->be_made();
    for (const ShownColumn& column : table->columns) {
      columns.push_back({column.name, std::string(type_name(column.type)), column.about});
    }
    return columns;
  }
  const bool is_view = std::any_of(all_views().begin(), all_views().end(),
                                   [&](const View& view) { return view.name == name; });
  if (!is_view) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no table or view '{}'", name)};
  }
  NPUPROF_ASSIGN_OR_RETURN(const answers::Table table,
                           run(fmt::format("PRAGMA table_info({})", quoted_name(name))));
  const auto names = table.find("name");
  const auto types = table.find("type");
  for (std::size_t row = 0; names && types && row < table.size(); ++row) {
    columns.push_back(
        {std::string(table.text_at(*names, row)), std::string(table.text_at(*types, row)), ""});
  }
  return columns;
}

bool is_complete_statement(const std::string& sql) { return sqlite3_complete(sql.c_str()) != 0; }

}  // namespace npuprof::query
