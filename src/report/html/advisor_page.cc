#include "report/html/advisor_page.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "answers/difference_text.h"
#include "base/markup.h"

namespace npuprof::report {
namespace {

constexpr std::size_t kMostRowsOfPage = 50;

constexpr std::string_view kAdvisorStyle = R"(
:root { color-scheme: light dark; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 24px auto; max-width: 1280px; padding: 0 16px; }
h1 { font-size: 20px; margin: 0 0 4px; }
h2 { font-size: 16px; margin: 28px 0 6px; }
p { margin: 0 0 10px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid #8884; }
td.number { text-align: right; white-space: nowrap; }
tr.high td:first-child { border-left: 4px solid #c62828; }
tr.medium td:first-child { border-left: 4px solid #b26200; }
tr.low td:first-child { border-left: 4px solid #5d6470; }
.note { background: #b2620020; border-left: 4px solid #b26200; padding: 6px 12px; }
)";

std::string cell_text(const answers::Table& table, std::size_t place, std::size_t row) {
  const answers::Column& column = table.column(place);
  if (table.is_absent(place, row)) return "";
  switch (column.kind) {
    case answers::Kind::kText:
      return std::string(table.text_at(place, row));
    case answers::Kind::kDuration:
      return answers::time_text(static_cast<double>(column.numbers[row]));
    case answers::Kind::kShare:
      return fmt::format("{:.1f} %", 100 * column.reals[row]);
    case answers::Kind::kReal:
      return fmt::format("{:.2f}{}{}", column.reals[row], column.unit.empty() ? "" : " ",
                         column.unit);
    case answers::Kind::kBytes:
      return fmt::format("{} B", column.numbers[row]);
    case answers::Kind::kMoment:
    case answers::Kind::kInteger:
      break;
  }
  return fmt::format("{}", column.numbers[row]);
}

void put_page_table(std::string& out, const answers::Table& table) {
  out += "<div class=\"wide\"><table>\n<tr>";
  for (const answers::Column& column : table.columns()) {
    out += "<th>";
    append_markup(out, column.title);
    out += "</th>";
  }
  out += "</tr>\n";
  const auto severity = table.find("severity");
  const std::size_t rows = std::min(table.size(), kMostRowsOfPage);
  for (std::size_t row = 0; row < rows; ++row) {
    if (severity) {
      out += "<tr class=\"";
      append_markup(out, table.text_at(*severity, row));
      out += "\">";
    } else {
      out += "<tr>";
    }
    for (std::size_t place = 0; place < table.columns().size(); ++place) {
      out += table.column(place).kind == answers::Kind::kText ? "<td>" : "<td class=\"number\">";
      append_markup(out, cell_text(table, place, row));
      out += "</td>";
    }
    out += "</tr>\n";
  }
  out += "</table></div>\n";
  if (rows < table.size()) {
    out += fmt::format("<p>{} more rows are not shown.</p>\n", table.size() - rows);
  }
}

}  // namespace

std::string advisor_html(const answers::Answer& answer, const AdvisorPage& page) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>npuprof advisor</title>\n<style>";
  out += kAdvisorStyle;
  out += "</style>\n</head>\n<body>\n<h1>What costs time</h1>\n<p>";
  append_markup(out, page.profile);
  out += "</p>\n";
  if (page.simulated) {
    out += "<p class=\"note\">This profile comes from a simulated NPU.</p>\n";
  }
  for (const answers::Table& table : answer.tables) {
    const bool is_first = &table == &answer.tables.front();
    if (is_first && table.size() == 0) {
      for (const std::string& sentence : answer.sentences) {
        out += "<p>" + markup(sentence) + "</p>\n";
      }
      continue;
    }
    out += "<h2>" + markup(table.title()) + "</h2>\n";
    for (const std::string& note : table.notes) out += "<p>" + markup(note) + "</p>\n";
    put_page_table(out, table);
  }
  out += "</body>\n</html>\n";
  return out;
}

}  // namespace npuprof::report
