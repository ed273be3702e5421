#include "query/answer_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/count_text.h"
#include "query/answer_tables.h"
#include "report/answers/text_forms.h"

namespace npuprof::query {
namespace {

constexpr std::size_t kLongestCell = 300;      // Bytes.
constexpr std::size_t kLongestText = 100'000;  // Of all rows.
constexpr std::size_t kRealDigits = 6;

// On one line, without what separates cells, and cut between characters.
std::string cell_on_one_line(std::string_view text) {
  std::size_t size = std::min(text.size(), kLongestCell);
  while (size < text.size() && size > 0 &&
         (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) {
    --size;
  }
  std::string cell(text.substr(0, size));
  for (char& c : cell) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
    if (c == '|') c = '/';
  }
  if (size < text.size()) cell += "...";
  return cell;
}

std::string short_cell(const answers::Table& table, std::size_t column, std::size_t row) {
  if (table.is_absent(column, row)) return "";
  const answers::Column& values = table.column(column);
  if (values.kind == answers::Kind::kText) return cell_on_one_line(table.text_at(column, row));
  if (!answers::is_real(values.kind)) return std::to_string(values.numbers[row]);
  return fmt::format("{:.{}g}", values.reals[row], kRealDigits);
}

std::string column_heading(const answers::Column& column) {
  const std::string name = cell_on_one_line(report::stored_name(column));
  return column.unit.empty() ? name : fmt::format("{} ({})", name, column.unit);
}

}  // namespace

void append_table_text(std::string& out, const answers::Table& table, std::size_t top,
                       std::size_t all_rows) {
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    out += (i > 0 ? " | " : "") + column_heading(table.column(i));
  }
  out += '\n';
  const std::size_t begin = out.size();
  const std::size_t wanted = std::min(top, table.size());
  std::size_t row = 0;
  for (; row < wanted && out.size() - begin < kLongestText; ++row) {
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      out += (i > 0 ? " | " : "") + short_cell(table, i, row);
    }
    out += '\n';
  }
  if (row < all_rows) {
    fmt::format_to(std::back_inserter(out), "({} of {} {} shown)\n", row,
                   count_text(all_rows, "row"), for_count(all_rows, "is", "are"));
  } else {
    fmt::format_to(std::back_inserter(out), "({})\n", count_text(all_rows, "row"));
  }
}

namespace {

// `mode`: null = the answer has no tables in SQL.
std::string text_of_answer(const answers::Mode* mode, const answers::Answer& answer,
                           std::size_t top) {
  std::string out;
  for (const std::string& sentence : answer.sentences) out += sentence + '\n';
  for (const answers::Table& table : answer.tables) {
    if (!table.in_files || table.columns().empty()) continue;
    if (!table.on_terminal) {
      if (mode == nullptr) continue;
      fmt::format_to(std::back_inserter(out), "\n{}: {}, in SQL {}\n", table.title(),
                     count_text(table.size(), "row"), answer_table_name(*mode, table.name()));
      continue;
    }
    fmt::format_to(std::back_inserter(out), "\n{}\n", table.title());
    append_table_text(out, table, top, table.size());
    for (const std::string& note : table.notes) out += note + '\n';
  }
  return out;
}

}  // namespace

std::string answer_text(const answers::Mode& mode, const answers::Answer& answer, std::size_t top) {
  return text_of_answer(&mode, answer, top);
}

std::string answer_text(const answers::Answer& answer, std::size_t top) {
  return text_of_answer(nullptr, answer, top);
}

}  // namespace npuprof::query
