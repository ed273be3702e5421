#include "load/csv_reader.h"

#include <algorithm>
#include <utility>

#include "base/csv_guard.h"
#include "base/text.h"
#include "load/plausible.h"

namespace npuprof::load {
namespace {

constexpr std::string_view kSeparators = ",\r\n";

}  // namespace

Result<CsvFile> CsvFile::open(const std::filesystem::path& path) {
  CsvFile csv;
  csv.path_ = path.native();
  NPUPROF_ASSIGN_OR_RETURN(csv.file_, MappedFile::open(path));
  csv.text_ = csv.file_.text();
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (csv.text_.starts_with(kByteOrderMark)) csv.place_ = kByteOrderMark.size();
  std::vector<std::string_view> names;
  if (!csv.read_row(names)) {
    return Error{ErrorCode::kTruncated, "'" + path.native() + "' is empty: it has no header"};
  }
  for (const std::string_view name : names) csv.header_.emplace_back(name);
  return csv;
}

std::size_t CsvFile::column(std::string_view name) const {
  const auto found = std::find(header_.begin(), header_.end(), name);
  return found == header_.end() ? kNoColumn : static_cast<std::size_t>(found - header_.begin());
}

std::size_t CsvFile::column(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (const std::size_t found = column(name); found != kNoColumn) return found;
  }
  return kNoColumn;
}

bool CsvFile::next() {
  while (read_row(cells_)) {
    if (cells_.size() == header_.size()) return true;
    if (cells_.size() == 1 && cells_.front().empty()) continue;  // A blank line.
    leave_out("they have more or fewer cells than the header");
  }
  return false;
}

bool CsvFile::read_row(std::vector<std::string_view>& cells) {
  cells.clear();
  scratch_used_ = 0;
  row_begin_ = place_;
  if (place_ >= text_.size()) return false;
  for (;;) {
    if (place_ < text_.size() && text_[place_] == '"') {
      cells.push_back(without_csv_guard(read_quoted()));
    } else {
      const std::size_t end = std::min(text_.find_first_of(kSeparators, place_), text_.size());
      cells.push_back(without_csv_guard(trim(text_.substr(place_, end - place_))));
      place_ = end;
    }
    if (place_ >= text_.size()) return true;
    const char separator = text_[place_++];
    if (separator == '\r' && place_ < text_.size() && text_[place_] == '\n') ++place_;
    if (separator != ',') return true;
  }
}

std::string_view CsvFile::read_quoted() {
  const std::size_t begin = place_ + 1;
  bool has_doubled = false;
  std::size_t end = begin;
  for (;;) {
    end = text_.find('"', end);
    if (end == std::string_view::npos) {
      end = text_.size();
      if (!open_quote_) open_quote_ = begin - 1;
      break;
    }
    if (end + 1 < text_.size() && text_[end + 1] == '"') {
      has_doubled = true;
      end += 2;
      continue;
    }
    break;
  }
  const std::string_view quoted = text_.substr(begin, end - begin);
  // Up to the separator there should be nothing but a tab.
  place_ =
      std::min(text_.find_first_of(kSeparators, std::min(end + 1, text_.size())), text_.size());
  if (!has_doubled) return trim(quoted);
  if (scratch_used_ == scratch_.size()) scratch_.emplace_back();
  std::string& text = scratch_[scratch_used_++];
  text.clear();
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    text += quoted[i];
    if (quoted[i] == '"') ++i;
  }
  return trim(text);
}

std::string_view CsvFile::cell(std::size_t column) const {
  return column == kNoColumn ? std::string_view() : cells_[column];
}

std::optional<std::int64_t> CsvFile::integer(std::size_t column) const {
  return plausible(parse_number<std::int64_t>(cell(column)));
}

std::optional<double> CsvFile::real(std::size_t column) const {
  return parse_number<double>(cell(column));
}

std::optional<std::int64_t> CsvFile::scaled(std::size_t column, int decimals) const {
  return plausible(parse_scaled(cell(column), decimals));
}

void CsvFile::leave_out(std::string_view reason) {
  for (LeftOut& known : left_out_) {
    if (known.reason != reason) continue;
    ++known.rows;
    return;
  }
  left_out_.push_back({reason, 1, row_begin_});
}

void CsvFile::report_losses(trace::Losses& losses) const {
  for (const LeftOut& rows : left_out_) {
    losses.add(path_, rows.first, rows.rows,
               std::to_string(rows.rows) + " rows are left out: " + std::string(rows.reason));
  }
  if (open_quote_) {
    losses.add(path_, *open_quote_, 0,
               "a quotation mark is never closed: all that follows was taken for one cell");
  }
}

}  // namespace npuprof::load
