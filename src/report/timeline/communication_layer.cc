#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "format/host/enumerations.h"
#include "format/results/overlap_names.h"
#include "report/timeline/cann_layers.h"
#include "report/timeline/nesting.h"
#include "report/timeline/sinks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {

namespace collective_argument = format::results::collective_argument;
namespace lane = format::results::lane;
namespace {

using trace::kNone;
using trace::Trace;

struct Group {
  StringId name{};           // What its lane is called.
  std::uint32_t planes = 0;  // How many it has.
  std::uint64_t tid = 0;     // Of its operators; the planes follow.
};

// What is shown of one device: collectives, then their parts.
struct CommunicationRows {
  std::map<StringId, Group> groups;
  std::vector<std::uint32_t> ops;
  std::vector<std::uint32_t> parts;
  std::vector<std::uint64_t> tid;
  std::map<std::uint64_t, std::uint32_t> last_track;  // By tid.
};

void find_groups(const TimelineContext& context, std::uint16_t device, CommunicationRows& rows) {
  const auto& ops = context.trace.collective_ops();
  const auto& parts = context.trace.collective_tasks();
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (ops.device[i] != device) continue;
    rows.ops.push_back(i);
    const bool named = ops.group_name[i] != kEmptyString;
    rows.groups.try_emplace(ops.group[i], Group{named ? ops.group_name[i] : ops.group[i]});
  }
  if (context.options.host_calls) {
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      const auto op = parts.op[i];
      if (ops.device[op] != device || parts.plane[i] == kNone) continue;
      rows.parts.push_back(i);
      std::uint32_t& planes = rows.groups[ops.group[op]].planes;
      planes = std::max(planes, parts.plane[i] + 1);
    }
  }
  std::uint64_t next_tid = 0;
  for (auto& [id, group] : rows.groups) {
    group.tid = next_tid;
    next_tid += 1 + group.planes;
  }
}

void find_lanes(const Trace& trace, CommunicationRows& rows) {
  const auto& ops = trace.collective_ops();
  const auto& parts = trace.collective_tasks();
  LaneSlices slices;
  for (const std::uint32_t op : rows.ops) {
    slices.add(rows.groups.at(ops.group[op]).tid, ops.start_ns[op], ops.end_ns[op]);
  }
  for (const std::uint32_t part : rows.parts) {
    const Group& group = rows.groups.at(ops.group[parts.op[part]]);
    slices.add(group.tid + 1 + parts.plane[part], parts.start_ns[part], parts.end_ns[part]);
  }
  const std::vector<std::uint32_t> tracks = overlap_tracks(slices);
  rows.tid.resize(tracks.size());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    rows.tid[i] = overlap_tid(slices.lane[i], tracks[i]);
    std::uint32_t& last = rows.last_track[slices.lane[i]];
    last = std::max(last, tracks[i]);
  }
}

template <typename Sink>
void declare_lanes(const TimelineContext& context, CommunicationRows& rows, std::uint64_t pid,
                   Sink& sink) {
  for (const auto& [id, group] : rows.groups) {
    const std::string name(result_text(context.view(group.name)));
    declare_lane(sink, pid, group.tid,
                 std::string(lane::kGroup) + name + " " + std::string(lane::kWhole),
                 rows.last_track[group.tid]);
    for (std::uint32_t plane = 0; plane < group.planes; ++plane) {
      const std::uint64_t tid = group.tid + 1 + plane;
      declare_lane(sink, pid, tid, std::string(lane::kPlane) + std::to_string(plane),
                   rows.last_track[tid]);
    }
  }
}

void describe_collective(auto& event, const TimelineContext& context, std::uint32_t i) {
  const auto& ops = context.trace.collective_ops();
  event.name(context.view(ops.name[i]));
  event.argument(collective_argument::kRankCount, ops.rank_size[i]);
  event.argument(argument::kConnection, connection_id(ops.api[i]))
      .argument(collective_argument::kModel, ops.model_id[i]);
  event.argument(collective_argument::kDataType,
                 format::host::hccl_data_type_name(ops.data_type[i]));
  event.argument(collective_argument::kAlgorithm, result_text(context.view(ops.algorithm[i])))
      .argument(collective_argument::kCount, ops.count[i]);
  event.argument(collective_argument::kRelay, ops.relay[i] != 0 ? collective_argument::kYes : "no");
  event.argument(collective_argument::kRetry, ops.retry[i] != 0 ? collective_argument::kYes : "no");
  if (context.options.shows_calls() && context.has_launch_arrow(ops, i)) {
    event.arrow_in(ArrowKind::kLaunch, collective_arrow_id(ops.api[i]));
  }
}

void describe_collective_part(auto& event, const TimelineContext& context, std::uint32_t i) {
  const auto& parts = context.trace.collective_tasks();
  const auto& tasks = context.trace.tasks();
  const auto task = parts.task[i];
  const std::string_view name = context.view(parts.name[i]);
  char digits[kMaxIntegerChars];
  const char* end = write_unsigned(digits, parts.notify_id[i]);
  event.name(name);
  event.argument(collective_argument::kNotify,
                 std::string_view(digits, static_cast<std::size_t>(end - digits)));
  event.argument(collective_argument::kEstimated, parts.estimated_us[i]);
  event.argument(collective_argument::kStream, tasks.stream[task])
      .argument(collective_argument::kTask, tasks.task[task]);
  event.argument(collective_argument::kContext, tasks.context[task])
      .argument(collective_argument::kTaskType, name);
  event.argument(collective_argument::kSourceRank, parts.source_rank[i])
      .argument(collective_argument::kDestinationRank, parts.destination_rank[i]);
  event.argument(collective_argument::kTransport,
                 format::host::hccl_transport_type_name(parts.transport_type[i]));
  event.argument(collective_argument::kBytes, parts.size_bytes[i]);
  event.argument(collective_argument::kPartDataType,
                 format::host::hccl_data_type_name(parts.data_type[i]));
  event.argument(collective_argument::kLink, format::host::hccl_link_type_name(parts.link_type[i]));
  event.argument(collective_argument::kBandwidth, parts.bandwidth_gb_s[i]);
  event.argument(collective_argument::kModel, tasks.model_id[task]);
}

}  // namespace

template <typename Sink>
void write_communication_layer(const TimelineContext& context, std::uint16_t device, Sink& sink) {
  if (!context.options.shows(kCommunicationLayer.name)) return;
  const auto rows = std::make_shared<CommunicationRows>();
  find_groups(context, device, *rows);
  if (rows->groups.empty()) return;
  find_lanes(context.trace, *rows);
  const std::uint64_t pid = context.pid(kCommunicationLayer, device);
  sink.layer(kCommunicationLayer, pid, device);
  declare_lanes(context, *rows, pid, sink);
  const auto& ops = context.trace.collective_ops();
  const auto& parts = context.trace.collective_tasks();
  sink.slices(
      rows->tid.size(),
      [&ops, &parts, rows, pid](std::size_t i) -> SlicePlace {
        const std::size_t count = rows->ops.size();
        if (i < count) {
          const std::uint32_t op = rows->ops[i];
          return {pid, rows->tid[i], ops.start_ns[op], ops.end_ns[op]};
        }
        const std::uint32_t part = rows->parts[i - count];
        return {pid, rows->tid[i], parts.start_ns[part], parts.end_ns[part]};
      },
      [&context, rows](auto& event, std::size_t i) {
        if (i < rows->ops.size()) {
          describe_collective(event, context, rows->ops[i]);
        } else {
          describe_collective_part(event, context, rows->parts[i - rows->ops.size()]);
        }
      });
}

template <typename Sink>
void write_overlap_layer(const TimelineContext& context, std::uint16_t device, Sink& sink) {
  using format::results::kOverlapNames;
  if (!context.options.shows(kOverlapLayer.name)) return;
  const auto& intervals = context.trace.overlap_intervals();
  if (std::find(intervals.device.begin(), intervals.device.end(), device) == intervals.device.end())
    return;
  const std::uint64_t pid = context.pid(kOverlapLayer, device);
  sink.layer(kOverlapLayer, pid, device);
  for (std::uint64_t kind = 0; kind < kOverlapNames.size(); ++kind) {
    sink.lane(pid, kind, kOverlapNames[kind].shown, kind);
  }
  sink.slices(
      intervals.size(),
      [&intervals, device, pid](std::size_t i) {
        if (intervals.device[i] != device) return kNotShown;
        return SlicePlace{pid, intervals.kind[i], intervals.start_ns[i], intervals.end_ns[i]};
      },
      [&intervals](auto& event, std::size_t i) {
        event.name(kOverlapNames[intervals.kind[i]].shown);
      });
}

#define NPUPROF_INSTANTIATE(Sink)                                                        \
  template void write_communication_layer(const TimelineContext&, std::uint16_t, Sink&); \
  template void write_overlap_layer(const TimelineContext&, std::uint16_t, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
