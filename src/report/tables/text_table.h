#pragma once

// Writes a described table (result_table.h) as a text file.

#include <array>
#include <cstdint>
#include <string>
#include <tuple>

#include "base/string_pool.h"
#include "base/units.h"
#include "report/csv/csv_file.h"
#include "report/tables/result_table.h"

namespace npuprof::report {

constexpr const TextColumn& text_schema(const TextColumn& column) { return column; }
constexpr const TextColumn& text_schema(const SharedColumn& column) { return column.text; }

inline void put_absent_cell(TextBuffer& out, const TextColumn& column) {
  if (column.if_absent == IfAbsent::kNotAvailable) out.text(kNotAvailable);
  if (column.if_absent == IfAbsent::kHost) out.text("host");
}

inline void put_text_cell(TextBuffer& out, const TextColumn& column, std::string_view value) {
  if (value.empty()) {
    put_absent_cell(out, column);
  } else if (column.print == Print::kLines) {
    out.csv_lines(value);
  } else {
    out.csv(value);
  }
}

inline void put_number_cell(TextBuffer& out, const TextColumn& column, double value) {
  switch (column.print) {
    case Print::kRoundedUs:
      out.rounded(value / 1000, 3);
      return;
    case Print::kKb:
      out.real(value / kKilobyte);
      return;
    case Print::kMb:
      out.real(value / kMegabyte);
      return;
    case Print::kRoundedKb:
      out.rounded(value / kKilobyte, 3, true);
      return;
    case Print::kRounded:
      out.rounded(value, 3);
      return;
    case Print::kRoundedPoint:
      out.rounded(value, 3, true);
      return;
    case Print::kRoundedPoint6:
      out.rounded(value, 6, true);
      return;
    case Print::kFixed0:
      out.fixed(value, 0);
      return;
    case Print::kFixed3:
      out.fixed(value, 3);
      return;
    default:
      out.real(value);
  }
}

template <std::integral Number>
void put_whole_cell(TextBuffer& out, const TextColumn& column, Number value) {
  switch (column.print) {
    case Print::kPlain:
      out.integer(value);
      return;
    case Print::kDevice:
      out.text("NPU:").integer(value);
      return;
    case Print::kUs:
      out.microseconds(static_cast<std::int64_t>(value));
      return;
    case Print::kTimeUs:
      out.microseconds(static_cast<std::int64_t>(value)).character('\t');
      return;
    case Print::kTrimmedUs:
      out.trimmed_microseconds(static_cast<std::int64_t>(value));
      return;
    case Print::kUsOrZero:
    case Print::kTrimmedUsOrZero:
      if (value == 0) {
        out.character('0');
      } else if (column.print == Print::kUsOrZero) {
        out.microseconds(static_cast<std::int64_t>(value));
      } else {
        out.trimmed_microseconds(static_cast<std::int64_t>(value));
      }
      return;
    default:
      put_number_cell(out, column, static_cast<double>(value));
  }
}

template <typename Value>
void put_cell(TextBuffer& out, const TextColumn& column, const Value& value) {
  if constexpr (std::is_same_v<Value, std::nullopt_t>) {
    put_absent_cell(out, column);
  } else if constexpr (kIsOptional<Value>) {
    if (value) {
      put_cell(out, column, *value);
    } else {
      put_absent_cell(out, column);
    }
  } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
    put_text_cell(out, column, value);
  } else if constexpr (std::integral<Value>) {
    put_whole_cell(out, column, value);
  } else {
    static_assert(std::floating_point<Value>, "no content of a text file");
    put_number_cell(out, column, value);
  }
}

// Which columns a file of these rows has, its header, and how a row becomes a line.
template <const auto& kTable, typename Rows>
class TextLines {
 public:
  explicit TextLines(const Rows& rows) : rows_(rows) {
    for_each_column<kTable>([&](auto i, const auto& column) {
      if constexpr (requires { column.headers; }) {
        for (const std::string& header : column.headers(rows)) add_header(header);
      } else {
        is_present_[i] = std::invoke(column.when, rows);
        if (is_present_[i]) add_header(text_schema(column.schema).header);
      }
    });
  }

  const std::string& header() const { return header_; }

  void put(TextBuffer& out, std::size_t first, std::size_t last, std::string_view line_end) const {
    auto scratch = std::apply(
        [&](const auto&... column) { return std::tuple(scratch_of(column)...); }, kTable.columns);
    for (std::size_t i = first; i < last; ++i) {
      auto&& row = rows_[i];
      bool is_first = true;
      for_each_column<kTable>([&](auto place, const auto& column) {
        if constexpr (requires { column.headers; }) {
          column.put(out, row, std::get<place>(scratch));
        } else {
          if (!is_always(column) && !is_present_[place]) return;
          if (!std::exchange(is_first, false)) out.character(',');
          if constexpr (requires { column.text_content(out, row); }) {
            column.text_content(out, row);
          } else {
            put_cell(out, text_schema(column.schema), std::invoke(column.text_content, row));
          }
        }
      });
      out.text(line_end);
    }
  }

 private:
  struct NoScratch {};

  template <typename Column>
  static constexpr bool is_always(const Column& column) {
    return std::is_same_v<decltype(column.when), Always>;
  }
  auto scratch_of(const auto& column) const {
    if constexpr (requires { column.headers; }) {
      return column.scratch(rows_);
    } else {
      return NoScratch{};
    }
  }
  void add_header(std::string_view text) {
    if (!header_.empty()) header_ += ',';
    header_ += text;
  }

  const Rows& rows_;
  std::array<bool, std::remove_cvref_t<decltype(kTable)>::kSize> is_present_{};
  std::string header_;
};

// `rows` has size() and operator[], which is called from several threads.
template <const auto& kTable, typename Rows>
Status write_text_table(const Rows& rows, const CsvTarget& target, ThreadPool& pool) {
  const TextLines<kTable, Rows> lines(rows);
  return write_csv(
      target, kTable.file, lines.header(), rows.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        lines.put(out, first, last, target.line_end);
      },
      pool);
}

}  // namespace npuprof::report
