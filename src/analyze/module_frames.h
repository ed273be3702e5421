#pragma once

// What frames of Python and flows of MindSpore tell of modules.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace npuprof::analyze {

// The name of the module whose call a frame is: "Linear" of "nn.Module: Linear", and of MindSpore's
// "cell.py(12):nn.Cell.Linear.__call__". Nothing for other frames.
std::optional<std::string_view> module_of_frame(std::string_view frame);

// MindSpore runs an operator on several threads, one after the other. Finds the marks at which the
// work of an operator was handed on.
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

 private:
  // The mark of the innermost operator from this one outwards that has one.
  std::uint32_t mark_above(std::uint32_t op) const;
  std::uint32_t from_of(std::uint32_t mark) const;

  const trace::Trace& trace_;
  std::vector<std::uint32_t> mark_of_op_;  // Empty without flows.
};

}  // namespace npuprof::analyze
