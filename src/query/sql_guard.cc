#include "query/sql_guard.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <sqlite3.h>

#include "query/trace_module.h"

namespace npuprof::query {
namespace {

bool is_harmless_pragma(std::string_view name) {
  constexpr std::array<std::string_view, 7> kHarmless = {
      "collation_list", "compile_options", "function_list", "module_list",
      "table_info",     "table_list",      "table_xinfo"};
  return std::find(kHarmless.begin(), kHarmless.end(), name) != kHarmless.end();
}

bool is_refused_function(std::string_view name) {
  return name == "load_extension" || name == "fts3_tokenizer" || name == "writefile" ||
         name == "readfile" || name == "edit";
}

int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  if (is_declaring_virtual_table()) return SQLITE_OK;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return second != nullptr && is_refused_function(second) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return first != nullptr && is_harmless_pragma(first) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

}  // namespace

void allow_reading_only(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 64 << 20);  // Bytes of a text or of a row.
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(database, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
  sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 200);
  sqlite3_set_authorizer(database, authorize, nullptr);
}

}  // namespace npuprof::query
