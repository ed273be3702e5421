#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "trace/losses.h"

namespace npuprof::load {

// A CSV file, row by row. Cells may be quoted, with quotation marks inside doubled; rows end in LF,
// CRLF or CR. Blanks and tabs at either side of a cell (which keep spreadsheets from rounding
// times) do not belong to it, nor does an apostrophe before what looks like a formula.
class CsvFile {
 public:
  static constexpr std::size_t kNoColumn = ~std::size_t{0};

  static Result<CsvFile> open(const std::filesystem::path& path);

  const std::vector<std::string>& header() const { return header_; }
  // kNoColumn if there is none of that name.
  std::size_t column(std::string_view name) const;
  // The first of the names that exists: columns were renamed over time.
  std::size_t column(std::initializer_list<std::string_view> names) const;

  // Goes to the next row that has as many cells as the header; false at the end.
  bool next();
  // Empty for kNoColumn. Valid until next().
  std::string_view cell(std::size_t column) const;
  // Nothing for an empty cell or one that is no number, such as N/A.
  std::optional<std::int64_t> integer(std::size_t column) const;
  std::optional<double> real(std::size_t column) const;
  // The number times 10^decimals.
  std::optional<std::int64_t> scaled(std::size_t column, int decimals) const;

  // Notes that nothing can be made of the row at hand, for a reason that goes with others of its
  // kind: "they have no start". The text must outlive the file.
  void leave_out(std::string_view reason);
  // Says how many rows were left out, and why.
  void report_losses(trace::Losses& losses) const;

 private:
  struct LeftOut {
    std::string_view reason;
    std::uint64_t rows;
    std::uint64_t first;  // Where the first of them begins.
  };

  bool read_row(std::vector<std::string_view>& cells);
  // Reads the quoted cell at `place_`, without its quotation marks.
  std::string_view read_quoted();

  std::string path_;
  MappedFile file_;
  std::string_view text_;
  std::size_t place_ = 0;
  std::size_t row_begin_ = 0;
  std::vector<std::string> header_;
  std::vector<std::string_view> cells_;
  std::deque<std::string> scratch_;  // Cells that had doubled quotation marks.
  std::size_t scratch_used_ = 0;
  std::vector<LeftOut> left_out_;
  std::optional<std::size_t> open_quote_;  // Where a quotation mark is that is never closed.
};

}  // namespace npuprof::load
