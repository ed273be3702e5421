#include "query/column_cells.h"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "trace/table_list.h"

namespace npuprof::query {
namespace {

// Numbers above 2^63 appear as the negative ones with the same bits: SQLite has no others.
std::int64_t integer_cell(const ShownColumn& column, std::size_t row) {
  if (row >= column.functions->size(column.values)) return 0;
  return column.functions->integer(column.values, row, column.element);
}

// Whoever fills a table by hand may leave columns out.
void show_model_cell(sqlite3_context* context, const ShownColumn& column, std::size_t row) {
  if (row >= column.functions->size(column.values)) return sqlite3_result_null(context);
  if (column.type == CellType::kReal) {  // NULL for NaN.
    return sqlite3_result_double(context,
                                 column.functions->real(column.values, row, column.element));
  }
  const std::int64_t cell = column.functions->integer(column.values, row, column.element);
  if (column.type == CellType::kText) {
    const auto id = static_cast<StringId>(cell);
    return show_text(context, column.strings->view(id));
  }
  if (column.is_reference && cell == trace::kNone) return sqlite3_result_null(context);
  sqlite3_result_int64(context, cell);
}

CellType type_of(trace::CellKind kind) {
  switch (kind) {
    case trace::CellKind::kText:
      return CellType::kText;
    case trace::CellKind::kReal:
      return CellType::kReal;
    case trace::CellKind::kInteger:
    case trace::CellKind::kHidden:
      break;
  }
  return CellType::kInteger;
}

std::string about_column(const trace::ColumnFacts& facts) {
  if (facts.target != nullptr) {
    const std::size_t target = trace::table_number(facts.target);
    return fmt::format("row of {}", trace::table_facts(target).name);
  }
  const bool is_time =
      facts.kind == trace::ColumnKind::kTime || facts.kind == trace::ColumnKind::kMoment;
  return is_time ? "wall-clock ns" : "";
}

}  // namespace

void show_text(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void show_columns(trace::AnyConstTable table, const StringPool& strings, ShownTable& shown) {
  shown.rows = table.size();
  for (const trace::ColumnFacts& facts : table.columns()) {
    if (facts.values->cell_kind == trace::CellKind::kHidden) continue;
    ShownColumn added;
    added.name = facts.name;
    added.type = type_of(facts.values->cell_kind);
    added.about = about_column(facts);
    added.values = table.column(facts);
    added.functions = facts.values;
    added.strings = &strings;
    added.is_reference = facts.target != nullptr;
    added.show = show_model_cell;
    if (added.type == CellType::kInteger) added.number = integer_cell;
    if (facts.values->cell_count == 1) {
      shown.columns.push_back(std::move(added));
      continue;
    }
    for (std::size_t i = 0; i < facts.values->cell_count; ++i) {
      ShownColumn& element = shown.columns.emplace_back(added);
      element.name += "_" + std::to_string(i);
      element.element = i;
    }
  }
}

}  // namespace npuprof::query
