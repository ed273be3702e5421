#include "analyze/module_frames.h"

#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::analyze {

using trace::kNone;

std::optional<std::string_view> module_of_frame(std::string_view frame) {
  constexpr std::string_view kPyTorch = "nn.Module: ";
  constexpr std::string_view kMindSpore = "):nn.Cell.";
  if (frame.starts_with(kPyTorch)) return frame.substr(kPyTorch.size());
  const std::size_t cell = frame.find(kMindSpore);
  if (cell == std::string_view::npos) return std::nullopt;
  const std::string_view name = frame.substr(cell + kMindSpore.size());
  return name.substr(0, name.rfind('.'));
}

HandedWork::HandedWork(const trace::Trace& trace) : trace_(trace) {
  const trace::FlowMarks& marks = trace.flow_marks();
  if (marks.size() == 0) return;
  mark_of_op_.assign(trace.framework_ops().size(), kNone);
  for (std::uint32_t mark = 0; mark < marks.size(); ++mark) {
    if (marks.to[mark] != kNone) mark_of_op_[marks.to[mark]] = mark;
  }
}

std::uint32_t HandedWork::mark_above(std::uint32_t op) const {
  if (mark_of_op_.empty()) return kNone;
  for (; op != kNone; op = trace_.framework_ops().parent[op]) {
    if (mark_of_op_[op] != kNone) return mark_of_op_[op];
  }
  return kNone;
}

std::uint32_t HandedWork::from_of(std::uint32_t mark) const {
  return trace_.flow_marks().from[mark];
}

}  // namespace npuprof::analyze
