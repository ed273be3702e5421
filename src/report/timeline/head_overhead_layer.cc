#include "report/timeline/head_overhead_layer.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyze/graph_parts.h"
#include "report/chrome_trace/json_timeline.h"
#include "report/perfetto/perfetto_timeline.h"
#include "report/timeline/nesting.h"

namespace npuprof::report {
namespace {

using analyze::GraphExecution;
using analyze::GraphPart;

constexpr Layer kHeadOverheadLayer{kHeadOverheadLayerName, 3, true};

// A slice: an execution as a whole, or a part of it.
struct HeadSlice {
  std::size_t execution;
  std::string_view part;  // Empty for the whole.
};

struct HeadSlices {
  std::vector<GraphExecution> executions;
  std::vector<HeadSlice> rows;
  LaneSlices places;
  std::map<std::uint64_t, std::string> lanes;

  void add(std::size_t execution, std::string_view part, std::int64_t start_ns,
           std::int64_t end_ns) {
    rows.push_back({execution, part});
    places.add(executions[execution].tid, start_ns, end_ns);
  }
};

void add_slices(HeadSlices& slices) {
  for (std::size_t i = 0; i < slices.executions.size(); ++i) {
    const std::vector<GraphPart> parts = analyze::graph_parts(slices.executions[i]);
    if (parts.empty()) continue;
    const std::uint32_t tid = slices.executions[i].tid;
    slices.lanes.try_emplace(tid, "Thread " + std::to_string(tid));
    slices.add(i, {}, parts.front().start_ns, parts.back().end_ns);
    for (const GraphPart& part : parts) slices.add(i, part.name, part.start_ns, part.end_ns);
  }
}

void describe_execution(auto& event, const GraphExecution& execution) {
  event.name("Graph ", execution.group).category("head_overhead");
  event.argument("Call", execution.call);
  event.argument("State", execution.is_cold() ? "cold" : "warm");
  event.argument("Front end", execution.is_exact() ? "exact" : "upper bound");
}

}  // namespace

template <typename Sink>
void write_head_overhead_layer(const TimelineContext& context, Sink& sink) {
  if (!context.options.shows(kHeadOverheadLayerName)) return;
  const auto slices = std::make_shared<HeadSlices>();
  slices->executions = analyze::head_overhead(context.trace).executions;
  add_slices(*slices);
  if (slices->rows.empty()) return;
  const std::uint64_t pid = context.pid(kHeadOverheadLayer, 0);
  sink.layer(kHeadOverheadLayer, pid, 0);
  LaneSlices places = std::move(slices->places);
  write_lanes(sink, pid, std::move(places), slices->lanes, [slices](auto& event, std::size_t i) {
    const HeadSlice& row = slices->rows[i];
    if (row.part.empty()) {
      describe_execution(event, slices->executions[row.execution]);
    } else {
      event.name(row.part).category("head_overhead");
    }
  });
}

template void write_head_overhead_layer(const TimelineContext&, JsonTimeline&);
template void write_head_overhead_layer(const TimelineContext&, PerfettoTimeline&);

}  // namespace npuprof::report
