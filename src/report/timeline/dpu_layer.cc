#include <map>
#include <memory>
#include <string>
#include <vector>

#include "report/dpu_arguments.h"
#include "report/timeline/nesting.h"
#include "report/timeline/sinks.h"
#include "report/timeline/unit_layers.h"
#include "trace/host/dpu_tasks.h"

namespace npuprof::report {
namespace {

constexpr Layer kDpuLayer{"DPU", 8, false, "DPU"};

template <typename Sink>
void write_unit(const TimelineContext& context, std::uint16_t unit,
                const std::vector<std::uint32_t>& tasks_of_unit, Sink& sink) {
  const auto& tasks = context.trace.dpu_tasks();
  LaneSlices slices;
  std::map<std::uint64_t, std::string> lanes;
  for (const std::uint32_t row : tasks_of_unit) {
    slices.add(tasks.stream[row], tasks.start_ns[row], tasks.end_ns[row]);
    lanes.try_emplace(tasks.stream[row], "Stream " + std::to_string(tasks.stream[row]));
  }
  const std::uint64_t pid = context.pid(kDpuLayer, unit);
  sink.layer(kDpuLayer, pid, unit);
  const auto rows = std::make_shared<const std::vector<std::uint32_t>>(tasks_of_unit);
  write_lanes(sink, pid, std::move(slices), lanes, [&context, rows](auto& event, std::size_t i) {
    const std::uint32_t row = (*rows)[i];
    event.name(context.view(dpu_task_name(context.trace.dpu_tasks(), row)));
    put_dpu_arguments(event, context.trace, row, kDpuGigabytes);
  });
}

}  // namespace

template <typename Sink>
void write_dpu_layers(const TimelineContext& context, Sink& sink) {
  if (!context.options.shows(kDpuLayer.name)) return;
  const auto& tasks = context.trace.dpu_tasks();
  std::map<std::uint16_t, std::vector<std::uint32_t>> units;
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    if (tasks.start_ns[row] < context.trace.session.begin_ns) continue;
    units[tasks.unit[row]].push_back(row);
  }
  for (const auto& [unit, rows] : units) write_unit(context, unit, rows, sink);
}

#define NPUPROF_INSTANTIATE(Sink) template void write_dpu_layers(const TimelineContext&, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
