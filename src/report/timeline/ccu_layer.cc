#include <memory>
#include <vector>

#include "analyze/ccu_events.h"
#include "report/ccu_arguments.h"
#include "report/timeline/nesting.h"
#include "report/timeline/sinks.h"
#include "report/timeline/unit_layers.h"
#include "trace/device/ccu_missions.h"

namespace npuprof::report {
namespace {

constexpr Layer kCcuLayer{"CCU", 30, false};

}  // namespace

template <typename Sink>
void write_ccu_layer(const TimelineContext& context, const trace::DeviceInfo& device, Sink& sink) {
  if (!context.options.shows(kCcuLayer.name)) return;
  auto events = analyze::ccu_events(context.trace);
  std::erase_if(events, [&](const analyze::CcuEvent& event) {
    return context.trace.ccu_missions().device[event.mission] != device.id;
  });
  if (events.empty()) return;
  constexpr std::uint64_t kLane = 0;
  LaneSlices slices;
  for (const auto& event : events) slices.add(kLane, event.start_ns, event.end_ns);
  const std::uint64_t pid = context.pid(kCcuLayer, device.id);
  sink.layer(kCcuLayer, pid, device.id);
  const auto shown = std::make_shared<const std::vector<analyze::CcuEvent>>(std::move(events));
  write_lanes(sink, pid, std::move(slices), {{kLane, "Communication"}},
              [&context, shown](auto& event, std::size_t i) {
                event.name(ccu_event_name((*shown)[i]));
                put_ccu_arguments(event, context.trace, (*shown)[i], kCcuMegabytes);
              });
}

#define NPUPROF_INSTANTIATE(Sink) \
  template void write_ccu_layer(const TimelineContext&, const trace::DeviceInfo&, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
