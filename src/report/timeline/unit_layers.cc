#include "report/timeline/unit_layers.h"

#include "report/timeline/sinks.h"

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

#define NPUPROF_INSTANTIATE(Sink) \
  template void write_unit_layers(const TimelineContext&, const trace::DeviceInfo&, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
