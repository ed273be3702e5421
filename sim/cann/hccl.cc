// The communication library.

#include <chrono>
#include <cstring>
#include <unordered_map>

#include <unistd.h>

#include "sim/cann/group.h"
#include "sim/cann/reduction.h"
#include "sim/cann/state.h"

namespace {

using namespace npuprof::sim;        // NOLINT(*-using-namespace): this file is their C face.
using namespace npuprof::sim::cann;  // NOLINT(*-using-namespace)

constexpr std::uint64_t kBufferBytes = 400ull << 20;  // Of the library, for one communicator.
constexpr char kRootMagic[8] = "npusim";
constexpr std::uint64_t kMostElements = 1ull << 40;

// What a root info holds.
struct RootContent {
  char magic[8];
  std::int64_t process_id;
  std::uint64_t number;
};

// Guarded by State::mutex.
struct Groups {
  std::uint64_t last_number = 0;
  std::map<std::uint64_t, std::shared_ptr<Group>> by_number;
  std::unordered_map<void*, std::unique_ptr<RankObject>> ranks;
};
Groups& groups() {
  static Groups* const instance = new Groups;
  return *instance;
}

void give_up_on_partners(DeviceState& device) {
  for (const auto& [number, group] : groups().by_number) {
    for (const Group::Member& member : group->members) {
      if (member.device != &device || member.waiting == nullptr) continue;
      break_group(State::get(), *group);
      break;
    }
  }
  device.waits_for_partners = false;
}

template <typename Body>
HcclResult in_group(Body&& body) noexcept {
  return guarded<HcclResult>(NPUPROF_HCCL_INTERNAL, [&]() -> HcclResult {
    State& state = State::get();
    Lock lock(state.mutex);
    state.give_up = give_up_on_partners;
    return body(state, lock);
  });
}

RankObject* rank_of(HcclComm comm) {
  const auto found = groups().ranks.find(comm);
  return found == groups().ranks.end() ? nullptr : found->second.get();
}

std::shared_ptr<Group> new_group(std::uint64_t number, std::uint32_t rank_count) {
  auto group = std::make_shared<Group>();
  group->name = "npusim_group_" + std::to_string(::getpid()) + "_" + std::to_string(number);
  group->members.resize(rank_count);
  groups().by_number[number] = group;
  return group;
}

// All members are known.
bool close_group(State& state, Group& group) {
  if (group.members.size() > 1) {
    std::vector<std::uint32_t> devices;
    for (const Group::Member& member : group.members) devices.push_back(member.device->id);
    const auto communicator = state.world().communicator(group.name, devices);
    if (!communicator.ok()) return false;
    group.communicator = *communicator;
  }
  group.ready = true;
  return true;
}

// Gives the rank its streams and its handle. Null: no more streams.
HcclComm open_rank(State& state, const std::shared_ptr<Group>& group, std::uint32_t rank) {
  Group::Member& member = group->members[rank];
  if (group->communicator != nullptr) {
    std::int64_t end_ns = 0;
    const auto id = member.device->npu.collectives().join(this_thread_id(), *group->communicator,
                                                          state.begin_call(), &end_ns);
    if (!id.ok()) return nullptr;
    member.id = *id;
    State::end_call(end_ns);
  }
  member.device->communication_bytes += kBufferBytes;
  auto object = std::make_unique<RankObject>(RankObject{group, rank});
  HcclComm handle = object.get();
  groups().ranks[handle] = std::move(object);
  return handle;
}

bool has_device(const Group& group, const DeviceState* device) {
  for (const Group::Member& member : group.members) {
    if (member.device == device) return true;
  }
  return false;
}

ElementType sim_type(int type) {
  switch (type) {
    case NPUPROF_HCCL_INT8:
      return ElementType::kInt8;
    case NPUPROF_HCCL_UINT8:
      return ElementType::kUint8;
    case NPUPROF_HCCL_INT16:
    case NPUPROF_HCCL_UINT16:
      return ElementType::kInt16;
    case NPUPROF_HCCL_INT32:
    case NPUPROF_HCCL_UINT32:
      return ElementType::kInt32;
    case NPUPROF_HCCL_INT64:
    case NPUPROF_HCCL_UINT64:
      return ElementType::kInt64;
    case NPUPROF_HCCL_FP16:
      return ElementType::kFloat16;
    case NPUPROF_HCCL_BFP16:
      return ElementType::kBfloat16;
    case NPUPROF_HCCL_FP64:
      return ElementType::kFloat64;
    default:
      return ElementType::kFloat32;
  }
}

// A rank by itself only copies what it would have sent to itself.
void run_alone(const CollectiveCall& call) {
  if (!call.moves_data) return;
  const std::size_t element = collective_element_bytes(call.type);
  std::byte* to = call.buffers.receive;
  const std::byte* from = call.buffers.send;
  std::uint64_t count = call.desc.count;
  if (!call.buffers.send_counts.empty()) {
    to += call.buffers.receive_offsets.front() * element;
    from += call.buffers.send_offsets.front() * element;
    count = call.buffers.send_counts.front();
  }
  if (to != from) std::memmove(to, from, count * element);
}

// Finds rank and stream, waits for the device, and runs `work(rank object, stream)`, which returns
// when the call ends.
template <typename Work>
HcclResult on_rank(HcclComm comm, aclrtStream handle, Work&& work) noexcept {
  std::optional<std::int64_t> end_ns;
  const HcclResult result = in_group([&](State& state, Lock& lock) -> HcclResult {
    RankObject* rank = rank_of(comm);
    if (rank == nullptr) return NPUPROF_HCCL_PARA;
    DeviceState& device = *rank->group->members[rank->rank].device;
    const auto stream = handle == nullptr
                            ? std::optional<StreamObject>({&device, device.default_stream})
                            : state.stream(handle);
    if (!stream || stream->device != &device) return NPUPROF_HCCL_PARA;
    state.wait_ready(lock, device);
    rank = rank_of(comm);  // Somebody may have destroyed it meanwhile.
    if (rank == nullptr || rank->group->broken) return NPUPROF_HCCL_INTERNAL;
    end_ns = work(state, *rank, stream->id);
    return end_ns ? NPUPROF_HCCL_SUCCESS : NPUPROF_HCCL_PARA;
  });
  if (end_ns) State::get().wait_until(*end_ns);
  return result;
}

HcclResult collective(CollectiveKind kind, CollectiveCall call, std::uint64_t count,
                      std::uint32_t root, HcclComm comm, aclrtStream stream) {
  if (collective_element_bytes(call.type) == 0) return NPUPROF_HCCL_PARA;
  if (count > kMostElements) return NPUPROF_HCCL_PARA;
  if (call.operation != -1 && !is_reduce_operation(call.operation)) return NPUPROF_HCCL_PARA;
  return on_rank(
      comm, stream,
      [&](State& state, RankObject& rank, StreamNumber id) -> std::optional<std::int64_t> {
        if (root >= rank.group->members.size()) return std::nullopt;
        call.desc.kind = kind;
        call.desc.type = sim_type(call.type);
        call.desc.count = count;
        call.desc.root = root;
        if (rank.group->communicator == nullptr) {
          run_alone(call);
          return state.begin_call();
        }
        return run_collective(state, *rank.group, rank.rank, id, std::move(call));
      });
}

CollectiveCall call_of(const void* send, void* receive, int type, int operation = -1) {
  CollectiveCall call;
  call.type = type;
  call.operation = operation;
  call.buffers.send = static_cast<const std::byte*>(send);
  call.buffers.receive = static_cast<std::byte*>(receive);
  return call;
}

HcclResult transfers(std::vector<TransferCall> calls, int type, std::uint64_t elements,
                     HcclComm comm, aclrtStream stream) {
  return on_rank(
      comm, stream,
      [&](State& state, RankObject& rank, StreamNumber id) -> std::optional<std::int64_t> {
        for (const TransferCall& call : calls) {
          const std::uint32_t peer = call.transfer.peer;
          if (peer == rank.rank || peer >= rank.group->members.size()) {
            return std::nullopt;
          }
        }
        return run_transfers(state, *rank.group, rank.rank, id, std::move(calls), sim_type(type),
                             elements);
      });
}

HcclResult one_transfer(void* buffer, std::uint64_t count, int type, std::uint32_t peer, bool sends,
                        HcclComm comm, aclrtStream stream) {
  const std::size_t element = collective_element_bytes(type);
  if (element == 0 || count > kMostElements) return NPUPROF_HCCL_PARA;
  if (buffer == nullptr) return NPUPROF_HCCL_PTR;
  return transfers({{.transfer = {.peer = peer, .sends = sends, .bytes = count * element},
                     .buffer = static_cast<std::byte*>(buffer)}},
                   type, count, comm, stream);
}

std::vector<std::uint64_t> numbers(const void* array, std::size_t count) {
  const auto* first = static_cast<const std::uint64_t*>(array);
  return {first, first + count};
}

}  // namespace

extern "C" {

HcclResult HcclGetRootInfo(HcclRootInfo* root_info) {
  if (root_info == nullptr) return NPUPROF_HCCL_PTR;
  return in_group([&](State&, Lock&) -> HcclResult {
    RootContent content{};
    std::memcpy(content.magic, kRootMagic, sizeof(content.magic));
    content.process_id = ::getpid();
    content.number = ++groups().last_number;
    std::memset(root_info->internal, 0, sizeof(root_info->internal));
    std::memcpy(root_info->internal, &content, sizeof(content));
    return NPUPROF_HCCL_SUCCESS;
  });
}

HcclResult HcclCommInitRootInfo(uint32_t rank_count, const HcclRootInfo* root_info, uint32_t rank,
                                HcclComm* comm) {
  if (root_info == nullptr || comm == nullptr) return NPUPROF_HCCL_PTR;
  RootContent content;
  std::memcpy(&content, root_info->internal, sizeof(content));
  if (std::memcmp(content.magic, kRootMagic, sizeof(content.magic)) != 0) return NPUPROF_HCCL_PARA;
  if (content.process_id != ::getpid()) return NPUPROF_HCCL_NOT_SUPPORT;
  return in_group([&](State& state, Lock& lock) -> HcclResult {
    DeviceState* const device = state.device(current_device());
    if (device == nullptr || rank >= rank_count || rank_count > state.device_count()) {
      return NPUPROF_HCCL_PARA;
    }
    state.wait_ready(lock, *device);
    const auto known = groups().by_number.find(content.number);
    const auto group =
        known != groups().by_number.end() ? known->second : new_group(content.number, rank_count);
    if (group->members.size() != rank_count || group->broken) return NPUPROF_HCCL_PARA;
    if (group->members[rank].device != nullptr || has_device(*group, device)) {
      return NPUPROF_HCCL_PARA;
    }
    group->members[rank].device = device;
    if (++group->joined == rank_count) {
      group->broken = !close_group(state, *group);
      state.changed.notify_all();
    }
    const bool met = state.changed.wait_for(lock, kPartnerTimeout,
                                            [&] { return group->ready || group->broken; });
    if (!met) group->broken = true;
    if (!met) return NPUPROF_HCCL_TIMEOUT;
    if (group->broken) return NPUPROF_HCCL_INTERNAL;
    state.wait_ready(lock, *device);
    *comm = open_rank(state, group, rank);
    return *comm != nullptr ? NPUPROF_HCCL_SUCCESS : NPUPROF_HCCL_MEMORY;
  });
}

HcclResult HcclCommInitAll(uint32_t device_count, int32_t* devices, HcclComm* comms) {
  if (devices == nullptr || comms == nullptr) return NPUPROF_HCCL_PTR;
  return in_group([&](State& state, Lock& lock) -> HcclResult {
    if (device_count == 0 || device_count > state.device_count()) return NPUPROF_HCCL_PARA;
    const auto group = std::make_shared<Group>();
    for (std::uint32_t i = 0; i < device_count; ++i) {
      DeviceState* const device = state.device(devices[i]);
      if (device == nullptr || has_device(*group, device)) return NPUPROF_HCCL_PARA;
      state.wait_ready(lock, *device);
      group->members.push_back({.device = device});
    }
    const std::uint64_t number = ++groups().last_number;
    const auto kept = new_group(number, 0);
    kept->members = std::move(group->members);
    kept->joined = device_count;
    if (!close_group(state, *kept)) return NPUPROF_HCCL_INTERNAL;
    for (std::uint32_t i = 0; i < device_count; ++i) {
      comms[i] = open_rank(state, kept, i);
      if (comms[i] == nullptr) return NPUPROF_HCCL_MEMORY;
    }
    return NPUPROF_HCCL_SUCCESS;
  });
}

HcclResult HcclCommDestroy(HcclComm comm) {
  return in_group([&](State& state, Lock& lock) -> HcclResult {
    RankObject* rank = rank_of(comm);
    if (rank == nullptr) return NPUPROF_HCCL_PARA;
    DeviceState& device = *rank->group->members[rank->rank].device;
    state.wait_ready(lock, device);
    if (groups().ranks.erase(comm) == 0) return NPUPROF_HCCL_PARA;
    device.communication_bytes -= kBufferBytes;
    return NPUPROF_HCCL_SUCCESS;
  });
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rank_count) {
  if (rank_count == nullptr) return NPUPROF_HCCL_PTR;
  return in_group([&](State&, Lock&) -> HcclResult {
    const RankObject* const rank = rank_of(comm);
    if (rank == nullptr) return NPUPROF_HCCL_PARA;
    *rank_count = static_cast<std::uint32_t>(rank->group->members.size());
    return NPUPROF_HCCL_SUCCESS;
  });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* number) {
  if (number == nullptr) return NPUPROF_HCCL_PTR;
  return in_group([&](State&, Lock&) -> HcclResult {
    const RankObject* const rank = rank_of(comm);
    if (rank == nullptr) return NPUPROF_HCCL_PARA;
    *number = rank->rank;
    return NPUPROF_HCCL_SUCCESS;
  });
}

HcclResult HcclGetCommName(HcclComm comm, char* name) {
  if (name == nullptr) return NPUPROF_HCCL_PTR;
  return in_group([&](State&, Lock&) -> HcclResult {
    const RankObject* const rank = rank_of(comm);
    if (rank == nullptr) return NPUPROF_HCCL_PARA;
    std::strncpy(name, rank->group->name.c_str(), NPUPROF_HCCL_COMM_NAME_BYTES - 1);
    return NPUPROF_HCCL_SUCCESS;
  });
}

HcclResult HcclAllReduce(void* send, void* receive, uint64_t count, int type, int operation,
                         HcclComm comm, aclrtStream stream) {
  if (send == nullptr || receive == nullptr) return NPUPROF_HCCL_PTR;
  if (!is_reduce_operation(operation)) return NPUPROF_HCCL_PARA;
  return collective(CollectiveKind::kAllReduce, call_of(send, receive, type, operation), count, 0,
                    comm, stream);
}

HcclResult HcclBroadcast(void* buffer, uint64_t count, int type, uint32_t root, HcclComm comm,
                         aclrtStream stream) {
  if (buffer == nullptr) return NPUPROF_HCCL_PTR;
  return collective(CollectiveKind::kBroadcast, call_of(buffer, buffer, type), count, root, comm,
                    stream);
}

HcclResult HcclReduce(void* send, void* receive, uint64_t count, int type, int operation,
                      uint32_t root, HcclComm comm, aclrtStream stream) {
  if (send == nullptr || receive == nullptr) return NPUPROF_HCCL_PTR;
  if (!is_reduce_operation(operation)) return NPUPROF_HCCL_PARA;
  return collective(CollectiveKind::kReduce, call_of(send, receive, type, operation), count, root,
                    comm, stream);
}

HcclResult HcclAllGather(void* send, void* receive, uint64_t send_count, int type, HcclComm comm,
                         aclrtStream stream) {
  if (send == nullptr || receive == nullptr) return NPUPROF_HCCL_PTR;
  return collective(CollectiveKind::kAllGather, call_of(send, receive, type), send_count, 0, comm,
                    stream);
}

HcclResult HcclReduceScatter(void* send, void* receive, uint64_t receive_count, int type,
                             int operation, HcclComm comm, aclrtStream stream) {
  if (send == nullptr || receive == nullptr) return NPUPROF_HCCL_PTR;
  if (!is_reduce_operation(operation)) return NPUPROF_HCCL_PARA;
  return collective(CollectiveKind::kReduceScatter, call_of(send, receive, type, operation),
                    receive_count, 0, comm, stream);
}

HcclResult HcclScatter(void* send, void* receive, uint64_t receive_count, int type, uint32_t root,
                       HcclComm comm, aclrtStream stream) {
  std::uint32_t own = 0;
  if (const HcclResult known = HcclGetRankId(comm, &own); known != NPUPROF_HCCL_SUCCESS) {
    return known;
  }
  // Only the root has something to send.
  if (receive == nullptr || (send == nullptr && own == root)) return NPUPROF_HCCL_PTR;
  return collective(CollectiveKind::kScatter, call_of(send, receive, type), receive_count, root,
                    comm, stream);
}

HcclResult HcclAlltoAll(const void* send, uint64_t send_count, int send_type, const void* receive,
                        uint64_t receive_count, int receive_type, HcclComm comm,
                        aclrtStream stream) {
  return guarded<HcclResult>(NPUPROF_HCCL_INTERNAL, [&]() -> HcclResult {
    if (send == nullptr || receive == nullptr) return NPUPROF_HCCL_PTR;
    if (send_type != receive_type || send_count != receive_count) return NPUPROF_HCCL_PARA;
    std::uint32_t ranks = 0;
    const HcclResult known = HcclGetRankSize(comm, &ranks);
    if (known != NPUPROF_HCCL_SUCCESS) return known;
    CollectiveCall call = call_of(send, const_cast<void*>(receive), send_type);
    call.buffers.send_counts.assign(ranks, send_count);
    call.buffers.receive_counts = call.buffers.send_counts;
    for (std::uint32_t i = 0; i < ranks; ++i) call.buffers.send_offsets.push_back(i * send_count);
    call.buffers.receive_offsets = call.buffers.send_offsets;
    return collective(CollectiveKind::kAlltoAll, std::move(call), send_count, 0, comm, stream);
  });
}

HcclResult HcclAlltoAllV(const void* send, const void* send_counts, const void* send_displacements,
                         int send_type, const void* receive, const void* receive_counts,
                         const void* receive_displacements, int receive_type, HcclComm comm,
                         aclrtStream stream) {
  return guarded<HcclResult>(NPUPROF_HCCL_INTERNAL, [&]() -> HcclResult {
    for (const void* pointer :
         {send, send_counts, send_displacements, receive, receive_counts, receive_displacements}) {
      if (pointer == nullptr) return NPUPROF_HCCL_PTR;
    }
    if (send_type != receive_type) return NPUPROF_HCCL_PARA;
    std::uint32_t ranks = 0;
    const HcclResult known = HcclGetRankSize(comm, &ranks);
    if (known != NPUPROF_HCCL_SUCCESS) return known;
    CollectiveCall call = call_of(send, const_cast<void*>(receive), send_type);
    call.buffers.send_counts = numbers(send_counts, ranks);
    call.buffers.send_offsets = numbers(send_displacements, ranks);
    call.buffers.receive_counts = numbers(receive_counts, ranks);
    call.buffers.receive_offsets = numbers(receive_displacements, ranks);
    call.desc.send_counts = call.buffers.send_counts;
    std::uint64_t total = 0;
    for (const std::uint64_t count : call.buffers.send_counts) total += count;
    return collective(CollectiveKind::kAlltoAllV, std::move(call), total, 0, comm, stream);
  });
}

HcclResult HcclSend(void* buffer, uint64_t count, int type, uint32_t to, HcclComm comm,
                    aclrtStream stream) {
  return guarded<HcclResult>(NPUPROF_HCCL_INTERNAL, [&] {
    return one_transfer(buffer, count, type, to, true, comm, stream);
  });
}

HcclResult HcclRecv(void* buffer, uint64_t count, int type, uint32_t from, HcclComm comm,
                    aclrtStream stream) {
  return guarded<HcclResult>(NPUPROF_HCCL_INTERNAL, [&] {
    return one_transfer(buffer, count, type, from, false, comm, stream);
  });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream) {
  return guarded<HcclResult>(NPUPROF_HCCL_INTERNAL, [&] {
    // An all-reduce of one number that nobody looks at.
    CollectiveCall call = call_of(nullptr, nullptr, NPUPROF_HCCL_FP32, NPUPROF_HCCL_SUM);
    call.moves_data = false;
    return collective(CollectiveKind::kAllReduce, std::move(call), 1, 0, comm, stream);
  });
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem* items, uint32_t count, HcclComm comm,
                             aclrtStream stream) {
  return guarded<HcclResult>(NPUPROF_HCCL_INTERNAL, [&]() -> HcclResult {
    if (items == nullptr) return NPUPROF_HCCL_PTR;
    if (count == 0) return NPUPROF_HCCL_PARA;
    std::vector<TransferCall> calls;
    std::uint64_t elements = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const HcclSendRecvItem& item = items[i];
      const std::size_t element = collective_element_bytes(item.data_type);
      const bool known_type = item.type == 0 || item.type == 1;
      if (element == 0 || !known_type || item.count > kMostElements) return NPUPROF_HCCL_PARA;
      if (item.buffer == nullptr) return NPUPROF_HCCL_PTR;
      elements += item.count;
      calls.push_back({.transfer = {.peer = item.remote_rank,
                                    .sends = item.type == 0,
                                    .bytes = item.count * element},
                       .buffer = static_cast<std::byte*>(item.buffer)});
    }
    return transfers(std::move(calls), items[0].data_type, elements, comm, stream);
  });
}

}  // extern "C"
