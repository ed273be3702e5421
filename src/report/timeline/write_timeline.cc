#include "report/timeline/write_timeline.h"

#include "report/chrome_trace/json_timeline.h"
#include "report/perfetto/perfetto_timeline.h"
#include "report/timeline/cann_layers.h"
#include "report/timeline/counter_layers.h"
#include "report/timeline/framework_layer.h"
#include "report/timeline/mindspore_layers.h"
#include "report/timeline/unit_layers.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_ranges.h"

namespace npuprof::report {

template <typename Sink>
Status write_timeline(const trace::Trace& trace, const TimelineOptions& options, Sink& sink) {
  const TimelineContext context(trace, options);
  const bool has_framework = trace.framework_ops().size() > 0 || trace.enqueues().size() > 0;
  const bool is_mindspore = trace.session.framework == trace::Framework::kMindSpore;
  if (options.framework && is_mindspore) {
    write_mindspore_layers(context, sink);
  } else if (options.framework && has_framework) {
    write_framework_layer(context, sink);
  }
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
  write_counter_layers(context, sink);
  if (options.framework && is_mindspore) write_scope_layer(context, sink);
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

template Status write_timeline(const trace::Trace&, const TimelineOptions&, JsonTimeline&);
template Status write_timeline(const trace::Trace&, const TimelineOptions&, PerfettoTimeline&);
template Status write_step_trace_timeline(const trace::Trace&, JsonTimeline&);
template Status write_mark_timeline(const trace::Trace&, JsonTimeline&);

}  // namespace npuprof::report
