#include "query/shown_table.h"

#include <algorithm>
#include <numeric>

namespace npuprof::query {

std::string_view type_name(CellType type) {
  switch (type) {
    case CellType::kInteger:
      return "INTEGER";
    case CellType::kReal:
      return "REAL";
    case CellType::kText:
      return "TEXT";
  }
  return "";
}

void ShownTable::be_made() {
  if (!make) return;
  kept_ = make(*this);
  make = nullptr;
}

ShownTable::Order& ShownTable::order_of(std::size_t column) const {
  if (orders_.size() <= column) orders_.resize(columns.size());
  return orders_[column];
}

bool ShownTable::is_ascending(std::size_t column) const {
  const ShownColumn& values = columns[column];
  if (values.number == nullptr) return false;
  std::optional<bool>& known = order_of(column).is_ascending;
  if (known) return *known;
  known = true;
  for (std::size_t row = 1; row < rows && *known; ++row) {
    known = values.number(values, row - 1) <= values.number(values, row);
  }
  return *known;
}

const std::vector<std::uint32_t>& ShownTable::rows_by(std::size_t column) const {
  auto& known = order_of(column).rows;
  if (known) return *known;
  const ShownColumn& values = columns[column];
  known.emplace(rows);
  std::iota(known->begin(), known->end(), 0u);
  std::stable_sort(known->begin(), known->end(), [&](std::uint32_t left, std::uint32_t right) {
    return values.number(values, left) < values.number(values, right);
  });
  return *known;
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string schema_of(const ShownTable& table) {
  std::string schema = "CREATE TABLE " + quoted_name(table.name) + "(";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) schema += ", ";
    schema += quoted_name(table.columns[i].name) + " ";
    schema += type_name(table.columns[i].type);
  }
  return schema + ")";
}

}  // namespace npuprof::query
