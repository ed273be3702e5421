#pragma once

// Tables that answer a question: few kinds of columns, known at run time, so that one writer for
// each form (terminal, CSV, JSON, database, workbook, page) serves all of them. A column is a
// vector, as in the model; texts are numbers of the table's own pool.

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"

namespace npuprof::answers {

// What the values of a column are. All but kText and kReal kinds are stored as integers.
enum class Kind : std::uint8_t {
  kText,
  kInteger,
  kDuration,  // ns
  kMoment,    // Wall-clock ns.
  kBytes,
  kReal,   // With the unit of the column, if it has one.
  kShare,  // Of a whole, 0 to 1.
};

constexpr bool is_real(Kind kind) { return kind == Kind::kReal || kind == Kind::kShare; }

struct Column {
  static constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();

  std::string key;    // For programs: `total`; units are added to it by writers.
  std::string title;  // For people: `Total`.
  Kind kind = Kind::kText;
  std::string unit;               // kReal only: "TFLOP/s", "GB/s".
  bool key_is_final = false;      // The key is a name that other tools know: written as it is.
  bool only_in_database = false;  // A workbook is of one rank and does not repeat it.
  bool is_merged = false;         // Workbooks merge equal cells below one another.
  double width = 0;               // In workbooks, in characters; 0 = what fits.

  std::vector<StringId> texts;
  std::vector<std::int64_t> numbers;  // kNoNumber = no value.
  std::vector<double> reals;          // NaN = no value.

  std::size_t size() const;
};

// How rows of two such tables belong together, and what of them is set side by side
// (side_by_side.h): keys of columns; those that a table does not have are left out.
struct TableComparison {
  std::vector<std::string> names;   // Tell rows apart. Empty: rows are not compared.
  std::vector<std::string> also;    // Tell rows of one name apart: device, group.
  std::vector<std::string> sums;    // Grow with the number of steps.
  std::vector<std::string> values;  // Do not: means, peaks, shares.
};

// `name` is for programs (file, database table), `title` for people.
class Table {
 public:
  Table(std::string name, std::string title) : name_(std::move(name)), title_(std::move(title)) {}

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }

  // A column more; the number is its place. All columns are declared before rows are added.
  std::size_t text(std::string key, std::string title);
  std::size_t integer(std::string key, std::string title);
  std::size_t duration(std::string key, std::string title);
  std::size_t moment(std::string key, std::string title);
  std::size_t bytes(std::string key, std::string title);
  std::size_t share(std::string key, std::string title);
  std::size_t real(std::string key, std::string title, std::string unit = "");
  // One of the same kind and unit.
  std::size_t like(const Column& column, std::string key, std::string title);

  // Cells of a row from left to right; a row is finished when all columns have one.
  Table& add(std::string_view text);
  Table& add(const char* text) { return add(std::string_view(text)); }
  Table& add(const std::string& text) { return add(std::string_view(text)); }
  Table& add(std::integral auto number) { return add_number(static_cast<std::int64_t>(number)); }
  Table& add(double value);
  // Not inlined: g++ 12 would warn of absent values that it believes are read.
  template <typename Value>
  [[gnu::noinline]] Table& add(const std::optional<Value>& value) {
    return value ? add(*value) : skip();
  }
  Table& skip();  // A cell without a value.
  template <typename... Cells>
  void row(const Cells&... cells) {
    (add(cells), ...);
  }

  std::size_t size() const { return columns_.empty() ? 0 : columns_.front().size(); }
  const std::deque<Column>& columns() const { return columns_; }
  Column& column(std::size_t place) { return columns_[place]; }
  const Column& column(std::size_t place) const { return columns_[place]; }
  std::optional<std::size_t> find(std::string_view key_or_title) const;
  std::string_view text_at(std::size_t column, std::size_t row) const {
    return strings_.view(columns_[column].texts[row]);
  }
  bool is_absent(std::size_t column, std::size_t row) const;

  // Row i becomes what row order[i] was; rows may be left out.
  void reorder(const std::vector<std::uint32_t>& order);
  // All rows of a table with the same columns.
  void append(const Table& other);
  // A text or integer column with one value, before all others.
  void put_first(std::string key, std::string title, std::int64_t value);

  // How it is shown; set by who makes it.
  bool on_terminal = true;      // Tables with very many rows, or for other tools, are only written.
  bool in_files = true;         // Drawings for the terminal are not.
  std::size_t usual_rows = 20;  // On a terminal without --top; 0 = all.
  std::string file;  // Name for other tools: `ModuleStatistic/module_statistic`; else name.
  std::vector<std::string> notes;  // Sentences below the table.
  TableComparison comparison;

 private:
  std::size_t add_column(std::string key, std::string title, Kind kind);
  Table& add_number(std::int64_t number);

  std::string name_;
  std::string title_;
  std::deque<Column> columns_;
  StringPool strings_;
  std::size_t next_ = 0;  // The column of the next cell.
};

}  // namespace npuprof::answers
