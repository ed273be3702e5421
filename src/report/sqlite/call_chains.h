#pragma once

// The table of call stacks: one row for each frame of each operator's stack. Operators share few
// different stacks, so a stack is taken apart once and rows are made when they are written.

#include <cstdint>
#include <vector>

#include "report/sqlite/bulk_database.h"
#include "report/sqlite/database_strings.h"
#include "trace/trace.h"

namespace npuprof::report::sqlite {

class CallChains {
 public:
  CallChains(const trace::Trace& trace, DatabaseStrings& strings);

  // The id of the operator's stack in the table, -1 = it has none.
  std::int64_t id_of(std::size_t op) const { return id_of_op_[op]; }

  // PYTORCH_CALLCHAINS; nothing if no operator has a stack.
  void write(BulkDatabase& database) const;

 private:
  struct Frames {
    std::uint32_t begin = 0;  // In frames_.
    std::uint32_t count = 0;  // 0 = not taken apart yet.
  };

  const Frames& take_apart(StringId stack, DatabaseStrings& strings);

  const trace::Trace& trace_;
  std::vector<std::int64_t> frames_;      // String ids of the frames of all stacks.
  std::vector<Frames> frames_of_string_;  // By string id of the trace.
  std::vector<std::int32_t> id_of_op_;    // By row of FrameworkOps.
  std::vector<StringId> stack_of_id_;
  std::vector<std::uint64_t> first_row_;  // Of each id in the table, and one more.
};

}  // namespace npuprof::report::sqlite
