#include "sim/workload/worker.h"

// Collectives and exchanges of a worker, and how they are ordered with its compute stream.

namespace npuprof::sim {

using format::framework::OpScope;

namespace {

std::string_view hccl_name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "HcclAllreduce";
    case CollectiveKind::kAllGather:
      return "HcclAllGather";
    case CollectiveKind::kReduceScatter:
      return "HcclReduceScatter";
    case CollectiveKind::kBroadcast:
      return "HcclBroadcast";
    case CollectiveKind::kReduce:
      return "HcclReduce";
    case CollectiveKind::kScatter:
      return "HcclScatter";
    case CollectiveKind::kAlltoAll:
      return "HcclAlltoAll";
    case CollectiveKind::kAlltoAllV:
      return "HcclAlltoAllV";
    case CollectiveKind::kSend:
      return "HcclSend";
    case CollectiveKind::kReceive:
      return "HcclRecv";
    case CollectiveKind::kBatchSendReceive:
      return "HcclBatchSendRecv";
  }
  return "";
}

std::string_view framework_name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "c10d::allreduce_";
    case CollectiveKind::kAllGather:
      return "c10d::_allgather_base_";
    case CollectiveKind::kReduceScatter:
      return "c10d::_reduce_scatter_base_";
    case CollectiveKind::kBroadcast:
      return "c10d::broadcast_";
    case CollectiveKind::kReduce:
      return "c10d::reduce_";
    case CollectiveKind::kScatter:
      return "c10d::scatter_";
    case CollectiveKind::kAlltoAll:
    case CollectiveKind::kAlltoAllV:
      return "c10d::alltoall_base_";
    default:
      return "c10d::send";
  }
}

}  // namespace

Result<GroupHandle> Worker::join(World& world, const ProcessGroup& group, std::uint32_t) {
  GroupHandle handle{.size = static_cast<std::uint32_t>(group.ranks.size())};
  if (handle.alone()) return handle;
  NPUPROF_ASSIGN_OR_RETURN(Communicator * communicator,
                           world.communicator(group.communicator, group.ranks));
  std::int64_t end_ns = 0;
  NPUPROF_ASSIGN_OR_RETURN(
      handle.communicator,
      npu_.collectives().join(current().tid, *communicator, now_ns(), &end_ns));
  current().now_ns = std::max(now_ns(), end_ns);
  return handle;
}

void Worker::wait_for_compute(const GroupHandle& group) {
  StreamEvent event;
  enqueue("record_event", [&](std::uint32_t thread, std::int64_t begin_ns) {
    return npu_.streams().record_event(thread, compute_, event, begin_ns).host_end_ns;
  });
  enqueue("wait_event", [&](std::uint32_t thread, std::int64_t begin_ns) {
    return npu_.streams()
        .wait_event(thread, npu_.collectives().main_stream(group.communicator), event, begin_ns)
        .host_end_ns;
  });
}

Status Worker::collective(const GroupHandle& group, const CollectiveDesc& desc) {
  if (group.alone()) return ok_status();
  Status status = ok_status();
  in_op(framework_name(desc.kind), OpScope::kUserScope, [&] {
    wait_for_compute(group);
    enqueue(hccl_name(desc.kind), [&](std::uint32_t thread, std::int64_t start_ns) {
      auto run = npu_.collectives().run(thread, group.communicator, desc, start_ns);
      if (run.ok()) return run->host_end_ns;
      status = run.error();
      return start_ns;
    });
  });
  return status;
}

Status Worker::exchange(const GroupHandle& group, ElementType type,
                        std::span<const Transfer> transfers) {
  if (group.alone() || transfers.empty()) return ok_status();
  const CollectiveKind kind = transfers.size() > 1      ? CollectiveKind::kBatchSendReceive
                              : transfers.front().sends ? CollectiveKind::kSend
                                                        : CollectiveKind::kReceive;
  const char* name = kind == CollectiveKind::kReceive ? "c10d::recv_" : "c10d::send";
  Status status = ok_status();
  in_op(name, OpScope::kUserScope, [&] {
    wait_for_compute(group);
    enqueue(hccl_name(kind), [&](std::uint32_t thread, std::int64_t start_ns) {
      auto run = npu_.collectives().exchange(thread, group.communicator, type, transfers, start_ns);
      if (run.ok()) return run->host_end_ns;
      status = run.error();
      return start_ns;
    });
  });
  return status;
}

void Worker::wait(const GroupHandle& group) {
  if (group.alone()) return;
  in_op("Event::wait", OpScope::kUserScope, [&] {
    StreamEvent event;
    enqueue("record_event", [&](std::uint32_t thread, std::int64_t begin_ns) {
      return npu_.streams()
          .record_event(thread, npu_.collectives().main_stream(group.communicator), event, begin_ns)
          .host_end_ns;
    });
    enqueue("wait_event", [&](std::uint32_t thread, std::int64_t begin_ns) {
      return npu_.streams().wait_event(thread, compute_, event, begin_ns).host_end_ns;
    });
  });
}

}  // namespace npuprof::sim
