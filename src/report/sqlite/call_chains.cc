#include "report/sqlite/call_chains.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "format/results/framework_columns.h"
#include "report/tables/stored_table.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::report::sqlite {
namespace {

namespace frame = format::results::pytorch_callchains;

struct FrameRow {
  std::size_t chain;
  std::int64_t text;
  std::size_t depth;
};
constexpr auto kFrameTable =
    stored_table(frame::kTable,  //
                 column(frame::kId, &FrameRow::chain), column(frame::kFrame, &FrameRow::text),
                 column(frame::kDepth, &FrameRow::depth));

}  // namespace

CallChains::CallChains(const trace::Trace& trace, DatabaseStrings& strings) : trace_(trace) {
  const auto& ops = trace.framework_ops();
  id_of_op_.assign(ops.size(), -1);
  // Those of MindSpore are taken from the calls of Python, which the database has.
  if (trace.session.framework == trace::Framework::kMindSpore) return;
  frames_of_string_.resize(trace.strings.size());
  std::uint64_t rows = 0;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    if (ops.stack[op] == kEmptyString) continue;
    id_of_op_[op] = static_cast<std::int32_t>(stack_of_id_.size());
    stack_of_id_.push_back(ops.stack[op]);
    first_row_.push_back(rows);
    rows += take_apart(ops.stack[op], strings).count;
  }
  first_row_.push_back(rows);
}

const CallChains::Frames& CallChains::take_apart(StringId stack, DatabaseStrings& strings) {
  Frames& frames = frames_of_string_[to_index(stack)];
  if (frames.count > 0) return frames;
  frames.begin = static_cast<std::uint32_t>(frames_.size());
  for (const std::string_view text : split(trace_.strings.view(stack), ';')) {
    frames_.push_back(strings.id(text));
  }
  frames.count = static_cast<std::uint32_t>(frames_.size()) - frames.begin;
  return frames;
}

void CallChains::write(BulkDatabase& database) const {
  if (stack_of_id_.empty()) return;
  database.table(
      schema_of<kFrameTable>(first_row_), first_row_.back(),
      [&](RowSink& sink, std::size_t first, std::size_t last) {
        auto id = static_cast<std::size_t>(
            std::upper_bound(first_row_.begin(), first_row_.end(), first) - first_row_.begin() - 1);
        for (std::size_t i = first; i < last; ++i) {
          while (first_row_[id + 1] <= i) ++id;
          const std::size_t depth = i - first_row_[id];
          const Frames& frames = frames_of_string_[to_index(stack_of_id_[id])];
          const FrameRow row{id, frames_[frames.begin + depth], depth};
          put_row<kFrameTable>(sink, first_row_, row);
        }
      });
}

}  // namespace npuprof::report::sqlite
