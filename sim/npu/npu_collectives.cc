#include "sim/npu/npu_collectives.h"

#include <algorithm>

#include "format/host/additional_communication.h"
#include "format/host/compact_memory.h"
#include "format/host/compact_node.h"
#include "sim/npu/runtime_calls.h"

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

namespace {

// Host time inside the interval of one task, as parts of it.
struct TaskTimes {
  explicit TaskTimes(std::int64_t begin_ns, std::int64_t length_ns)
      : library_begin_ns(begin_ns + length_ns / 12),
        runtime_begin_ns(begin_ns + length_ns / 6),
        runtime_end_ns(begin_ns + length_ns * 2 / 3),
        library_end_ns(begin_ns + length_ns * 5 / 6) {}
  std::int64_t library_begin_ns;
  std::int64_t runtime_begin_ns;
  std::int64_t runtime_end_ns;
  std::int64_t library_end_ns;
};

struct SubTaskCodes {
  host::TaskType task_type;
  device::SqeKind sqe;
  std::uint32_t runtime_api;
  host::HcclTransport transport;
  std::uint32_t rdma = host::kHcclUnset;
};

constexpr auto kTaskRdmaDbSend = static_cast<host::TaskType>(25);
// What one task can copy between devices, and the runtime's number for a copy that adds up.
constexpr std::uint64_t kMostOnDeviceCopyBytes = 4ull << 30;
constexpr std::uint16_t kAddingCopy = 10;

SubTaskCodes codes_of(SubTaskKind kind) {
  using host::HcclRdma;
  using host::HcclTransport;
  switch (kind) {
    case SubTaskKind::kMemcpy:
      return {host::TaskType::kMemcpyAsync, device::SqeKind::kSdma, runtime_call::kMemcpyAsync,
              HcclTransport::kSdma};
    case SubTaskKind::kReduceInline:
      return {host::TaskType::kMemcpyAsync, device::SqeKind::kSdma, runtime_call::kReduceAsync,
              HcclTransport::kSdma};
    case SubTaskKind::kNotifyRecord:
      return {host::TaskType::kNotifyRecord, device::SqeKind::kNotifyRecord,
              runtime_call::kNotifyRecord, HcclTransport::kSdma};
    case SubTaskKind::kNotifyWait:
      return {host::TaskType::kNotifyWait, device::SqeKind::kNotifyWait, runtime_call::kNotifyWait,
              HcclTransport::kLocal};
    case SubTaskKind::kRdmaPayload:
      return {kTaskRdmaDbSend, device::SqeKind::kWriteValue, runtime_call::kRdmaDbSend,
              HcclTransport::kRdma, static_cast<std::uint32_t>(HcclRdma::kSendPayload)};
    case SubTaskKind::kRdmaNotify:
      return {kTaskRdmaDbSend, device::SqeKind::kWriteValue, runtime_call::kRdmaDbSend,
              HcclTransport::kRdma, static_cast<std::uint32_t>(HcclRdma::kSendNotify)};
  }
  return {};
}

host::HcclLink link_type(Link link) {
  switch (link) {
    case Link::kOnChip:
      return host::HcclLink::kOnChip;
    case Link::kHccs:
      return host::HcclLink::kHccs;
    case Link::kPcie:
      return host::HcclLink::kPcie;
    case Link::kRdma:
      return host::HcclLink::kRoce;
    case Link::kSio:
      return host::HcclLink::kSio;
  }
  return host::HcclLink::kOnChip;
}

bool moves_data(const SubTask& task) {
  return task.kind == SubTaskKind::kMemcpy || task.kind == SubTaskKind::kReduceInline ||
         task.kind == SubTaskKind::kRdmaPayload;
}

bool is_point_to_point(CollectiveKind kind) {
  return kind == CollectiveKind::kSend || kind == CollectiveKind::kReceive;
}

// What the communication library expects a task to take, in us.
double expected_us(const ChipSpec& chip, const SubTask& task) {
  if (task.kind == SubTaskKind::kNotifyWait) return 0.02;
  if (!moves_data(task)) return 1;
  return static_cast<double>(task.bytes) / chip.link(task.link).gb_per_s / 1000.0 + 0.6;
}

}  // namespace

Result<std::int64_t> NpuCollectives::ensure_planes(std::uint32_t thread, Joined& joined,
                                                   std::size_t planes, std::int64_t begin_ns) {
  while (joined.planes.size() < planes) {
    NPUPROF_ASSIGN_OR_RETURN(const StreamNumber stream,
                             streams_.create(thread, begin_ns, &begin_ns));
    joined.planes.push_back(stream);
  }
  return begin_ns;
}

Result<CommunicatorId> NpuCollectives::join(std::uint32_t thread, Communicator& communicator,
                                            std::int64_t begin_ns, std::int64_t* host_end_ns) {
  if (!communicator.group_rank(npu_.options.rank)) {
    return Error{ErrorCode::kInvalidArgument, "rank " + std::to_string(npu_.options.rank) +
                                                  " is no member of group " + communicator.name()};
  }
  Joined joined;
  joined.communicator = &communicator;
  NPUPROF_ASSIGN_OR_RETURN(const std::int64_t end_ns,
                           ensure_planes(thread, joined, communicator.plane_count(), begin_ns));
  if (host_end_ns != nullptr) *host_end_ns = end_ns;
  joined_.push_back(std::move(joined));
  return static_cast<CommunicatorId>(joined_.size() - 1);
}

StreamNumber NpuCollectives::main_stream(CommunicatorId communicator) const {
  return joined_.at(communicator).planes.front();
}

std::int64_t NpuCollectives::end_ns(std::int64_t begin_ns, std::size_t tasks) const {
  const std::int64_t node_ns = npu_.costs.node_head +
                               static_cast<std::int64_t>(tasks) * npu_.costs.collective_task +
                               npu_.costs.node_tail;
  return begin_ns + npu_.costs.call_head + node_ns + npu_.costs.call_tail;
}

std::int64_t NpuCollectives::ready_ns(const Joined& joined, std::int64_t host_end_ns) {
  // Nothing starts before all of it has been issued: tasks of one rank depend on each other.
  return issuer_.begin_on(npu_.streams.at(joined.planes.front()),
                          host_end_ns + npu_.chip().launch_latency_ns);
}

Result<TaskRun> NpuCollectives::run(std::uint32_t thread, CommunicatorId id,
                                    const CollectiveDesc& desc, std::int64_t begin_ns) {
  Joined& joined = joined_.at(id);
  const std::size_t count = joined.communicator->collective_tasks(npu_.options.rank, desc.kind);
  const std::int64_t host_end_ns = end_ns(begin_ns, count);
  NPUPROF_ASSIGN_OR_RETURN(
      const SubTasks tasks,
      joined.communicator->collective(npu_.options.rank, desc, ready_ns(joined, host_end_ns)));
  return report(thread, joined, {desc.kind, desc.type, desc.count, begin_ns, host_end_ns}, tasks);
}

Result<TaskRun> NpuCollectives::exchange(std::uint32_t thread, CommunicatorId id, ElementType type,
                                         std::span<const Transfer> transfers,
                                         std::int64_t begin_ns) {
  Joined& joined = joined_.at(id);
  NPUPROF_ASSIGN_OR_RETURN(
      begin_ns, ensure_planes(thread, joined, exchange_planes(transfers.size()), begin_ns));
  const std::size_t count = joined.communicator->exchange_tasks(npu_.options.rank, transfers);
  const std::int64_t host_end_ns = end_ns(begin_ns, count);
  std::vector<Transfer> in_bytes(transfers.begin(), transfers.end());
  std::uint64_t elements = 0;
  for (Transfer& transfer : in_bytes) {
    elements += transfer.bytes;
    transfer.bytes *= bytes_per_element(type);
  }
  NPUPROF_ASSIGN_OR_RETURN(
      const SubTasks tasks,
      joined.communicator->exchange(npu_.options.rank, in_bytes, ready_ns(joined, host_end_ns)));
  const CollectiveKind kind = transfers.size() != 1     ? CollectiveKind::kBatchSendReceive
                              : transfers.front().sends ? CollectiveKind::kSend
                                                        : CollectiveKind::kReceive;
  return report(thread, joined, {kind, type, elements, begin_ns, host_end_ns}, tasks);
}

Result<PostedCollective> NpuCollectives::post(std::uint32_t thread, CommunicatorId id,
                                              const CollectiveDesc& desc, std::size_t tasks,
                                              std::size_t planes, std::int64_t begin_ns) {
  Joined& joined = joined_.at(id);
  NPUPROF_ASSIGN_OR_RETURN(begin_ns, ensure_planes(thread, joined, planes, begin_ns));
  const std::int64_t host_end_ns = end_ns(begin_ns, tasks);
  return PostedCollective{.kind = desc.kind,
                          .type = desc.type,
                          .count = desc.count,
                          .begin_ns = begin_ns,
                          .end_ns = host_end_ns,
                          .ready_ns = ready_ns(joined, host_end_ns)};
}

TaskRun NpuCollectives::finish(std::uint32_t thread, CommunicatorId id,
                               const PostedCollective& posted, const SubTasks& tasks) {
  return report(thread, joined_.at(id), posted, tasks);
}

TaskRun NpuCollectives::report(std::uint32_t thread, Joined& joined, const PostedCollective& posted,
                               const SubTasks& tasks) {
  const std::string_view name = collective_name(posted.kind);
  if (npu_.host_log.on()) {
    joined.group_hash = npu_.host_log.hash(joined.communicator->name());
    joined.tag_hash = npu_.host_log.hash(std::string(name) + joined.communicator->name());
  }
  std::int64_t now_ns = posted.begin_ns + npu_.costs.call_head + npu_.costs.node_head;
  for (const SubTask& task : tasks) {
    report_sub_task(thread, joined, posted, task, now_ns);
    now_ns += npu_.costs.collective_task;
  }
  report_operator(thread, joined, posted);
  TaskRun run{.host_end_ns = posted.end_ns};
  if (!tasks.empty()) run.device_begin_ns = tasks.front().begin_ns;
  for (const SubTask& task : tasks) run.device_end_ns = std::max(run.device_end_ns, task.end_ns);
  if (npu_.device_log.shows({run.device_begin_ns, run.device_end_ns})) {
    count(joined, posted, tasks);
  }
  return run;
}

void NpuCollectives::report_operator(std::uint32_t thread, const Joined& joined,
                                     const PostedCollective& posted) {
  if (!npu_.host_log.tasks()) return;
  const std::string_view name = collective_name(posted.kind);
  const std::int64_t node_begin_ns = posted.begin_ns + npu_.costs.call_head;
  const std::int64_t node_end_ns = posted.end_ns - npu_.costs.call_tail;
  const std::uint64_t name_hash = npu_.host_log.hash(name);
  const std::uint64_t ticks = npu_.host_log.ticks(node_end_ns);
  host::HcclOpInfo info{};
  info.header = host::header_of<host::HcclOpInfo>(thread, ticks);
  info.data_type = static_cast<std::uint8_t>(collective_data_type(posted.type));
  info.algorithm =
      npu_.host_log.hash(algorithm_name(posted.kind, joined.communicator->spans_nodes()));
  info.element_count = posted.count;
  info.group_name = joined.group_hash;
  npu_.host_log.record(Age::kAging, info);
  if (npu_.host_log.operator_details()) {
    host::NodeBasicInfo node{};
    node.header = host::header_of<host::NodeBasicInfo>(thread, ticks);
    node.op_name = name_hash;
    node.task_type = static_cast<std::uint32_t>(host::GeTaskType::kCommunication);
    node.op_type = name_hash;
    npu_.host_log.record(Age::kAging, node);
  }
  npu_.host_log.api(host::kLevelNode, host::kTypeNodeLaunch, thread, node_begin_ns, node_end_ns,
                    name_hash);
  npu_.calls.report(thread, npu_.calls.named(name), posted.begin_ns, posted.end_ns);
}

void NpuCollectives::report_sub_task(std::uint32_t thread, const Joined& joined,
                                     const PostedCollective& posted, const SubTask& task,
                                     std::int64_t host_begin_ns) {
  const SubTaskCodes codes = codes_of(task.kind);
  const TaskTimes times(host_begin_ns, npu_.costs.collective_task);
  StreamState& stream = npu_.streams.at(joined.planes[task.plane]);
  const std::uint32_t id = issuer_.submit(
      thread, stream, npu_.host_log.ticks(times.runtime_begin_ns) + 1, codes.task_type);
  stream.free_ns = std::max(stream.free_ns, task.end_ns);
  const Interval run{task.begin_ns, task.end_ns};
  const bool copies = codes.task_type == host::TaskType::kMemcpyAsync && task.bytes > 0;
  if (npu_.device_log.on()) npu_.device_log.task({stream.id, id}, codes.sqe, run);
  if (npu_.device_log.shows(run)) {
    npu_.truth.count(TruthCount::kDeviceTasks);
    npu_.truth.count(TruthCount::kCollectiveTasks);
    if (copies) npu_.truth.count(TruthCount::kCollectiveCopies);
    samples_.add_sub_task(task, !is_point_to_point(posted.kind));
  }
  if (!npu_.host_log.tasks()) return;
  if (copies) {
    host::MemcpyInfo info{};
    info.header =
        host::header_of<host::MemcpyInfo>(thread, npu_.host_log.ticks(times.runtime_begin_ns) + 1);
    info.data_size = task.bytes;
    info.max_size = kMostOnDeviceCopyBytes;
    info.direction = task.kind == SubTaskKind::kReduceInline
                         ? kAddingCopy
                         : static_cast<std::uint16_t>(host::MemcpyDirection::kDeviceToDevice);
    npu_.host_log.record(Age::kAging, info);
  }
  const std::uint64_t item = npu_.host_log.hash(sub_task_name(task.kind));
  npu_.host_log.runtime_api(codes.runtime_api, thread, times.runtime_begin_ns,
                            times.runtime_end_ns);
  npu_.host_log.api(host::kLevelHccl,
                    task.plane == 0 ? host::kTypeHcclMaster : host::kTypeHcclSlave, thread,
                    times.library_begin_ns, times.library_end_ns, item);
  if (!npu_.host_log.operator_details()) return;
  host::HcclInfo info{};
  info.header = host::header_of<host::HcclInfo>(thread, npu_.host_log.ticks(times.library_end_ns));
  info.item = item;
  info.ccl_tag = joined.tag_hash;
  info.group_name = joined.group_hash;
  // Numbers in the group; readers find the ranks of the job by its metadata.
  info.local_rank = joined.communicator->group_rank(npu_.options.rank).value_or(npu_.options.rank);
  info.remote_rank = joined.communicator->group_rank(task.remote_rank).value_or(task.remote_rank);
  info.rank_size = static_cast<std::uint32_t>(joined.communicator->ranks().size());
  info.plane_id = task.plane;
  info.context_id = host::HcclInfo::kNoContext;
  info.notify_id = task.notify_id;
  info.stage = task.stage;
  info.role = moves_data(task) ? 1 : 0;
  info.estimated_duration_us = expected_us(npu_.chip(), task);
  info.data_size = task.bytes;
  const bool reduces = task.kind == SubTaskKind::kReduceInline;
  info.reduce_op = reduces ? 0 : host::kHcclUnset;
  info.data_type = reduces ? collective_data_type(posted.type) : host::kHcclUnset;
  info.link_type =
      moves_data(task) ? static_cast<std::uint32_t>(link_type(task.link)) : host::kHcclUnset;
  info.transport_type = static_cast<std::uint32_t>(codes.transport);
  info.rdma_type = codes.rdma;
  npu_.host_log.record(Age::kAging, info);
}

void NpuCollectives::count(const Joined& joined, const PostedCollective& posted,
                           const SubTasks& tasks) {
  std::vector<std::vector<const SubTask*>> planes(joined.planes.size());
  for (const SubTask& task : tasks) planes[task.plane].push_back(&task);
  const std::vector<const SubTask*>& main_plane = planes.front();
  if (main_plane.empty()) return;
  // Transit and wait are those of the first plane that moves data to another rank.
  const auto moves_to_others = [](const std::vector<const SubTask*>& plane) {
    return std::any_of(plane.begin(), plane.end(), [](const SubTask* task) {
      return moves_data(*task) && task->link != Link::kOnChip;
    });
  };
  const auto first_moving = std::find_if(planes.begin(), planes.end(), moves_to_others);
  const auto& moving_plane = first_moving == planes.end() ? main_plane : *first_moving;

  const auto length_ns = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    const Interval wall = npu_.wall_of({begin_ns, end_ns});
    return wall.end - wall.begin;
  };
  // A payload over the network has arrived when its last acknowledgement has.
  const std::size_t to_closing = is_point_to_point(posted.kind) ? 2 : 4;
  const auto transfer_ns = [&](const std::vector<const SubTask*>& plane, std::size_t i) {
    const bool closes_later =
        plane[i]->kind == SubTaskKind::kRdmaPayload && i + to_closing < plane.size();
    return length_ns(plane[i]->begin_ns, plane[closes_later ? i + to_closing : i]->end_ns);
  };

  const Interval whole{main_plane.front()->begin_ns, main_plane.back()->end_ns};
  CollectiveTruth truth;
  truth.elapse_ns = length_ns(whole.begin, whole.end);
  for (const std::vector<const SubTask*>& plane : planes) {
    for (std::size_t i = 0; i < plane.size(); ++i) {
      const SubTask& task = *plane[i];
      if (&plane == &moving_plane && task.kind == SubTaskKind::kNotifyWait) {
        const std::int64_t waited_ns = length_ns(task.begin_ns, task.end_ns);
        truth.wait_ns += waited_ns;
        if (truth.transit_ns == 0) truth.synchronization_ns += waited_ns;
      }
      if (!moves_data(task) || task.link == Link::kOnChip) continue;
      const std::int64_t moved_ns = transfer_ns(plane, i);
      npu_.truth.add_transfer(task.remote_rank, task.link, task.bytes, moved_ns);
      if (&plane == &moving_plane) truth.transit_ns += moved_ns;
    }
  }
  npu_.truth.add_collective(collective_name(posted.kind), joined.communicator->name(),
                            npu_.wall_of(whole), truth);
}

}  // namespace npuprof::sim
