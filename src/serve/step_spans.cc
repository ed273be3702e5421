#include "serve/step_spans.h"

#include <algorithm>

#include "trace/framework/steps.h"

namespace npuprof::serve {
namespace {

Span common_part(Span a, Span b) {
  return {std::max(a.begin_ns, b.begin_ns), std::min(a.end_ns, b.end_ns)};
}

}  // namespace

StepSpans StepSpans::within(Span range) const {
  return {common_part(host, range), common_part(device, range)};
}

Span StepSpans::whole() const {
  if (device.begin_ns >= device.end_ns) return host;
  return {std::min(host.begin_ns, device.begin_ns), std::max(host.end_ns, device.end_ns)};
}

std::optional<StepSpans> step_spans(const trace::Trace& trace, const LaneIndex& index,
                                    std::int64_t step) {
  const trace::Steps& steps = trace.steps();
  std::optional<StepSpans> spans;
  // The device may still work for one step when the next one begins: the first one counts.
  std::int64_t latest_end_ns = kAllTime.begin_ns;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool uses_device = steps.has_kernels[i] != 0;
    if (steps.id[i] == step) {
      spans = StepSpans{
          .host = {index.from_zero(steps.host_start_ns[i]), index.from_zero(steps.host_end_ns[i])},
          .device = {0, 0}};
      if (uses_device) {
        spans->device = {index.from_zero(std::max(steps.device_start_ns[i], latest_end_ns)),
                         index.from_zero(steps.device_end_ns[i])};
      }
    }
    if (uses_device) latest_end_ns = std::max(latest_end_ns, steps.device_end_ns[i]);
  }
  return spans;
}

}  // namespace npuprof::serve
