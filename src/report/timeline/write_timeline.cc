#include "report/timeline/write_timeline.h"

#include "report/timeline/cann_layers.h"
#include "report/timeline/counter_layers.h"
#include "report/timeline/framework_layer.h"
#include "report/timeline/head_overhead_layer.h"
#include "report/timeline/mindspore_layers.h"
#include "report/timeline/sinks.h"
#include "report/timeline/unit_layers.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_ranges.h"

namespace npuprof::report {

template <typename Sink>
void write_layers(const TimelineContext& context, const std::vector<analyze::Samples>& samples,
                  Sink& sink) {
  const trace::Trace& trace = context.trace;
  const TimelineOptions& options = context.options;
  const bool has_framework = trace.framework_ops().size() > 0 || trace.enqueues().size() > 0;
  const bool is_mindspore = trace.session.framework == trace::Framework::kMindSpore;
  if (options.framework && is_mindspore) {
    write_mindspore_layers(context, sink);
  } else if (options.framework && has_framework) {
    write_framework_layer(context, sink);
  }
  if (options.framework) write_head_overhead_layer(context, sink);
  for (const trace::DeviceInfo& device : trace.devices) {
    write_hardware_layer(context, device.id, sink);
    write_step_trace_layer(context, device.id, sink);
  }
  write_call_layer(context, sink);
  for (const trace::DeviceInfo& device : trace.devices) {
    write_communication_layer(context, device.id, sink);
  }
  for (const trace::DeviceInfo& device : trace.devices) {
    write_overlap_layer(context, device.id, sink);
  }
  for (const trace::DeviceInfo& device : trace.devices) {
    write_unit_layers(context, device, sink);
  }
  write_dpu_layers(context, sink);
  write_mark_layer(context, sink);
  write_os_call_layer(context, sink);
  write_counter_layers(context, samples, sink);
  if (options.framework && is_mindspore) write_scope_layer(context, sink);
}

template <typename Sink>
Status write_timeline(const analyze::SharedResults& results, const TimelineOptions& options,
                      Sink& sink) {
  const TimelineContext context(results.trace(), options);
  write_layers(context, results.samples(), sink);
  return sink.close();
}

template <typename Sink>
Status write_step_trace_timeline(const trace::Trace& trace, Sink& sink) {
  const TimelineContext context(trace, {.framework = false});
  for (const trace::DeviceInfo& device : trace.devices) {
    write_step_trace_layer(context, device.id, sink);
  }
  return sink.close();
}

template <typename Sink>
Status write_mark_timeline(const trace::Trace& trace, Sink& sink) {
  TimelineContext context(trace, {.framework = false});
  context.shown_tasks.clear();
  write_mark_layer(context, sink);
  for (const trace::DeviceInfo& device : trace.devices) {
    write_hardware_layer(context, device.id, sink);
  }
  return sink.close();
}

template void write_layers(const TimelineContext&, const std::vector<analyze::Samples>&,
                           LaneTimeline&);
template Status write_timeline(const analyze::SharedResults&, const TimelineOptions&,
                               JsonTimeline&);
template Status write_timeline(const analyze::SharedResults&, const TimelineOptions&,
                               PerfettoTimeline&);
template Status write_step_trace_timeline(const trace::Trace&, JsonTimeline&);
template Status write_mark_timeline(const trace::Trace&, JsonTimeline&);

}  // namespace npuprof::report
