#include "report/timeline/unit_layers.h"

#include "report/chrome_trace/json_timeline.h"
#include "report/perfetto/perfetto_timeline.h"

namespace npuprof::report {

template <typename Sink>
void write_unit_layers(const TimelineContext& context, const trace::DeviceInfo& device,
                       Sink& sink) {
  write_ccu_layer(context, device, sink);
  write_block_layer(context, device, sink);
  write_fusion_layer(context, device, sink);
  write_pipe_layer(context, device, sink);
  write_instruction_layers(context, device, sink);
}

template void write_unit_layers(const TimelineContext&, const trace::DeviceInfo&, JsonTimeline&);
template void write_unit_layers(const TimelineContext&, const trace::DeviceInfo&,
                                PerfettoTimeline&);

}  // namespace npuprof::report
