#include "analyze/mindspore_launches.h"

#include "format/mindspore/op_range.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {

std::vector<std::uint32_t> mindspore_launches(const trace::Trace& trace) {
  if (trace.session.framework != trace::Framework::kMindSpore) return {};
  std::vector<std::uint32_t> launches(trace.tasks().size(), trace::kNone);
  const trace::KernelOps& pairs = trace.kernel_ops();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const StringId name = trace.framework_ops().name[pairs.op[i]];
    if (!format::mindspore::is_launch_name(trace.strings.view(name))) continue;
    launches[pairs.task[i].number()] = pairs.op[i].number();
  }
  return launches;
}

}  // namespace npuprof::analyze
