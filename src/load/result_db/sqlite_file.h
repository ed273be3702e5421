#pragma once

// Reading SQLite files that others wrote: never changed, never locked, no file left beside them.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/decimal_digits.h"
#include "base/result.h"
#include "load/collection_clock.h"
#include "load/plausible.h"
#include "load/result_db/table_pages.h"
#include "trace/losses.h"

struct sqlite3;
struct sqlite3_stmt;

namespace npuprof::load {

class SqliteFile {
 public:
  // Fails if the file cannot be opened or is no database.
  static Result<SqliteFile> open(const std::filesystem::path& path);

  // Real tables only: a view or a virtual table would run code of the file's author.
  bool has_table(std::string_view name) const;
  // Whether a view or a virtual table of that name stands where a table should.
  bool has_computed_table(std::string_view name) const;
  // Names of the columns; empty if there is no such table.
  std::vector<std::string> columns(std::string_view table) const;

  // How rows of a table are stored.
  struct Storage {
    std::uint32_t root = 0;                 // The first page.
    std::size_t columns = 0;                // Of a row.
    std::optional<std::size_t> row_number;  // The column that is the number of the row.
  };
  // Nothing if rows do not simply hold all columns one after the other.
  std::optional<Storage> storage(std::string_view table) const;

  // Numbers of a column from all over a table, by the numbers of rows: that is quick however many
  // there are.
  std::vector<std::int64_t> sample(std::string_view table, std::string_view column) const;

  // From now on, rows that happened days from this time are left out.
  void expect_times_near(std::int64_t middle_ns) { middle_ns_ = middle_ns; }
  std::optional<std::int64_t> middle_ns() const { return middle_ns_; }

  const std::filesystem::path& path() const { return path_; }
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  SqliteFile(sqlite3* handle, std::filesystem::path path)
      : handle_(handle), path_(std::move(path)) {}
  Status read_schema();

  std::unique_ptr<sqlite3, Close> handle_;
  std::filesystem::path path_;
  std::map<std::string, bool, std::less<>> tables_;  // Whether each is a real one.
  std::optional<std::int64_t> middle_ns_;
};

// The rows of one table. Columns are numbered as listed: the required ones, then the others, which
// read as absent if the table (of an older release, say) does not have them.
class TableReader {
 public:
  struct Columns {
    std::vector<std::string_view> required;  // Numbers; a row that lacks one is dropped.
    std::vector<std::string_view> optional;
  };

  // A table that is missing has no rows; one without a required column neither, which is a loss,
  // and so is a view in its place.
  TableReader(const SqliteFile& file, std::string_view table, const Columns& columns,
              trace::Losses& losses);
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;
  // Adds what went wrong to the losses.
  ~TableReader();

  // Goes to the next row; false at the end, or where the file is damaged.
  bool next();

  // About how many rows there are, to make room for them; 0 if that is not known. Never more than
  // the file can hold.
  std::size_t expected_rows() const;

  // Says so if the table is there without a column that it has in every release.
  void expect_column(int column, std::string_view name);
  bool has_column(int column) const { return present_[static_cast<std::size_t>(column)]; }
  bool is_null(int column) const {
    return pages_ != nullptr ? stored_value(column).kind() == StoredKind::kNull
                             : is_null_in_statement(column);
  }
  // Numbers that are stored as text are numbers all the same. `absent` is also for what is no
  // number.
  std::int64_t integer(int column, std::int64_t absent = 0) const {
    const std::int64_t value = whole_number(column);
    return value == kNoNumber ? absent : value;
  }
  double real(int column, double absent = 0) const;
  std::string_view text(int column) const;  // Valid until next().

  // An integer that fits `T`, else `absent`.
  template <typename T>
  T number(int column, T absent) const {
    const std::int64_t value = whole_number(column);
    return value != kNoNumber && std::in_range<T>(value) ? static_cast<T>(value) : absent;
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  enum class CellKind : std::uint8_t { kNull, kInteger, kReal, kText, kBlob };
  CellKind kind_of(int column) const;
  std::int64_t integer_in(int column) const;  // Of a cell of that kind; likewise:
  double real_in(int column) const;
  StoredValue stored_value(int column) const {
    return pages_->value(static_cast<std::size_t>(column));
  }
  bool is_null_in_statement(int column) const;
  // Not plausible: no number of a profile is so great.
  static constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();
  static std::int64_t plausible_number(std::int64_t value) {
    return value > -kMaxPlausible && value < kMaxPlausible ? value : kNoNumber;
  }
  // kNoNumber if there is none in the cell.
  std::int64_t whole_number(int column) const {
    if (column < required_) return required_numbers_[static_cast<std::size_t>(column)];
    return read_number(column);
  }
  std::int64_t read_number(int column) const {
    if (pages_ == nullptr) return convert_number(column);
    const StoredValue value = stored_value(column);
    switch (value.kind()) {
      case StoredKind::kInteger:
        return plausible_number(value.integer());
      case StoredKind::kNull:
        return kNoNumber;
      case StoredKind::kText:
        // PyTorch's times are stored so.
        if (const auto number = parse_digits(value.text())) return plausible_number(*number);
        break;
      default:
        break;
    }
    return convert_number(column);
  }
  std::int64_t convert_number(int column) const;
  enum class Verdict : std::uint8_t { kGood, kNoNumber, kFar };
  Verdict judge_row();
  void prepare(const SqliteFile& file, const Columns& columns);
  void open_pages(const SqliteFile& file, const std::vector<std::string>& existing,
                  const Columns& columns);
  bool step();
  bool step_statement();
  void leave_out_table(const SqliteFile& file, std::string_view missing_column);
  void note_wrong_cell(int column) const;

  std::string file_;
  std::string table_;
  trace::Losses& losses_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  // As long as it can read the table; then the statement goes on.
  std::unique_ptr<TablePages> pages_;
  std::vector<std::int64_t> required_numbers_;  // Of the row.
  mutable std::string number_text_;
  std::vector<bool> present_;
  int required_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t dropped_ = 0;
  // Of required columns that say when a row happened: when that can have been.
  std::vector<NearTimes> times_;
  std::uint64_t far_ = 0;
  // Rows are read through const functions, some cells more than once.
  mutable std::uint64_t wrong_in_row_ = 0;  // A bit for each column.
  mutable std::uint64_t wrong_cells_ = 0;
  std::string damage_;
};

}  // namespace npuprof::load
