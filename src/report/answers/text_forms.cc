#include "report/answers/text_forms.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/units.h"
#include "report/text/text_buffer.h"

namespace npuprof::report {
namespace {

// How the numbers of a column are shown on a terminal.
struct ShownUnit {
  std::string name;
  double factor = 1;
  int decimals = 0;
};

double largest_number(const answers::Column& column, std::size_t rows) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(rows, column.numbers.size()); ++i) {
    if (column.numbers[i] == answers::Column::kNoNumber) continue;
    largest = std::max(largest, std::abs(static_cast<double>(column.numbers[i])));
  }
  return largest;
}

ShownUnit unit_of_times(double largest_ns) {
  if (largest_ns < 1e6) return {"us", 1e3, 1};
  if (largest_ns < 1e10) return {"ms", 1e6, 3};
  return {"s", 1e9, 3};
}

ShownUnit unit_of_bytes(double largest) {
  if (largest < kKilobyte) return {"B", 1, 0};
  if (largest < kMegabyte) return {"KB", kKilobyte, 1};
  if (largest < kKilobyte * kMegabyte) return {"MB", kMegabyte, 1};
  return {"GB", kKilobyte * kMegabyte, 2};
}

ShownUnit shown_unit(const answers::Column& column, std::size_t rows) {
  switch (column.kind) {
    case answers::Kind::kDuration:
      return unit_of_times(largest_number(column, rows));
    case answers::Kind::kMoment:
      return {"ms", 1e6, 3};
    case answers::Kind::kBytes:
      return unit_of_bytes(largest_number(column, rows));
    case answers::Kind::kReal:
      return {column.unit, 1, 0};
    default:
      return {};
  }
}

bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Characters are counted as if all were one column wide.
std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return !is_inside_character(byte); }));
}

// Where the text's character of that number begins.
std::size_t character_place(std::string_view text, std::size_t number) {
  std::size_t place = 0;
  for (; place < text.size(); ++place) {
    if (!is_inside_character(text[place]) && number-- == 0) break;
  }
  return place;
}

// The text without its middle.
std::string cut_in_the_middle(std::string_view text, std::size_t width) {
  const std::size_t count = text.size() <= width ? 0 : character_count(text);
  if (width < 8 || count <= width) return std::string(text);
  const std::size_t head = (width - 3) * 2 / 3;
  const std::size_t tail = width - 3 - head;
  return std::string(text.substr(0, character_place(text, head))) + "..." +
         std::string(text.substr(character_place(text, count - tail)));
}

// Five digits, and all of those before the point.
std::string shown_real(double value) {
  const double size = std::abs(value);
  return size >= 1e5 && size < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{:.5g}", value);
}

std::string shown_cell(const answers::Table& table, std::size_t column_place, std::size_t row,
                       const ShownUnit& unit, const TerminalOptions& options) {
  const answers::Column& column = table.column(column_place);
  if (table.is_absent(column_place, row)) return "";
  switch (column.kind) {
    case answers::Kind::kText:
      return cut_in_the_middle(table.text_at(column_place, row), options.text_width);
    case answers::Kind::kInteger:
      return fmt::format("{}", column.numbers[row]);
    case answers::Kind::kMoment:
      return fmt::format("{:.{}f}",
                         static_cast<double>(column.numbers[row] - options.zero_ns) / unit.factor,
                         unit.decimals);
    case answers::Kind::kDuration:
    case answers::Kind::kBytes:
      return fmt::format("{:.{}f}", static_cast<double>(column.numbers[row]) / unit.factor,
                         unit.decimals);
    case answers::Kind::kShare:
      return fmt::format("{:.1f} %", column.reals[row] * kPercent);
    case answers::Kind::kReal:
      return shown_real(column.reals[row]);
  }
  return "";
}

void append_padded(std::string& out, std::string_view text, std::size_t width, bool to_the_right) {
  const std::size_t blanks = width - std::min(width, character_count(text));
  if (to_the_right) out.append(blanks, ' ');
  out += text;
  if (!to_the_right) out.append(blanks, ' ');
}

// Lines of cells, as wide as needed.
class TextGrid {
 public:
  explicit TextGrid(std::vector<bool> to_the_right)
      : to_the_right_(std::move(to_the_right)), widths_(to_the_right_.size()) {}

  void add(std::vector<std::string> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths_[i] = std::max(widths_[i], character_count(cells[i]));
    }
    lines_.push_back(std::move(cells));
  }

  // Not wider than so many characters, if that can be: texts lose their middle, the widest first;
  // columns for which even that leaves no room go from the right. Returns how many are left.
  std::size_t fit_into(std::size_t most) {
    std::vector<std::size_t> least = widths_;
    for (std::size_t i = 0; i < least.size(); ++i) {
      const std::size_t title = character_count(lines_.front()[i]);
      if (!to_the_right_[i]) least[i] = std::min(least[i], std::max(kNarrowestText, title));
    }
    while (line_width(least) > most && least.size() > 2) least.pop_back();
    widths_.resize(least.size());
    while (line_width(widths_) > most) {
      std::size_t widest = 0;
      for (std::size_t i = 1; i < widths_.size(); ++i) {
        const bool can_shrink = widths_[i] > least[i];
        const bool is_wider = widths_[i] > widths_[widest] || widths_[widest] == least[widest];
        if (can_shrink && is_wider) widest = i;
      }
      if (widths_[widest] == least[widest]) break;
      --widths_[widest];
    }
    for (std::vector<std::string>& cells : lines_) {
      cells.resize(widths_.size());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!to_the_right_[i]) cells[i] = cut_in_the_middle(cells[i], widths_[i]);
      }
    }
    return widths_.size();
  }

  void write_to(std::string& out) const {
    for (const std::vector<std::string>& cells : lines_) {
      std::string line;
      for (std::size_t i = 0; i < widths_.size(); ++i) {
        if (i > 0) line += "  ";
        append_padded(line, cells[i], widths_[i], to_the_right_[i]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
  }

 private:
  static constexpr std::size_t kNarrowestText = 14;

  static std::size_t line_width(const std::vector<std::size_t>& widths) {
    std::size_t width = 2 * (widths.size() - 1);
    for (const std::size_t one : widths) width += one;
    return width;
  }

  std::vector<bool> to_the_right_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> lines_;
};

void put_csv_cell(TextBuffer& out, const answers::Table& table, std::size_t column_place,
                  std::size_t row) {
  const answers::Column& column = table.column(column_place);
  if (table.is_absent(column_place, row)) return;
  switch (column.kind) {
    case answers::Kind::kText:
      out.csv(table.text_at(column_place, row));
      return;
    case answers::Kind::kDuration:
    case answers::Kind::kMoment:
      if (column.key_is_final) break;
      out.microseconds(column.numbers[row]);
      return;
    case answers::Kind::kShare:
      out.rounded(column.reals[row] * (column.key_is_final ? 1 : kPercent), 4);
      return;
    case answers::Kind::kReal:
      out.real(column.reals[row]);
      return;
    default:
      break;
  }
  out.integer(column.numbers[row]);
}

std::string csv_title(const answers::Column& column) {
  if (column.key_is_final) return column.title;
  switch (column.kind) {
    case answers::Kind::kDuration:
    case answers::Kind::kMoment:
      return column.title + "(us)";
    case answers::Kind::kBytes:
      return column.title + "(B)";
    case answers::Kind::kShare:
      return column.title + "(%)";
    case answers::Kind::kReal:
      return column.unit.empty() ? column.title : column.title + "(" + column.unit + ")";
    default:
      return column.title;
  }
}

}  // namespace

std::string stored_name(const answers::Column& column) {
  if (column.key_is_final) return column.key;
  switch (column.kind) {
    case answers::Kind::kDuration:
    case answers::Kind::kMoment:
      return column.key + "_ns";
    case answers::Kind::kBytes:
      return column.key + "_bytes";
    default:
      return column.key;
  }
}

std::string terminal_text(const answers::Table& table, const TerminalOptions& options) {
  const std::size_t most = options.rows.value_or(table.usual_rows);
  const std::size_t rows = most == 0 ? table.size() : std::min(most, table.size());
  std::vector<ShownUnit> units;
  std::vector<std::string> titles;
  std::vector<bool> to_the_right;
  for (const answers::Column& column : table.columns()) {
    units.push_back(shown_unit(column, rows));
    to_the_right.push_back(column.kind != answers::Kind::kText);
    titles.push_back(units.back().name.empty()
                         ? column.title
                         : fmt::format("{} ({})", column.title, units.back().name));
  }
  TextGrid grid(std::move(to_the_right));
  grid.add(std::move(titles));
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < units.size(); ++i) {
      cells.push_back(shown_cell(table, i, row, units[i], options));
    }
    grid.add(std::move(cells));
  }
  std::string out = table.title().empty() ? "" : table.title() + '\n';
  std::string dropped;
  if (options.width > 0 && !units.empty()) {
    for (std::size_t i = grid.fit_into(options.width); i < units.size(); ++i) {
      dropped += (dropped.empty() ? "" : ", ") + table.column(i).title;
    }
  }
  grid.write_to(out);
  if (!dropped.empty()) out += "Not shown here: " + dropped + " (--wide shows all)\n";
  if (rows < table.size()) {
    fmt::format_to(std::back_inserter(out), "... {} more (--top 0 shows all)\n",
                   table.size() - rows);
  }
  for (const std::string& note : table.notes) out += note + '\n';
  return out;
}

std::string csv_text(const answers::Table& table) {
  TextBuffer out;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (i > 0) out.character(',');
    out.csv(csv_title(table.column(i)));
  }
  out.character('\n');
  for (std::size_t row = 0; row < table.size(); ++row) {
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      if (i > 0) out.character(',');
      put_csv_cell(out, table, i, row);
    }
    out.character('\n');
  }
  return std::string(out.view());
}

void write_json_rows(const answers::Table& table, JsonWriter& json) {
  std::vector<std::string> names;
  for (const answers::Column& column : table.columns()) names.push_back(stored_name(column));
  json.begin_array();
  for (std::size_t row = 0; row < table.size(); ++row) {
    json.begin_object();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const answers::Column& column = table.column(i);
      json.key(names[i]);
      if (table.is_absent(i, row)) {
        json.null();
      } else if (column.kind == answers::Kind::kText) {
        json.value(table.text_at(i, row));
      } else if (answers::is_real(column.kind)) {
        json.value(column.reals[row]);
      } else {
        json.value(column.numbers[row]);
      }
    }
    json.end_object();
  }
  json.end_array();
}

std::string json_text(const answers::Table& table) {
  std::string text;
  JsonWriter json(text, 1);
  write_json_rows(table, json);
  return text;
}

}  // namespace npuprof::report
