// Collectives and their tasks: the part of EventRows that reads the layer Communication.

#include <string_view>

#include "base/units.h"
#include "format/host/enumerations.h"
#include "load/chrome_trace/event_rows.h"
#include "load/number_of_name.h"
#include "load/shown_text.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::load {

namespace collective_argument = format::results::collective_argument;

using format::host::hccl_data_type_from_name;
using trace::kNone;

void EventRows::add_communication(const Event& event, const EventPlace& place,
                                  std::uint16_t device) {
  const Lanes::GroupLane lane = lanes_.group_lane(place.pid, place.tid);
  if (lane.is_whole) {
    add_collective(event, place, device, lane);
  } else {
    add_part(event, place, device, lane);
  }
}

void EventRows::add_collective(const Event& event, const EventPlace& place, std::uint16_t device,
                               const Lanes::GroupLane& lane) {
  trace::CollectiveOps& ops = rows_.tables.collective_ops();
  // hcom_allReduce__967_0_1 is of type hcom_allReduce_, Default/AllReduce-op5_0 of AllReduce.
  const std::size_t type_end = event.name.find("__");
  const std::string_view type = type_end != std::string_view::npos
                                    ? event.name.substr(0, type_end + 1)
                                    : type_of_node(event.name);
  const RankGroup group = rank_group(lane.group, rows_.tables.strings);
  ops.start_ns.push_back(place.start_ns);
  ops.end_ns.push_back(place.end_ns);
  ops.device.push_back(device);
  ops.name.push_back(intern(event.name));
  ops.type.push_back(intern(type));
  ops.api.push_back(kNone);
  ops.group.push_back(group.id);
  ops.group_name.push_back(group.name);
  ops.relay.push_back(event.text(collective_argument::kRelay) == collective_argument::kYes ? 1 : 0);
  ops.retry.push_back(event.text(collective_argument::kRetry) == collective_argument::kYes ? 1 : 0);
  ops.data_type.push_back(
      hccl_data_type_from_name(event.text(collective_argument::kDataType)).value_or(kNone));
  ops.algorithm.push_back(intern(known_text(event.text(collective_argument::kAlgorithm))));
  ops.count.push_back(
      static_cast<std::uint64_t>(event.integer(collective_argument::kCount).value_or(0)));
  ops.rank_size.push_back(event.number(collective_argument::kRankCount, 0));
  ops.model_id.push_back(event.number(collective_argument::kModel, kNone));
  ops.tid.push_back(0);
  rows_.collective_ids.connection.push_back(connection_of(event));
  rows_.collective_ids.pid.push_back(place.pid);
  rows_.collective_ids.tid.push_back(place.tid);
}

void EventRows::add_part(const Event& event, const EventPlace& place, std::uint16_t device,
                         const Lanes::GroupLane& lane) {
  trace::CollectiveTasks& parts = rows_.tables.collective_tasks();
  const std::string_view type = event.text(collective_argument::kTaskType);
  const auto number = [&](std::string_view key, auto name_of) {
    return number_of_name(event.text(key), name_of, kNone);
  };
  parts.op.push_back(kNone);
  parts.task.push_back(kNone);
  parts.start_ns.push_back(place.start_ns);
  parts.end_ns.push_back(place.end_ns);
  parts.name.push_back(intern(type.empty() ? event.name : type));
  parts.tag.push_back(kEmptyString);
  parts.group.push_back(rank_group(lane.group, rows_.tables.strings).id);
  parts.is_master.push_back(lane.plane == 0 ? 1 : 0);
  parts.plane.push_back(lane.plane);
  parts.notify_id.push_back(
      static_cast<std::uint64_t>(event.integer(collective_argument::kNotify).value_or(-1)));
  parts.rdma_type.push_back(kNone);
  parts.source_rank.push_back(event.number(collective_argument::kSourceRank, kNone));
  parts.destination_rank.push_back(event.number(collective_argument::kDestinationRank, kNone));
  parts.transport_type.push_back(
      number(collective_argument::kTransport, format::host::hccl_transport_type_name));
  parts.size_bytes.push_back(
      static_cast<std::uint64_t>(event.integer(collective_argument::kBytes).value_or(0)));
  parts.data_type.push_back(
      hccl_data_type_from_name(event.text(collective_argument::kPartDataType)).value_or(kNone));
  parts.link_type.push_back(number(collective_argument::kLink, format::host::hccl_link_type_name));
  parts.stage.push_back(0);
  parts.estimated_us.push_back(event.real(collective_argument::kEstimated));
  parts.bandwidth_gb_s.push_back(event.real(collective_argument::kBandwidth));
  PartIds& ids = rows_.part_ids;
  ids.device.push_back(device);
  ids.stream.push_back(event.number(collective_argument::kStream, kNone));
  ids.task.push_back(event.number(collective_argument::kTask, kNone));
  ids.context.push_back(event.number(collective_argument::kContext, kNone));
  ids.model_id.push_back(event.number(collective_argument::kModel, kNone));
}

}  // namespace npuprof::load
