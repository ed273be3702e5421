#include "report/answers/workbook.h"

#include <algorithm>
#include <string>
#include <vector>

#include <xlsxwriter.h>

#include "base/units.h"
#include "report/answers/text_forms.h"

namespace npuprof::report {
namespace {

// Limits of the format.
constexpr std::size_t kMaxSheetRows = 1'048'575;
constexpr std::size_t kMaxSheetName = 31;
constexpr std::size_t kMaxCellCharacters = 32'767;

struct SheetFormats {
  lxw_format* header;
  lxw_format* body;
};

SheetFormats make_formats(lxw_workbook* book) {
  constexpr lxw_color_t kHeaderColor = 0xAFEEEE;
  SheetFormats formats{workbook_add_format(book), workbook_add_format(book)};
  format_set_font_name(formats.header, "Times New Roman");
  format_set_bold(formats.header);
  format_set_bg_color(formats.header, kHeaderColor);
  format_set_border(formats.header, LXW_BORDER_THIN);
  format_set_align(formats.header, LXW_ALIGN_VERTICAL_CENTER);
  format_set_font_name(formats.body, "Times New Roman");
  format_set_align(formats.body, LXW_ALIGN_VERTICAL_CENTER);
  format_set_border(formats.body, LXW_BORDER_THIN);
  return formats;
}

// Of one table, cell by cell.
class SheetWriter {
 public:
  SheetWriter(const answers::Table& table, lxw_worksheet* sheet, const SheetFormats& formats)
      : table_(table), sheet_(sheet), formats_(formats) {}

  void write() {
    constexpr double kHeaderHeight = 27;
    worksheet_set_row(sheet_, 0, kHeaderHeight, nullptr);
    for (std::size_t i = 0; i < table_.columns().size(); ++i) {
      const answers::Column& column = table_.column(i);
      if (column.only_in_database) continue;  // The last one: no gap is left.
      const auto place = static_cast<lxw_col_t>(i);
      worksheet_write_string(sheet_, 0, place, title_of(column).c_str(), formats_.header);
      if (column.width > 0) worksheet_set_column(sheet_, place, place, column.width, nullptr);
      if (column.width == 0 && !column.key_is_final) {
        worksheet_set_column(sheet_, place, place, fitting_width(i), nullptr);
      }
      column.is_merged ? write_merged(i) : write_cells(i, 0, rows());
    }
  }

 private:
  std::size_t rows() const { return std::min(table_.size(), kMaxSheetRows); }

  static std::string title_of(const answers::Column& column) {
    if (column.key_is_final || column.kind == answers::Kind::kText ||
        column.kind == answers::Kind::kInteger) {
      return column.title;
    }
    if (column.kind == answers::Kind::kBytes) return column.title + " (B)";
    if (column.kind == answers::Kind::kShare) return column.title + " (%)";
    if (column.kind == answers::Kind::kReal) {
      return column.unit.empty() ? column.title : column.title + " (" + column.unit + ")";
    }
    return column.title + " (us)";
  }

  double fitting_width(std::size_t column) const {
    constexpr std::size_t kWidest = 60;
    std::size_t width = title_of(table_.column(column)).size() + 2;
    if (table_.column(column).kind == answers::Kind::kText) {
      for (std::size_t row = 0; row < rows(); ++row) {
        width = std::max(width, table_.text_at(column, row).size());
      }
    }
    return static_cast<double>(std::min(width, kWidest));
  }

  void write_cell(std::size_t column_place, std::size_t row) {
    const answers::Column& column = table_.column(column_place);
    const auto line = static_cast<lxw_row_t>(row + 1);
    const auto place = static_cast<lxw_col_t>(column_place);
    if (table_.is_absent(column_place, row)) {
      worksheet_write_blank(sheet_, line, place, formats_.body);
    } else if (column.kind == answers::Kind::kText) {
      worksheet_write_string(sheet_, line, place, text(column_place, row).c_str(), formats_.body);
    } else {
      worksheet_write_number(sheet_, line, place, number(column, row), formats_.body);
    }
  }
  void write_cells(std::size_t column, std::size_t first, std::size_t end) {
    for (std::size_t row = first; row < end; ++row) write_cell(column, row);
  }

  // Runs of equal cells become one; a single cell stays what it is.
  void write_merged(std::size_t column) {
    std::size_t first = 0;
    for (std::size_t row = 1; row <= rows(); ++row) {
      if (row < rows() && text(column, row) == text(column, first)) continue;
      if (row - first > 1) {
        worksheet_merge_range(sheet_, static_cast<lxw_row_t>(first + 1),
                              static_cast<lxw_col_t>(column), static_cast<lxw_row_t>(row),
                              static_cast<lxw_col_t>(column), text(column, first).c_str(),
                              formats_.body);
      } else {
        write_cells(column, first, row);
      }
      first = row;
    }
  }

  std::string text(std::size_t column, std::size_t row) const {
    std::string_view view = table_.text_at(column, row);
    if (view.size() > kMaxCellCharacters) {
      view = view.substr(0, kMaxCellCharacters);
      while (!view.empty() && (static_cast<unsigned char>(view.back()) & 0xC0) == 0x80) {
        view.remove_suffix(1);
      }
      if (!view.empty() && static_cast<unsigned char>(view.back()) >= 0xC0) view.remove_suffix(1);
    }
    return std::string(view);
  }
  static double number(const answers::Column& column, std::size_t row) {
    if (column.kind == answers::Kind::kShare) {
      return column.reals[row] * (column.key_is_final ? 1 : kPercent);
    }
    if (column.kind == answers::Kind::kReal) return column.reals[row];
    const auto value = static_cast<double>(column.numbers[row]);
    const bool is_time =
        column.kind == answers::Kind::kDuration || column.kind == answers::Kind::kMoment;
    return is_time && !column.key_is_final ? value / 1000 : value;
  }

  const answers::Table& table_;
  lxw_worksheet* sheet_;
  SheetFormats formats_;
};

}  // namespace

Status write_workbook(const std::filesystem::path& path,
                      std::span<const answers::Table* const> tables) {
  lxw_workbook* book = workbook_new(path.c_str());
  if (book == nullptr) return Error{ErrorCode::kInternal, "there is not enough memory"};
  const SheetFormats formats = make_formats(book);
  for (const answers::Table* table : tables) {
    const std::string name = tables.size() == 1 ? "Sheet1" : table->name().substr(0, kMaxSheetName);
    lxw_worksheet* sheet = workbook_add_worksheet(book, name.c_str());
    if (sheet == nullptr) continue;  // A name that was there before.
    SheetWriter(*table, sheet, formats).write();
  }
  const lxw_error code = workbook_close(book);
  if (code != LXW_NO_ERROR) {
    return Error{ErrorCode::kIo, "cannot write '" + path.native() + "': " + lxw_strerror(code)};
  }
  return ok_status();
}

}  // namespace npuprof::report
