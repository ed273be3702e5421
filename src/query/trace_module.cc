#include "query/trace_module.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <string>

#include <sqlite3.h>

namespace npuprof::query {
namespace {

constexpr int kRowId = -1;  // What SQLite calls the column of row numbers.

// Set while this thread tells SQLite the columns of a table.
thread_local bool declares_table = false;

int declare_table(sqlite3* database, const ShownTable& table) {
  declares_table = true;
  const int code = sqlite3_declare_vtab(database, schema_of(table).c_str());
  declares_table = false;
  return code;
}

struct VirtualTable : sqlite3_vtab {
  ShownTable* shown = nullptr;
};

struct VirtualCursor : sqlite3_vtab_cursor {
  std::size_t next = 0;
  std::size_t end = 0;
  const std::uint32_t* order = nullptr;  // Null: rows by their numbers.

  std::size_t row() const { return order == nullptr ? next : order[next]; }
};

const ShownTable& shown_of(sqlite3_vtab* table) {
  return *static_cast<VirtualTable*>(table)->shown;
}

// SQLite is C: what is thrown stays here.
template <typename Work>
int without_exceptions(char** message, const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    if (message != nullptr) *message = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

int connect_table(sqlite3* database, void* shown, int, const char* const*, sqlite3_vtab** result,
                  char** message) {
  return without_exceptions(message, [&] {
    auto& table = *static_cast<ShownTable*>(shown);
    table.be_made();
    const int declared = declare_table(database, table);
    if (declared != SQLITE_OK) {
      *message = sqlite3_mprintf("table %s: %s", table.name.c_str(), sqlite3_errmsg(database));
      return declared;
    }
    auto* connected = new VirtualTable{};
    connected->shown = &table;
    *result = connected;
    return SQLITE_OK;
  });
}

int disconnect_table(sqlite3_vtab* table) {
  delete static_cast<VirtualTable*>(table);
  return SQLITE_OK;
}

// Constraints on one column that rows are looked up by; places in the list of SQLite, -1 = none.
struct LookUp {
  int column = kRowId;
  int equal = -1;
  int least = -1;
  int most = -1;
  double rows = 0;  // Expected.
};

bool can_look_up(const ShownTable& table, int column, bool is_equal) {
  if (column == kRowId) return true;
  const auto place = static_cast<std::size_t>(column);
  return table.is_ascending(place) ||
         (is_equal && table.columns[place].is_reference && table.rows < trace::kNone);
}

// The rest are the guesses of an optimizer without statistics.
double expected_rows(const ShownTable& table, const LookUp& found) {
  const auto all = static_cast<double>(table.rows);
  if (found.equal >= 0) return found.column == kRowId ? 1 : std::min(all, 3.0);
  return found.least >= 0 && found.most >= 0 ? all / 16 : all / 4;
}

LookUp look_up_by(const ShownTable& table, const sqlite3_index_info& info, int column) {
  LookUp found{.column = column};
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    if (constraint.usable == 0 || constraint.iColumn != column) continue;
    switch (constraint.op) {
      case SQLITE_INDEX_CONSTRAINT_EQ:
        found.equal = i;
        break;
      case SQLITE_INDEX_CONSTRAINT_GT:
      case SQLITE_INDEX_CONSTRAINT_GE:
        found.least = i;
        break;
      case SQLITE_INDEX_CONSTRAINT_LT:
      case SQLITE_INDEX_CONSTRAINT_LE:
        found.most = i;
        break;
      default:
        break;
    }
  }
  if (found.equal >= 0) found.least = found.most = -1;
  found.rows = expected_rows(table, found);
  return found;
}

// Rows come by their numbers among equal ones, so whatever ascends with these is in order. NULLs of
// references have the greatest number, but come first in SQL.
bool is_in_order(const ShownTable& table, const sqlite3_index_info& info) {
  if (info.nOrderBy != 1 || info.aOrderBy[0].desc != 0) return false;
  const int column = info.aOrderBy[0].iColumn;
  if (column == kRowId) return true;
  const auto place = static_cast<std::size_t>(column);
  return !table.columns[place].is_reference && table.is_ascending(place);
}

// idxNum is the column + 2 that rows are looked up by, 0 = all rows; idxStr says what the arguments
// of filter_rows are: '=', '>' (at least) or '<' (at most). SQLite checks all constraints again, so
// a row too many does no harm.
int choose_plan(sqlite3_vtab* base, sqlite3_index_info* info) {
  return without_exceptions(nullptr, [&] {
    const ShownTable& table = shown_of(base);
    LookUp best{.rows = static_cast<double>(table.rows) + 1};
    bool is_found = false;
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.usable == 0) continue;
      const LookUp found = look_up_by(table, *info, constraint.iColumn);
      if (found.equal < 0 && found.least < 0 && found.most < 0) continue;
      if (found.rows >= best.rows || !can_look_up(table, found.column, found.equal >= 0)) continue;
      best = found;
      is_found = true;
    }
    std::string arguments;
    const auto take = [&](int constraint, char meaning) {
      if (constraint < 0) return;
      arguments += meaning;
      info->aConstraintUsage[constraint].argvIndex = static_cast<int>(arguments.size());
    };
    take(best.equal, '=');
    take(best.least, '>');
    take(best.most, '<');
    info->idxNum = is_found ? best.column + 2 : 0;
    info->idxStr = sqlite3_mprintf("%s", arguments.c_str());
    info->needToFreeIdxStr = 1;
    if (info->idxStr == nullptr) return SQLITE_NOMEM;
    const double search = is_found ? static_cast<double>(std::bit_width(table.rows)) : 0;
    info->estimatedCost = best.rows + search + 1;
    info->estimatedRows = static_cast<sqlite3_int64>(best.rows) + 1;
    if (best.equal >= 0 && best.column == kRowId) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    info->orderByConsumed = is_in_order(table, *info) ? 1 : 0;
    return SQLITE_OK;
  });
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  *cursor = new (std::nothrow) VirtualCursor{};
  return *cursor == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<VirtualCursor*>(cursor);
  return SQLITE_OK;
}

// Numbers from first to last.
struct NumberRange {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

std::int64_t nearest_integer(double value) {
  constexpr double kLimit = 9223372036854774784.0;  // The greatest double below 2^63.
  return static_cast<std::int64_t>(std::clamp(value, -kLimit, kLimit));
}

// Texts are left to SQLite, which knows when they are compared as numbers.
void narrow_range(NumberRange& range, char meaning, sqlite3_value* value) {
  NumberRange limits;
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      limits = {sqlite3_value_int64(value), sqlite3_value_int64(value)};
      break;
    case SQLITE_FLOAT: {
      // Beyond the largest integers a comparison could be off by rounding.
      const double number = sqlite3_value_double(value);
      if (std::abs(number) >= 4e18) return;
      limits = {nearest_integer(std::floor(number)), nearest_integer(std::ceil(number))};
      break;
    }
    case SQLITE_NULL:
      range = {1, 0};  // Nothing is equal to, above or below it.
      return;
    default:
      return;
  }
  if (meaning != '<') range.first = std::max(range.first, limits.first);
  if (meaning != '>') range.last = std::min(range.last, limits.last);
}

// Where numbers from `first` to `last` are among positions that have ascending numbers.
template <typename NumberAt>
void set_positions(VirtualCursor& cursor, std::size_t count, const NumberRange& range,
                   const NumberAt& number_at) {
  const auto first_not = [&](const auto& is_before) {
    std::size_t begin = 0;
    std::size_t end = count;
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (is_before(number_at(middle))) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  };
  cursor.next = first_not([&](std::int64_t number) { return number < range.first; });
  cursor.end = first_not([&](std::int64_t number) { return number <= range.last; });
}

void find_rows(VirtualCursor& cursor, const ShownTable& table, int column,
               const NumberRange& range) {
  if (range.first > range.last) {
    cursor.next = cursor.end = 0;
  } else if (column == kRowId) {
    set_positions(cursor, table.rows, range,
                  [](std::size_t row) { return static_cast<std::int64_t>(row); });
  } else {
    const auto place = static_cast<std::size_t>(column);
    const ShownColumn& values = table.columns[place];
    if (!table.is_ascending(place)) cursor.order = table.rows_by(place).data();
    set_positions(cursor, table.rows, range, [&](std::size_t position) {
      return values.number(values, cursor.order == nullptr ? position : cursor.order[position]);
    });
  }
}

int filter_rows(sqlite3_vtab_cursor* base, int plan, const char* arguments, int count,
                sqlite3_value** values) {
  return without_exceptions(nullptr, [&] {
    auto& cursor = *static_cast<VirtualCursor*>(base);
    const ShownTable& table = shown_of(base->pVtab);
    cursor.next = 0;
    cursor.end = table.rows;
    cursor.order = nullptr;
    if (plan == 0) return SQLITE_OK;
    NumberRange range;
    for (int i = 0; i < count && arguments[i] != 0; ++i) {
      narrow_range(range, arguments[i], values[i]);
    }
    find_rows(cursor, table, plan - 2, range);
    return SQLITE_OK;
  });
}

int next_row(sqlite3_vtab_cursor* cursor) {
  ++static_cast<VirtualCursor*>(cursor)->next;
  return SQLITE_OK;
}

int is_at_end(sqlite3_vtab_cursor* base) {
  const auto& cursor = *static_cast<VirtualCursor*>(base);
  return cursor.next >= cursor.end ? 1 : 0;
}

int show_cell(sqlite3_vtab_cursor* base, sqlite3_context* context, int place) {
  const ShownColumn& column = shown_of(base->pVtab).columns[static_cast<std::size_t>(place)];
  column.show(context, column, static_cast<VirtualCursor*>(base)->row());
  return SQLITE_OK;
}

int row_number(sqlite3_vtab_cursor* cursor, sqlite3_int64* number) {
  *number = static_cast<sqlite3_int64>(static_cast<VirtualCursor*>(cursor)->row());
  return SQLITE_OK;
}

// Without xCreate: the table is there by its name, and no statement can make another.
constexpr sqlite3_module kReadOnlyModule = {
    .iVersion = 0,
    .xCreate = nullptr,
    .xConnect = connect_table,
    .xBestIndex = choose_plan,
    .xDisconnect = disconnect_table,
    .xDestroy = nullptr,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter_rows,
    .xNext = next_row,
    .xEof = is_at_end,
    .xColumn = show_cell,
    .xRowid = row_number,
};

}  // namespace

bool is_declaring_virtual_table() { return declares_table; }

Status add_virtual_table(sqlite3* database, ShownTable& table) {
  if (sqlite3_create_module_v2(database, table.name.c_str(), &kReadOnlyModule, &table, nullptr) !=
      SQLITE_OK) {
    return Error{ErrorCode::kInternal, "table " + table.name + ": " + sqlite3_errmsg(database)};
  }
  return ok_status();
}

}  // namespace npuprof::query
