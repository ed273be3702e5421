// What users write to choose rows, ranks, steps and checks, and lines of the SQL prompt.

#include <string>
#include <string_view>
#include <utility>

#include "answers/advisor_answer.h"
#include "answers/name_expression.h"
#include "answers/option_values.h"
#include "answers/selection.h"
#include "base/text.h"
#include "fuzz/input.h"
#include "query/sql_session.h"

namespace npuprof::fuzz {
namespace {

answers::Answer some_rows() {
  answers::Table table("rows", "Rows");
  table.text("name", "Name");
  table.integer("count", "Count");
  table.real("ratio", "Ratio");
  table.row("aten::mm", 3, 0.5);
  table.row("MatMulV3", -1, 1e300);
  table.add("").skip().skip();
  answers::Answer answer;
  answer.tables.push_back(std::move(table));
  return answer;
}

// The first byte says where the expression ends and a name begins.
void expressions(Bytes data) {
  if (data.empty()) return;
  const std::string_view text = as_text(data.subspan(1));
  const std::size_t cut = std::to_integer<std::size_t>(data[0]) % (text.size() + 1);
  answers::NameExpression expression;
  if (!expression.compile(std::string(text.substr(0, cut))).ok()) return;
  use(expression.is_in(text.substr(cut)) ? 1 : 0);
}

void selections(Bytes data) {
  if (data.empty()) return;
  const std::string_view text = as_text(data.subspan(1));
  const std::size_t cut = std::to_integer<std::size_t>(data[0]) % (text.size() + 1);
  answers::Answer answer = some_rows();
  const answers::Selection selection{.name = std::string(text.substr(0, cut)),
                                     .sort = std::string(text.substr(cut)),
                                     .top = std::to_integer<std::size_t>(data[0]) % 4};
  if (answers::select_rows(answer, selection).ok()) require(answer.tables[0].size() <= 3);
}

void numbers(Bytes data) {
  const std::string_view text = as_text(data);
  if (const auto ranks = answers::read_ranks(text)) require(!ranks->empty());
  if (const auto steps = answers::read_step_ranges(text)) {
    for (const analyze::StepRange& range : *steps) require(0 <= range.first);
    for (const analyze::StepRange& range : *steps) require(range.first <= range.last);
  }
  if (const auto range = answers::read_range(text)) require(range->first <= range->second);
  if (const auto share = answers::read_share(text)) require(*share >= 0 && *share <= 100);
}

void silenced(Bytes data) {
  const auto names = answers::silenced_checks(as_text(data));
  if (names.ok()) use(names->size());
}

// A prompt asks whether what it has is whole after each line.
void prompt_lines(Bytes data) {
  std::string pending;
  for (const std::string_view line : split(as_text(data), '\n')) {
    pending += line;
    pending += '\n';
    if (query::is_complete_statement(pending)) pending.clear();
  }
}

constexpr Decoder kDecoders[] = {expressions, selections, numbers, silenced, prompt_lines};

}  // namespace
}  // namespace npuprof::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return npuprof::fuzz::run_one(npuprof::fuzz::kDecoders, data, size);
}
