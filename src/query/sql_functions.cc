#include "query/sql_functions.h"

#include <memory>
#include <new>
#include <string>

#include <sqlite3.h>

#include "answers/name_expression.h"

namespace npuprof::query {
namespace {

using answers::NameExpression;

constexpr int kLongestSearched = 1 << 20;  // Bytes; nobody can stop the search in one text.

void forget_expression(void* expression) { delete static_cast<NameExpression*>(expression); }

std::string value_text(sqlite3_value* value) {
  const unsigned char* text = sqlite3_value_text(value);
  if (text == nullptr) throw std::bad_alloc();
  const auto* const begin = reinterpret_cast<const char*>(text);  // NOLINT(*-reinterpret-cast)
  return {begin, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

// Compiled once for each statement, if it is a constant there; null = refused, and said so.
const NameExpression* expression_of(sqlite3_context* context, sqlite3_value* value) {
  if (void* known = sqlite3_get_auxdata(context, 0)) return static_cast<NameExpression*>(known);
  auto expression = std::make_unique<NameExpression>();
  if (const Status status = expression->compile(value_text(value)); !status.ok()) {
    sqlite3_result_error(context, status.error().message.c_str(), -1);
    return nullptr;
  }
  sqlite3_set_auxdata(context, 0, expression.release(), forget_expression);
  const void* kept = sqlite3_get_auxdata(context, 0);
  if (kept == nullptr) throw std::bad_alloc();
  return static_cast<const NameExpression*>(kept);
}

// X REGEXP Y is regexp(Y, X).
void regexp(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL ||
      sqlite3_value_type(values[1]) == SQLITE_NULL) {
    return sqlite3_result_null(context);
  }
  try {
    const NameExpression* expression = expression_of(context, values[0]);
    if (expression == nullptr) return;
    if (sqlite3_value_bytes(values[1]) > kLongestSearched) {
      return sqlite3_result_error_toobig(context);
    }
    sqlite3_result_int(context, expression->is_in(value_text(values[1])) ? 1 : 0);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

Status add_sql_functions(sqlite3* database) {
  const int code = sqlite3_create_function_v2(database, "regexp", 2,
                                              SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                              nullptr, regexp, nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return ok_status();
  return Error{ErrorCode::kInternal, "the function regexp could not be added"};
}

}  // namespace npuprof::query
