#include "load/mindspore/range_details.h"

#include "format/mindspore/op_range.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/mindspore_ops.h"

namespace npuprof::load {

namespace mindspore = format::mindspore;

void append_range_details(std::string_view custom_info, trace::Trace& trace) {
  trace::MindSporeOps& details = trace.mindspore_ops();
  const auto op = static_cast<std::uint32_t>(trace.framework_ops().size() - 1);
  const auto parts =
      mindspore::split_event_name(trace.strings.view(trace.framework_ops().name[op]));
  const StringId module = trace.strings.intern(parts.module);
  const StringId event = trace.strings.intern(parts.event);
  const StringId brief_name = trace.strings.intern(mindspore::brief_name(parts.full_name));
  details.op.push_back(op);
  details.flow.push_back(mindspore::kNoFlow);
  details.module.push_back(module);
  details.event.push_back(event);
  details.brief_name.push_back(brief_name);
  details.custom_info.push_back(trace.strings.intern(custom_info));
}

void append_flow(std::uint64_t flow, std::int64_t time_ns, std::uint32_t pid, std::uint32_t tid,
                 std::uint32_t to_op, trace::Trace& trace) {
  trace.mindspore_ops().flow[to_op] = flow;
  trace::FlowMarks& marks = trace.flow_marks();
  const std::size_t row = marks.size();
  resize_rows(marks, row + 1);
  marks.start_ns[row] = time_ns;
  marks.end_ns[row] = time_ns;
  marks.pid[row] = pid;
  marks.tid[row] = tid;
  marks.flow[row] = flow;
  marks.from[row] = trace::kNone;
  marks.to[row] = trace::kNone;
}

}  // namespace npuprof::load
