#include "link/framework/handed_work.h"

#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"

namespace npuprof::link {

using trace::kNone;

HandedWork::HandedWork(const trace::Trace& trace) : trace_(trace) {
  const trace::FlowMarks& marks = trace.flow_marks();
  if (marks.size() == 0) return;
  mark_of_op_.assign(trace.framework_ops().size(), kNone);
  for (std::uint32_t mark = 0; mark < marks.size(); ++mark) {
    if (marks.to[mark] != kNone) mark_of_op_[marks.to[mark]] = mark;
  }
}

CallPlace HandedWork::called_on(std::uint32_t op, const ThreadOrder& threads) const {
  const trace::FrameworkOps& ops = trace_.framework_ops();
  CallPlace place{threads.find(ops.tid[op]), ops.start_ns[op]};
  if (place.thread != ThreadOrder::kNoThread) return place;
  const trace::FlowMarks& marks = trace_.flow_marks();
  for_each_mark(op, [&](std::uint32_t mark) {
    // Results do not tell when the mark was made, only by which operator.
    const std::uint32_t from = from_of(mark);
    place = {threads.find(marks.tid[mark]),
             from == kNone ? marks.start_ns[mark] : ops.start_ns[from]};
    return place.thread != ThreadOrder::kNoThread;
  });
  return place;
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

}  // namespace npuprof::link
