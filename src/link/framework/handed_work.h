#pragma once

// MindSpore runs an operator on several threads, one after the other.

#include <cstdint>
#include <vector>

#include "link/time_order.h"
#include "trace/trace.h"

namespace npuprof::link {

// Where a program asked for an operator.
struct CallPlace {
  std::size_t thread = ThreadOrder::kNoThread;
  std::int64_t time_ns = 0;
};

// Finds the marks at which the work of an operator was handed on.
class HandedWork {
 public:
  // Keeps a reference. Needs flow_marks.from and flow_marks.to, and the op tree.
  explicit HandedWork(const trace::Trace& trace);

  // Rows of FlowMarks, the last handover first, until visit(mark) is true.
  template <typename Visit>
  void for_each_mark(std::uint32_t op, Visit visit) const {
    // More threads than ever hand work on; damaged flows may go round in circles.
    constexpr int kMostHandovers = 8;
    for (int i = 0; i < kMostHandovers; ++i) {
      const std::uint32_t mark = mark_above(op);
      if (mark == trace::kNone || visit(mark)) return;
      op = from_of(mark);
    }
  }

  // Where the operator ran if that is one of these threads, else the last of them to hand it on.
  CallPlace called_on(std::uint32_t op, const ThreadOrder& threads) const;

 private:
  // The mark of the innermost operator from this one outwards that has one.
  std::uint32_t mark_above(std::uint32_t op) const;
  std::uint32_t from_of(std::uint32_t mark) const;

  const trace::Trace& trace_;
  std::vector<std::uint32_t> mark_of_op_;  // Empty without flows.
};

}  // namespace npuprof::link
