#include "answers/selection.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "answers/name_expression.h"

namespace npuprof::answers {
namespace {

// Whether any row is left; of a table without texts nothing.
std::optional<bool> keep_matching(Table& table, const NameExpression& expression) {
  std::vector<std::size_t> texts;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (table.column(i).kind == Kind::kText) texts.push_back(i);
  }
  if (texts.empty()) return std::nullopt;
  // Texts come again and again: each is judged once.
  std::vector<std::int8_t> verdicts;
  const auto matches = [&](std::size_t column, std::size_t row) {
    const std::uint32_t id = to_index(table.column(column).texts[row]);
    if (verdicts.size() <= id) verdicts.resize(id + 1, -1);
    if (verdicts[id] < 0) verdicts[id] = expression.is_in(table.text_at(column, row)) ? 1 : 0;
    return verdicts[id] == 1;
  };
  std::vector<std::uint32_t> kept;
  for (std::uint32_t row = 0; row < table.size(); ++row) {
    const bool is_kept = std::any_of(texts.begin(), texts.end(),
                                     [&](std::size_t column) { return matches(column, row); });
    if (is_kept) kept.push_back(row);
  }
  table.reorder(kept);
  return !kept.empty();
}

Status select_by_name(Answer& answer, const std::string& name) {
  NameExpression expression;
  NPUPROF_RETURN_IF_ERROR(expression.compile(name));
  bool is_found = false;
  for (Table& table : answer.tables) {
    const auto has_rows = keep_matching(table, expression);
    is_found = is_found || has_rows.value_or(false);
    if (!has_rows) table.notes.emplace_back("All rows: there is no text that a name could match.");
  }
  std::vector<std::string>& sentences = answer.sentences;
  if (!sentences.empty()) {
    sentences.insert(sentences.begin(),
                     "About everything, not only what matches \"" + name + "\":");
  }
  if (!is_found) sentences.insert(sentences.begin(), "Nothing matches \"" + name + "\".");
  return ok_status();
}

// The first rows of each rank, where a table has several.
void keep_first(Table& table, std::size_t most) {
  const auto rank = table.find("rank");
  const bool has_ranks = rank && table.column(*rank).kind == Kind::kInteger;
  std::map<std::int64_t, std::size_t> counts;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t row = 0; row < table.size(); ++row) {
    if (++counts[has_ranks ? table.column(*rank).numbers[row] : 0] <= most) kept.push_back(row);
  }
  if (kept.size() < table.size()) table.reorder(kept);
}

Status no_such_column(const Answer& answer, const std::string& name) {
  std::set<std::string> keys;
  for (const Table& table : answer.tables) {
    for (const Column& column : table.columns()) keys.insert(column.key);
  }
  std::string known;
  for (const std::string& key : keys) known += (known.empty() ? "" : ", ") + key;
  return Error{ErrorCode::kInvalidArgument,
               "there is no column '" + name + "' to sort by; there are " + known};
}

}  // namespace

std::vector<std::uint32_t> order_by(const Table& table, std::size_t column) {
  std::vector<std::uint32_t> order(table.size());
  std::iota(order.begin(), order.end(), 0U);
  const Column& values = table.column(column);
  const auto sort = [&](auto before) {
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const bool lacks_a = table.is_absent(column, a);
      const bool lacks_b = table.is_absent(column, b);
      if (lacks_a || lacks_b) return !lacks_a && lacks_b;
      return before(a, b);
    });
  };
  if (values.kind == Kind::kText) {
    sort([&](auto a, auto b) { return table.text_at(column, a) < table.text_at(column, b); });
  } else if (is_real(values.kind)) {
    sort([&](auto a, auto b) { return values.reals[a] > values.reals[b]; });
  } else {
    sort([&](auto a, auto b) { return values.numbers[a] > values.numbers[b]; });
  }
  return order;
}

Status select_rows(Answer& answer, const Selection& selection) {
  if (!selection.name.empty()) NPUPROF_RETURN_IF_ERROR(select_by_name(answer, selection.name));
  if (!selection.sort.empty()) {
    bool is_found = false;
    for (Table& table : answer.tables) {
      const auto column = table.find(selection.sort);
      if (!column) continue;
      is_found = true;
      table.reorder(order_by(table, *column));
    }
    if (!is_found) return no_such_column(answer, selection.sort);
  }
  if (selection.top && *selection.top > 0) {
    for (Table& table : answer.tables) keep_first(table, *selection.top);
  }
  return ok_status();
}

}  // namespace npuprof::answers
