#include "analyze/iteration_steps.h"

#include <algorithm>

#include "analyze/serving.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"

namespace npuprof::analyze {

Status make_steps_of_iterations(trace::Trace& trace) {
  const Serving found = serving(trace);
  if (found.iterations.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "nothing in the profile tells iterations apart: no ranges named prefill or "
                 "decode, no steps or graphs with attention kernels; leave out --iterations"};
  }
  trace::Steps steps;
  for (const ServingIteration& iteration : found.iterations) {
    const std::int64_t end_ns = iteration.device_end_ns.value_or(iteration.end_ns);
    steps.id.push_back(iteration.number);
    steps.host_start_ns.push_back(iteration.start_ns);
    steps.host_end_ns.push_back(iteration.end_ns);
    steps.device_start_ns.push_back(iteration.device_start_ns.value_or(iteration.start_ns));
    steps.device_end_ns.push_back(std::max(iteration.end_ns, end_ns));
    steps.has_kernels.push_back(iteration.kernels > 0 ? 1 : 0);
    steps.op.push_back(trace::kNone);
  }
  trace.steps() = std::move(steps);
  return ok_status();
}

}  // namespace npuprof::analyze
