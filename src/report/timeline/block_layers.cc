#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyze/block_details.h"
#include "format/device/stars_soc.h"
#include "report/timeline/nesting.h"
#include "report/timeline/sinks.h"
#include "report/timeline/unit_layers.h"
#include "trace/device/block_intervals.h"
#include "trace/device/fusion_parts.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

using format::device::FusionPart;
using trace::kNone;
using trace::Trace;

constexpr Layer kBlockLayer{"Block Detail", 34, false};
constexpr Layer kFusionLayer{"Fusion Task", 35, false};

struct ShownBlock {
  std::uint32_t task;   // Row in Tasks.
  std::uint32_t block;  // Row in BlockIntervals.
};

void describe_block(auto& event, const TimelineContext& context, const ShownBlock& shown) {
  const auto& blocks = context.trace.block_intervals();
  const auto& tasks = context.trace.tasks();
  const auto kernel = tasks.kernel[shown.task];
  event.name("Stream " + std::to_string(tasks.stream[shown.task]) + " ",
             context.view(kernel == kNone ? tasks.shown_type[shown.task]
                                          : context.trace.kernels().name[kernel]));
  event.argument(argument::kStream, tasks.stream[shown.task]);
  event.argument(argument::kTask, tasks.task[shown.task]);
  event.argument(argument::kBatch, tasks.batch[shown.task]);
  event.argument(argument::kContext, tasks.context[shown.task]);
  event.argument("Core Id", blocks.core_id[shown.block]);
}

std::string_view part_name(FusionPart part) {
  switch (part) {
    case FusionPart::kHostCpu:
      return "CPU";
    case FusionPart::kAiCpu:
      return "AICPU";
    case FusionPart::kAiCore:
      return "AICORE";
    case FusionPart::kCcuDie0:
    case FusionPart::kCcuDie1:
      return "CCU";
  }
  return "UNKNOWN";
}

void describe_part(auto& event, const Trace& trace, const trace::DeviceInfo& device,
                   std::uint32_t row) {
  const auto& parts = trace.fusion_parts();
  const auto part = static_cast<FusionPart>(parts.part[row]);
  event.name("Fusion ", part_name(part));
  event.argument(argument::kTask, parts.task[row]).argument("Acc Id", parts.accelerator[row]);
  const std::string_view type = device_type_name(device, parts.type[row]);
  event.argument(argument::kTaskType, type.empty() ? "UNKNOWN" : type);
  event.argument("Fusion Task Type", part_name(part));
  if (part != FusionPart::kCcuDie0 && part != FusionPart::kCcuDie1) return;
  event.argument("Mission Id", parts.mission[row]);
  event.argument("Ccu Die Id", part == FusionPart::kCcuDie0 ? 0 : 1);
}

}  // namespace

template <typename Sink>
void write_block_layer(const TimelineContext& context, const trace::DeviceInfo& device,
                       Sink& sink) {
  if (!context.options.shows(kBlockLayer.name)) return;
  const auto& blocks = context.trace.block_intervals();
  if (blocks.size() == 0) return;
  const auto shown = std::make_shared<std::vector<ShownBlock>>();
  LaneSlices slices;
  for (const analyze::BlockExtremes& extremes : analyze::block_extremes(context.trace, device.id)) {
    for (std::size_t i = 0; i < extremes.blocks.size(); ++i) {
      const std::uint32_t block = extremes.blocks[i];
      if (block == kNone) continue;
      shown->push_back({extremes.task, block});
      slices.add(i + 1, blocks.start_ns[block], blocks.end_ns[block]);
    }
  }
  if (shown->empty()) return;
  const std::uint64_t pid = context.pid(kBlockLayer, device.id);
  sink.layer(kBlockLayer, pid, device.id);
  write_lanes(sink, pid, std::move(slices),
              {{1, "AIC Earliest"}, {2, "AIC Latest"}, {3, "AIV Earliest"}, {4, "AIV Latest"}},
              [&context, shown](auto& event, std::size_t i) {
                describe_block(event, context, (*shown)[i]);
              });
}

template <typename Sink>
void write_fusion_layer(const TimelineContext& context, const trace::DeviceInfo& device,
                        Sink& sink) {
  if (!context.options.shows(kFusionLayer.name)) return;
  constexpr std::uint64_t kLane = 0;
  const auto& parts = context.trace.fusion_parts();
  const auto rows = std::make_shared<std::vector<std::uint32_t>>();
  LaneSlices slices;
  for (std::uint32_t row = 0; row < parts.size(); ++row) {
    const bool is_shown =
        parts.device[row] == device.id && parts.start_ns[row] >= context.trace.session.begin_ns;
    if (!is_shown) continue;
    rows->push_back(row);
    slices.add(kLane, parts.start_ns[row], parts.end_ns[row]);
  }
  if (rows->empty()) return;
  const std::uint64_t pid = context.pid(kFusionLayer, device.id);
  sink.layer(kFusionLayer, pid, device.id);
  write_lanes(sink, pid, std::move(slices), {{kLane, "Fusion Task"}},
              [&context, &device, rows](auto& event, std::size_t i) {
                describe_part(event, context.trace, device, (*rows)[i]);
              });
}

#define NPUPROF_INSTANTIATE(Sink)                                                           \
  template void write_block_layer(const TimelineContext&, const trace::DeviceInfo&, Sink&); \
  template void write_fusion_layer(const TimelineContext&, const trace::DeviceInfo&, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
