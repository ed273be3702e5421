#include "sim/cann/group.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/cann/reduction.h"

namespace npuprof::sim::cann {
namespace {

// Between calls of a thread that belong together.
constexpr std::int64_t kStepNs = 20;
// The two calls that make the program's stream wait for the collective fit into this.
constexpr std::int64_t kCallTailNs = 8'000;

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memmove(to, from, bytes);
}

std::vector<const void*> send_buffers(const Group& group) {
  std::vector<const void*> buffers;
  for (const Group::Member& member : group.members) {
    buffers.push_back(member.waiting->call.buffers.send);
  }
  return buffers;
}

void exchange_parts(const Group& group, std::size_t element_bytes) {
  for (std::size_t from = 0; from < group.members.size(); ++from) {
    const Buffers& source = group.members[from].waiting->call.buffers;
    for (std::size_t to = 0; to < group.members.size(); ++to) {
      const Buffers& target = group.members[to].waiting->call.buffers;
      const std::uint64_t count = std::min(source.send_counts[to], target.receive_counts[from]);
      copy_bytes(target.receive + target.receive_offsets[from] * element_bytes,
                 source.send + source.send_offsets[to] * element_bytes, count * element_bytes);
    }
  }
}

// Moves the data of a collective for which all members wait.
void move_data(const Group& group) {
  const CollectiveCall& call = group.members.front().waiting->call;
  if (!call.moves_data) return;
  const std::size_t ranks = group.members.size();
  const std::size_t element = collective_element_bytes(call.type);
  const std::size_t bytes = call.desc.count * element;
  const auto buffers = [&](std::size_t rank) -> const Buffers& {
    return group.members[rank].waiting->call.buffers;
  };
  switch (call.desc.kind) {
    case CollectiveKind::kAllReduce: {
      const auto sum = reduce(send_buffers(group), call.desc.count, call.type, call.operation);
      for (std::size_t i = 0; i < ranks; ++i) copy_bytes(buffers(i).receive, sum.data(), bytes);
      return;
    }
    case CollectiveKind::kReduce: {
      const auto sum = reduce(send_buffers(group), call.desc.count, call.type, call.operation);
      copy_bytes(buffers(call.desc.root).receive, sum.data(), bytes);
      return;
    }
    case CollectiveKind::kReduceScatter: {
      const auto sum =
          reduce(send_buffers(group), call.desc.count * ranks, call.type, call.operation);
      for (std::size_t i = 0; i < ranks; ++i) {
        copy_bytes(buffers(i).receive, sum.data() + i * bytes, bytes);
      }
      return;
    }
    case CollectiveKind::kBroadcast:
      for (std::size_t i = 0; i < ranks; ++i) {
        copy_bytes(buffers(i).receive, buffers(call.desc.root).send, bytes);
      }
      return;
    case CollectiveKind::kScatter:
      for (std::size_t i = 0; i < ranks; ++i) {
        copy_bytes(buffers(i).receive, buffers(call.desc.root).send + i * bytes, bytes);
      }
      return;
    case CollectiveKind::kAllGather: {
      // Parts may lie inside the buffers that are written.
      std::vector<std::byte> all(bytes * ranks);
      for (std::size_t i = 0; i < ranks; ++i) {
        copy_bytes(all.data() + i * bytes, buffers(i).send, bytes);
      }
      for (std::size_t i = 0; i < ranks; ++i) {
        copy_bytes(buffers(i).receive, all.data(), all.size());
      }
      return;
    }
    case CollectiveKind::kAlltoAll:
    case CollectiveKind::kAlltoAllV:
      exchange_parts(group, element);
      return;
    default:
      return;
  }
}

// The program's stream first, then the group's.
std::int64_t wait_for_program(DeviceState& device, CommunicatorId id, StreamNumber stream,
                              std::uint32_t thread, std::int64_t begin_ns) {
  StreamEvent done;
  const TaskRun record = device.npu.streams().record_event(thread, stream, done, begin_ns);
  const TaskRun wait = device.npu.streams().wait_event(
      thread, device.npu.collectives().main_stream(id), done, record.host_end_ns + kStepNs);
  return wait.host_end_ns + kStepNs;
}

// The tasks are known: the rank runs them, and what the program does next comes after them.
void finish_member(Group::Member& member, const SubTasks& tasks) {
  const auto waiting = std::move(member.waiting);
  Npu& npu = member.device->npu;
  npu.collectives().finish(waiting->thread, member.id, waiting->posted, tasks);
  StreamEvent done;
  const TaskRun record =
      npu.streams().record_event(waiting->thread, npu.collectives().main_stream(member.id), done,
                                 waiting->posted.end_ns + kStepNs);
  npu.streams().wait_event(waiting->thread, waiting->stream, done, record.host_end_ns + kStepNs);
  member.device->waits_for_partners = false;
}

void complete_collective(State& state, Group& group) {
  move_data(group);
  std::vector<const CollectiveDesc*> descs;
  std::vector<std::int64_t> ready_ns;
  for (const Group::Member& member : group.members) {
    descs.push_back(&member.waiting->call.desc);
    ready_ns.push_back(member.waiting->posted.ready_ns);
  }
  const auto tasks =
      schedule_collective(state.world().network(), group.communicator->ranks(), descs, ready_ns);
  group.collectives_waiting = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) finish_member(group.members[i], tasks[i]);
  state.changed.notify_all();
}

bool agree(const CollectiveCall& a, const CollectiveCall& b) {
  const bool same_count = a.desc.kind == CollectiveKind::kAlltoAllV || a.desc.count == b.desc.count;
  return a.desc.kind == b.desc.kind && same_count && a.type == b.type &&
         a.operation == b.operation && a.desc.root == b.desc.root;
}

// Meets the partner of one transfer if it is there. False: they disagree.
bool match_transfer(State& state, Group& group, std::uint32_t rank, std::size_t index) {
  const TransferCall& own = group.members[rank].waiting->transfers[index];
  const std::uint32_t peer = own.transfer.peer;
  const std::uint32_t from = own.transfer.sends ? rank : peer;
  const std::uint32_t to = own.transfer.sends ? peer : rank;
  auto& posts = group.posts[{from, to}];
  const auto partner = std::find_if(posts.begin(), posts.end(),
                                    [&](const auto& post) { return post.first == peer; });
  if (partner == posts.end()) {
    posts.emplace_back(rank, index);
    return true;
  }
  const std::size_t peer_index = partner->second;
  posts.erase(partner);
  Group::Waiting& sender = *group.members[from].waiting;
  Group::Waiting& receiver = *group.members[to].waiting;
  const std::size_t send_index = own.transfer.sends ? index : peer_index;
  const std::size_t receive_index = own.transfer.sends ? peer_index : index;
  const TransferCall& sent = sender.transfers[send_index];
  const TransferCall& received = receiver.transfers[receive_index];
  if (sent.transfer.bytes != received.transfer.bytes) return false;
  copy_bytes(received.buffer, sent.buffer, sent.transfer.bytes);
  TransferTasks tasks = schedule_transfer(state.world().network(), group.members[from].device->id,
                                          group.members[to].device->id, sent.transfer.bytes,
                                          sender.posted.ready_ns, receiver.posted.ready_ns);
  sender.tasks[send_index] = std::move(tasks.sender);
  receiver.tasks[receive_index] = std::move(tasks.receiver);
  --sender.open;
  --receiver.open;
  return true;
}

void finish_transfers(State& state, Group& group) {
  for (Group::Member& member : group.members) {
    if (member.waiting == nullptr || member.waiting->transfers.empty()) continue;
    if (member.waiting->open > 0) continue;
    const SubTasks tasks =
        merge_planes(std::move(member.waiting->tasks), member.device->id, state.chip().task_gap_ns);
    finish_member(member, tasks);
  }
  state.changed.notify_all();
}

}  // namespace

void break_group(State& state, Group& group) {
  group.broken = true;
  group.collectives_waiting = 0;
  group.posts.clear();
  for (Group::Member& member : group.members) {
    if (member.waiting == nullptr) continue;
    member.waiting.reset();
    member.device->waits_for_partners = false;
    member.device->failed = true;
  }
  state.changed.notify_all();
}

std::optional<std::int64_t> run_collective(State& state, Group& group, std::uint32_t rank,
                                           StreamNumber stream, CollectiveCall call) {
  Group::Member& member = group.members[rank];
  DeviceState& device = *member.device;
  for (const Group::Member& other : group.members) {
    if (other.waiting == nullptr || !other.waiting->transfers.empty()) continue;
    if (agree(other.waiting->call, call)) break;
    break_group(state, group);
    return std::nullopt;
  }
  auto waiting = std::make_unique<Group::Waiting>();
  waiting->thread = this_thread_id();
  waiting->stream = stream;
  const std::int64_t begin_ns =
      wait_for_program(device, member.id, stream, waiting->thread, state.begin_call());
  const auto posted =
      device.npu.collectives().post(waiting->thread, member.id, call.desc,
                                    group.communicator->collective_tasks(device.id, call.desc.kind),
                                    group.communicator->plane_count(), begin_ns);
  if (!posted.ok()) {
    break_group(state, group);
    return std::nullopt;
  }
  waiting->posted = *posted;
  waiting->call = std::move(call);
  member.waiting = std::move(waiting);
  device.waits_for_partners = true;
  State::end_call(posted->end_ns + kCallTailNs);
  if (++group.collectives_waiting == group.members.size()) complete_collective(state, group);
  return posted->end_ns;
}

std::optional<std::int64_t> run_transfers(State& state, Group& group, std::uint32_t rank,
                                          StreamNumber stream, std::vector<TransferCall> transfers,
                                          ElementType type, std::uint64_t elements) {
  Group::Member& member = group.members[rank];
  DeviceState& device = *member.device;
  std::vector<Transfer> plain;
  plain.reserve(transfers.size());
  for (const TransferCall& call : transfers) plain.push_back(call.transfer);
  CollectiveDesc desc;
  desc.kind = plain.size() != 1     ? CollectiveKind::kBatchSendReceive
              : plain.front().sends ? CollectiveKind::kSend
                                    : CollectiveKind::kReceive;
  desc.type = type;
  desc.count = elements;
  auto waiting = std::make_unique<Group::Waiting>();
  waiting->thread = this_thread_id();
  waiting->stream = stream;
  const std::int64_t begin_ns =
      wait_for_program(device, member.id, stream, waiting->thread, state.begin_call());
  const auto posted = device.npu.collectives().post(
      waiting->thread, member.id, desc, group.communicator->exchange_tasks(device.id, plain),
      exchange_planes(plain.size()), begin_ns);
  if (!posted.ok()) {
    break_group(state, group);
    return std::nullopt;
  }
  waiting->posted = *posted;
  waiting->open = transfers.size();
  waiting->tasks.resize(transfers.size());
  waiting->transfers = std::move(transfers);
  member.waiting = std::move(waiting);
  device.waits_for_partners = true;
  State::end_call(posted->end_ns + kCallTailNs);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (match_transfer(state, group, rank, i)) continue;
    break_group(state, group);
    return std::nullopt;
  }
  finish_transfers(state, group);
  return posted->end_ns;
}

}  // namespace npuprof::sim::cann
