#include "load/result_db/sqlite_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include <sqlite3.h>

#include "base/text.h"
#include "base/units.h"
#include "load/plausible.h"

namespace npuprof::load {
namespace {

constexpr NearTimes kAnyTime = {std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max()};

// No text of a profile is longer; a damaged length must not ask for more.
constexpr int kMaxTextBytes = 64 << 20;

// The file as URI: immutable means that SQLite neither locks it nor looks for a journal.
std::string uri_of(const std::filesystem::path& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file:";
  std::error_code ignored;
  const std::filesystem::path absolute = std::filesystem::absolute(path, ignored);
  for (const char c : absolute.native()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '/' || c == '_' || c == '-' || c == '.') {
      uri += c;
    } else {
      uri += '%';
      uri += kHex[byte >> 4];
      uri += kHex[byte & 15];
    }
  }
  return uri + "?mode=ro&immutable=1";
}

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

std::string_view column_text(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

// As SQLite shows it.
std::string real_text(double real) {
  std::array<char, 64> text{};
  sqlite3_snprintf(static_cast<int>(text.size()), text.data(), "%!.15g", real);
  return text.data();
}

bool is_time_column(std::string_view name) {
  return name == "startNs" || name == "endNs" || name == "timestampNs";
}

// The first column of all rows of a query.
std::vector<std::string> query_texts(sqlite3* handle, const std::string& sql) {
  std::vector<std::string> texts;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK) {
    while (sqlite3_step(statement) == SQLITE_ROW) texts.emplace_back(column_text(statement, 0));
  }
  sqlite3_finalize(statement);
  return texts;
}

}  // namespace

void SqliteFile::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

Result<SqliteFile> SqliteFile::open(const std::filesystem::path& path) {
  sqlite3* handle = nullptr;
  const int status =
      sqlite3_open_v2(uri_of(path).c_str(), &handle,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteFile file(handle, path);
  if (status != SQLITE_OK) {
    return Error{ErrorCode::kIo, "cannot open '" + path.native() + "': " + sqlite3_errstr(status)};
  }
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxTextBytes);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Not mapped: a file that someone cuts while it is read would end the process.
  sqlite3_exec(handle, "PRAGMA mmap_size = 0", nullptr, nullptr, nullptr);
  sqlite3_exec(handle, "PRAGMA cell_size_check = 1", nullptr, nullptr, nullptr);
  NPUPROF_RETURN_IF_ERROR(file.read_schema());
  return file;
}

std::vector<std::int64_t> SqliteFile::sample(std::string_view table,
                                             std::string_view column) const {
  std::vector<std::int64_t> numbers;
  if (!has_table(table)) return numbers;
  constexpr int kRows = 16;
  const std::string from = " FROM " + quoted_name(table);
  for (int i = 0; i < kRows; ++i) {
    const std::string place =
        "(SELECT max(rowid)" + from + ") * " + std::to_string(i) + " / " + std::to_string(kRows);
    for (const std::string& text :
         query_texts(handle(), "SELECT " + quoted_name(column) + from + " WHERE rowid >= " + place +
                                   " LIMIT 1")) {
      const auto number = plausible(parse_number<std::int64_t>(text));
      if (number) numbers.push_back(*number);
    }
  }
  return numbers;
}

// Once, so that a file that is damaged meanwhile does not seem to have fewer tables.
Status SqliteFile::read_schema() {
  // Virtual tables have no page of their own, nor have views; a damaged schema may say otherwise.
  constexpr const char* kTables =
      "SELECT name, type = 'table' AND rootpage > 0 AND sql NOT LIKE 'CREATE VIRTUAL %' "
      "FROM sqlite_master "
      "WHERE type IN ('table', 'view')";
  sqlite3_stmt* statement = nullptr;
  int status = sqlite3_prepare_v2(handle(), kTables, -1, &statement, nullptr);
  while (status == SQLITE_OK || status == SQLITE_ROW) {
    status = sqlite3_step(statement);
    if (status != SQLITE_ROW) break;
    tables_.emplace(column_text(statement, 0), sqlite3_column_int(statement, 1) != 0);
  }
  sqlite3_finalize(statement);
  if (status == SQLITE_DONE) return ok_status();
  return Error{ErrorCode::kCorrupt, "'" + path_.native() + "' cannot be read as a database: " +
                                        sqlite3_errmsg(handle())};
}

bool SqliteFile::has_table(std::string_view name) const {
  const auto found = tables_.find(name);
  return found != tables_.end() && found->second;
}

bool SqliteFile::has_computed_table(std::string_view name) const {
  const auto found = tables_.find(name);
  return found != tables_.end() && !found->second;
}

std::vector<std::string> SqliteFile::columns(std::string_view table) const {
  if (!has_table(table)) return {};
  return query_texts(handle(), "SELECT name FROM pragma_table_info('" + std::string(table) + "')");
}

std::optional<SqliteFile::Storage> SqliteFile::storage(std::string_view table) const {
  const std::string name = "'" + std::string(table) + "'";
  const auto roots = query_texts(
      handle(), "SELECT rootpage FROM sqlite_master WHERE lower(name) = lower(" + name + ")");
  // Of generated columns some are not stored.
  const auto hidden =
      query_texts(handle(), "SELECT sum(hidden) FROM pragma_table_xinfo(" + name + ")");
  const auto keys =
      query_texts(handle(), "SELECT cid FROM pragma_table_info(" + name + ") WHERE pk > 0");
  const auto numbers = query_texts(handle(), "SELECT cid FROM pragma_table_info(" + name +
                                                 ") WHERE pk > 0 AND upper(type) = 'INTEGER'");
  // In a key that descends, NULL is NULL.
  const auto odd = query_texts(
      handle(), "SELECT 1 FROM sqlite_master WHERE name = " + name + " AND sql LIKE '%DESC%'");
  if (roots.size() != 1 || hidden != std::vector<std::string>{"0"} || !odd.empty()) {
    return std::nullopt;
  }
  Storage storage;
  storage.root = parse_number<std::uint32_t>(roots.front()).value_or(0);
  storage.columns = columns(table).size();
  if (keys.size() == 1 && numbers.size() == 1) {
    storage.row_number = parse_number<std::size_t>(numbers.front());
  }
  return storage;
}

void TableReader::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

TableReader::TableReader(const SqliteFile& file, std::string_view table, const Columns& columns,
                         trace::Losses& losses)
    : file_(file.path().native()),
      table_(table),
      losses_(losses),
      required_(static_cast<int>(columns.required.size())) {
  prepare(file, columns);
}

void TableReader::prepare(const SqliteFile& file, const Columns& columns) {
  const auto existing = file.columns(table_);
  const auto exists = [&](std::string_view name) {
    return std::find(existing.begin(), existing.end(), name) != existing.end();
  };
  present_.resize(columns.required.size() + columns.optional.size());
  if (file.has_computed_table(table_)) {
    losses_.add(file_, 0, 1,
                table_ +
                    " is a view or a virtual table, which is not read: copy it into a table "
                    "(CREATE TABLE ... AS SELECT * FROM ...)");
  }
  if (existing.empty()) return;
  std::string sql;
  const auto select = [&](std::string_view name, bool present) {
    sql += sql.empty() ? "SELECT " : ", ";
    sql += present ? quoted_name(name) : "NULL";
  };
  std::size_t column = 0;
  for (const std::string_view name : columns.required) {
    if (!exists(name)) return leave_out_table(file, name);
    times_.push_back(file.middle_ns() && is_time_column(name) ? near_to(*file.middle_ns())
                                                              : kAnyTime);
    present_[column++] = true;
    select(name, true);
  }
  for (const std::string_view name : columns.optional) {
    present_[column] = exists(name);
    select(name, present_[column++]);
  }
  // In the order of the table, in which its pages are.
  sql += " FROM " + quoted_name(table_) + " NOT INDEXED";
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(file.handle(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    damage_ = sqlite3_errmsg(file.handle());
  }
  statement_.reset(statement);
  required_numbers_.resize(columns.required.size());
  if (statement_ != nullptr) open_pages(file, existing, columns);
}

void TableReader::open_pages(const SqliteFile& file, const std::vector<std::string>& existing,
                             const Columns& columns) {
  const std::optional<SqliteFile::Storage> storage = file.storage(table_);
  if (!storage || storage->columns != existing.size()) return;
  std::vector<std::size_t> places;
  const auto add_place = [&](std::string_view name) {
    const auto found = std::find(existing.begin(), existing.end(), name);
    places.push_back(found == existing.end() ? TablePages::kNoPlace
                                             : static_cast<std::size_t>(found - existing.begin()));
  };
  std::for_each(columns.required.begin(), columns.required.end(), add_place);
  std::for_each(columns.optional.begin(), columns.optional.end(), add_place);
  pages_ = TablePages::open(file.path(), storage->root, std::move(places), storage->row_number);
}

void TableReader::leave_out_table(const SqliteFile& file, std::string_view missing_column) {
  const auto counted = query_texts(file.handle(), "SELECT count(*) FROM " + quoted_name(table_));
  const auto rows = counted.empty() ? std::nullopt : parse_number<std::uint64_t>(counted.front());
  losses_.add(file_, 0, rows.value_or(0),
              "table " + table_ + " has no column " + std::string(missing_column) +
                  " and is left out, with " + std::to_string(rows.value_or(0)) + " rows");
}

std::size_t TableReader::expected_rows() const {
  if (statement_ == nullptr) return 0;
  // With its place in the page and a cell.
  constexpr std::uintmax_t kLeastRowBytes = 6;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file_, error);
  const auto greatest = query_texts(sqlite3_db_handle(statement_.get()),
                                    "SELECT max(rowid) FROM " + quoted_name(table_));
  if (error || greatest.empty()) return 0;
  const auto rows = parse_number<std::uint64_t>(greatest.front()).value_or(0);
  return static_cast<std::size_t>(std::min<std::uintmax_t>(rows, bytes / kLeastRowBytes));
}

void TableReader::expect_column(int column, std::string_view name) {
  if (statement_ == nullptr || has_column(column)) return;
  losses_.add(file_, 0, 0,
              "table " + table_ + " has no column " + std::string(name) +
                  ": what it would say is not known");
}

TableReader::~TableReader() {
  if (!damage_.empty()) {
    losses_.add(file_, 0, 0,
                "table " + table_ + " is damaged after " + std::to_string(rows_) +
                    " rows, the rest is lost: " + damage_);
  }
  if (dropped_ > 0) {
    losses_.add(file_, 0, dropped_,
                std::to_string(dropped_) + " rows of table " + table_ +
                    " are left out: they have no number where one is needed");
  }
  if (far_ > 0) {
    losses_.add(file_, 0, far_,
                std::to_string(far_) + " rows of table " + table_ +
                    " are left out: they lie days from all others");
  }
  if (wrong_cells_ > 0) {
    losses_.add(file_, 0, wrong_cells_,
                std::to_string(wrong_cells_) + " cells of table " + table_ +
                    " hold something else where a number belongs: it is taken as not known");
  }
}

bool TableReader::next() {
  while (statement_ != nullptr) {
    if (!step()) {
      statement_.reset();
      pages_.reset();
      return false;
    }
    ++rows_;
    wrong_in_row_ = 0;
    const Verdict verdict = judge_row();
    if (verdict == Verdict::kGood) return true;
    ++(verdict == Verdict::kFar ? far_ : dropped_);
  }
  return false;
}

bool TableReader::step() {
  if (pages_ == nullptr) return step_statement();
  const TablePages::Step step = pages_->next();
  if (step != TablePages::Step::kUnclear) return step == TablePages::Step::kRow;
  pages_.reset();
  for (std::uint64_t row = 0; row < rows_; ++row) {
    if (!step_statement()) return false;
  }
  return step_statement();
}

bool TableReader::step_statement() {
  const int status = sqlite3_step(statement_.get());
  if (status != SQLITE_ROW && status != SQLITE_DONE) {
    damage_ = sqlite3_errmsg(sqlite3_db_handle(statement_.get()));
  }
  return status == SQLITE_ROW;
}

TableReader::Verdict TableReader::judge_row() {
  bool is_far = false;
  for (int column = 0; column < required_; ++column) {
    const std::int64_t value = read_number(column);
    if (value == kNoNumber) return Verdict::kNoNumber;
    required_numbers_[static_cast<std::size_t>(column)] = value;
    const NearTimes times = times_[static_cast<std::size_t>(column)];
    is_far |= value < times.from_ns || value > times.to_ns;
  }
  return is_far ? Verdict::kFar : Verdict::kGood;
}

// Numbers that are too great to be true are no numbers either, but none of the wrong kind.
void TableReader::note_wrong_cell(int column) const {
  if (column < required_) return;  // The row is left out.
  // Before the text is asked for, which converts it.
  const bool is_blob = kind_of(column) == CellKind::kBlob;
  const std::string_view content = text(column);
  const auto number = parse_number<double>(content);
  if (!is_blob && (known_text(content).empty() || (number && std::isfinite(*number)))) {
    return;
  }
  const std::uint64_t bit = std::uint64_t{1} << (column % 64);
  if ((wrong_in_row_ & bit) == 0) ++wrong_cells_;
  wrong_in_row_ |= bit;
}

TableReader::CellKind TableReader::kind_of(int column) const {
  if (pages_ != nullptr) {
    switch (stored_value(column).kind()) {
      case StoredKind::kNull:
        return CellKind::kNull;
      case StoredKind::kInteger:
      case StoredKind::kZeroOrOne:
        return CellKind::kInteger;
      case StoredKind::kReal:
        return CellKind::kReal;
      case StoredKind::kText:
        return CellKind::kText;
      case StoredKind::kBlob:
        return CellKind::kBlob;
    }
  }
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return CellKind::kInteger;
    case SQLITE_FLOAT:
      return CellKind::kReal;
    case SQLITE_TEXT:
      return CellKind::kText;
    case SQLITE_BLOB:
      return CellKind::kBlob;
    default:
      return CellKind::kNull;
  }
}

std::int64_t TableReader::integer_in(int column) const {
  if (pages_ == nullptr) return sqlite3_column_int64(statement_.get(), column);
  const StoredValue value = stored_value(column);
  return value.kind() == StoredKind::kZeroOrOne ? value.zero_or_one() : value.integer();
}

double TableReader::real_in(int column) const {
  return pages_ != nullptr ? stored_value(column).real()
                           : sqlite3_column_double(statement_.get(), column);
}

std::int64_t TableReader::convert_number(int column) const {
  switch (kind_of(column)) {
    case CellKind::kInteger:
      return plausible_number(integer_in(column));
    case CellKind::kText: {
      const auto number = parse_number<std::int64_t>(text(column));
      if (number) return plausible_number(*number);
      note_wrong_cell(column);
      break;
    }
    case CellKind::kBlob:
      note_wrong_cell(column);
      break;
    case CellKind::kReal: {
      const double real = real_in(column);
      if (!std::isfinite(real)) note_wrong_cell(column);
      if (std::abs(real) < static_cast<double>(kMaxPlausible)) {
        return plausible_number(std::llround(real));
      }
      break;
    }
    case CellKind::kNull:
      break;
  }
  return kNoNumber;
}

bool TableReader::is_null_in_statement(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

double TableReader::real(int column, double absent) const {
  switch (kind_of(column)) {
    case CellKind::kInteger:
      return static_cast<double>(integer_in(column));
    case CellKind::kReal:
      return real_in(column);
    case CellKind::kText:
    case CellKind::kBlob: {
      const auto value = parse_number<double>(text(column));
      if (!value) note_wrong_cell(column);
      return value.value_or(absent);
    }
    case CellKind::kNull:
      break;
  }
  return absent;
}

std::string_view TableReader::text(int column) const {
  if (pages_ == nullptr) return column_text(statement_.get(), column);
  switch (kind_of(column)) {
    case CellKind::kText:
    case CellKind::kBlob:
      return stored_value(column).text();
    case CellKind::kInteger:
      number_text_ = std::to_string(integer_in(column));
      return number_text_;
    case CellKind::kReal:
      number_text_ = real_text(real_in(column));
      return number_text_;
    case CellKind::kNull:
      break;
  }
  return {};
}

}  // namespace npuprof::load
