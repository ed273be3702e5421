#include "sim/model/collective_run.h"

#include <algorithm>

namespace npuprof::sim {
namespace {

// Durations seen in public traces of all-reduces.
constexpr std::int64_t kRecordNs = 700;
constexpr std::int64_t kShortestWaitNs = 20;
constexpr std::int64_t kRdmaPostNs = 1500;  // Handing a request to the network card.
constexpr std::int64_t kPlaneStaggerNs = 280;
constexpr std::int64_t kPlaneSignalNs = 200;  // From one stream to another of the same device.
constexpr std::int64_t kTouchNs = 600;
constexpr std::uint64_t kTouchBytes = 4;

}  // namespace

CollectiveRun::CollectiveRun(const Network& network, std::span<const std::uint32_t> group,
                             std::span<const std::int64_t> ready_ns)
    : network_(network),
      group_(group),
      now_ns_(ready_ns.begin(), ready_ns.end()),
      tasks_(group.size()) {}

std::int64_t CollectiveRun::signal_latency_ns(int from, int to) const {
  const Link link = network_.link_between(rank(from), rank(to));
  if (link == Link::kRdma) return network_.chip().link(link).latency_ns;
  return network_.chip().notify_latency_ns;
}

std::int64_t CollectiveRun::emit(int self, SubTaskKind kind, std::uint16_t plane, int remote,
                                 std::uint64_t bytes, std::int64_t begin_ns, std::int64_t end_ns) {
  // A signal is known by who sends it to whom.
  const bool incoming = kind == SubTaskKind::kNotifyWait;
  const std::uint64_t from = rank(incoming ? remote : self);
  const std::uint64_t to = rank(incoming ? self : remote);
  const bool moves_data = kind == SubTaskKind::kMemcpy || kind == SubTaskKind::kReduceInline;
  tasks_[static_cast<std::size_t>(self)].push_back({
      .kind = kind,
      .link = network_.link_between(rank(self), rank(remote)),
      .plane = plane,
      .stage = stage_,
      .remote_rank = rank(remote),
      .bytes = bytes,
      .notify_id = moves_data ? ~std::uint64_t{0} : to << 32 | from << 8 | stage_ % 256u,
      .begin_ns = begin_ns,
      .end_ns = end_ns,
  });
  return end_ns + network_.chip().task_gap_ns;
}

std::int64_t CollectiveRun::emit_signal(int self, int remote, std::int64_t begin_ns,
                                        std::int64_t& end_ns) {
  const bool rdma = network_.link_between(rank(self), rank(remote)) == Link::kRdma;
  end_ns = begin_ns + (rdma ? kRdmaPostNs : kRecordNs);
  return emit(self, rdma ? SubTaskKind::kRdmaNotify : SubTaskKind::kNotifyRecord, 0, remote, 0,
              begin_ns, end_ns);
}

std::int64_t CollectiveRun::emit_wait(int self, int remote, std::uint16_t plane,
                                      std::int64_t begin_ns, std::int64_t until_ns) {
  return emit(self, SubTaskKind::kNotifyWait, plane, remote, 0, begin_ns,
              std::max(begin_ns + kShortestWaitNs, until_ns));
}

void CollectiveRun::touch() {
  for (int i = 0; i < static_cast<int>(size()); ++i) {
    now(i) = emit(i, SubTaskKind::kReduceInline, 0, i, kTouchBytes, now(i), now(i) + kTouchNs);
  }
}

void CollectiveRun::local(std::span<const std::uint64_t> bytes) {
  const std::int64_t latency_ns = network_.chip().link(Link::kOnChip).latency_ns;
  for (int i = 0; i < static_cast<int>(size()); ++i) {
    const std::uint64_t size_of_copy = bytes[static_cast<std::size_t>(i)];
    const std::int64_t end_ns = now(i) + latency_ns + network_.local_copy_ns(size_of_copy);
    now(i) = emit(i, SubTaskKind::kMemcpy, 0, i, size_of_copy, now(i), end_ns);
  }
}

void CollectiveRun::notify_peers(std::vector<Pair>& pairs) {
  for (Pair& pair : pairs) {
    pair.signal_ns = pair.cursor_ns + kRecordNs;
    pair.cursor_ns = emit(pair.self, SubTaskKind::kNotifyRecord, pair.plane, pair.peer, 0,
                          pair.cursor_ns, pair.signal_ns);
  }
}

void CollectiveRun::wait_for_peers(std::vector<Pair>& pairs) {
  for (Pair& pair : pairs) {
    const std::int64_t arrival_ns =
        pairs[pair.mirror].signal_ns + signal_latency_ns(pair.peer, pair.self);
    pair.cursor_ns = emit_wait(pair.self, pair.peer, pair.plane, pair.cursor_ns, arrival_ns);
  }
}

void CollectiveRun::join_planes(std::vector<Pair>& pairs) {
  for (std::size_t first = 0; first < pairs.size();) {
    std::size_t end = first + 1;
    std::int64_t last_ns = pairs[first].cursor_ns;
    while (end < pairs.size() && pairs[end].self == pairs[first].self) {
      last_ns = std::max(last_ns, pairs[end++].cursor_ns);
    }
    const std::int64_t joined_ns = last_ns + kPlaneSignalNs;
    for (std::size_t i = first; i < end; ++i) {
      pairs[i].cursor_ns = joined_ns + pairs[i].plane * kPlaneStaggerNs;
    }
    now(pairs[first].self) = joined_ns;
    first = end;
  }
}

void CollectiveRun::run_mesh(std::vector<Pair>& pairs, bool reduce) {
  for (Pair& pair : pairs) pair.cursor_ns = now(pair.self) + pair.plane * kPlaneStaggerNs;
  // All peers must be there before the first byte moves, and all bytes before anyone goes on.
  notify_peers(pairs);
  wait_for_peers(pairs);
  join_planes(pairs);
  const SubTaskKind kind = reduce ? SubTaskKind::kReduceInline : SubTaskKind::kMemcpy;
  for (Pair& pair : pairs) {
    if (pair.bytes == kNoTransfer) continue;
    const std::uint32_t from = rank(pair.self);
    const std::uint32_t to = rank(pair.peer);
    const std::int64_t duration_ns =
        network_.chip().link(network_.link_between(from, to)).latency_ns +
        network_.transfer_ns(from, to, pair.bytes);
    pair.cursor_ns = emit(pair.self, kind, pair.plane, pair.peer, pair.bytes, pair.cursor_ns,
                          pair.cursor_ns + duration_ns);
  }
  notify_peers(pairs);
  wait_for_peers(pairs);
  join_planes(pairs);
}

void CollectiveRun::ring_step(std::span<const int> next, std::span<const std::uint64_t> bytes,
                              bool reduce) {
  const int count = static_cast<int>(size());
  const auto at = [](auto& values, int index) -> auto& {
    return values[static_cast<std::size_t>(index)];
  };
  std::vector<int> previous(size(), kNobody);
  for (int i = 0; i < count; ++i) {
    if (at(next, i) != kNobody) at(previous, at(next, i)) = i;
  }
  const auto is_rdma = [&](int a, int b) {
    return network_.link_between(rank(a), rank(b)) == Link::kRdma;
  };

  std::vector<std::int64_t> signal_ns(size());
  // "You may send", and waiting for it.
  for (int i = 0; i < count; ++i) {
    const int source = at(previous, i);
    if (source != kNobody) now(i) = emit_signal(i, source, now(i), at(signal_ns, i));
  }
  for (int i = 0; i < count; ++i) {
    const int target = at(next, i);
    if (target == kNobody) continue;
    const std::int64_t until_ns = at(signal_ns, target) + signal_latency_ns(target, i);
    now(i) = emit_wait(i, target, 0, now(i), until_ns);
  }
  // The data and the word that it is there. The network card sends on its own; a copy is a task.
  std::vector<std::int64_t> arrival_ns(size());
  for (int i = 0; i < count; ++i) {
    const int target = at(next, i);
    if (target == kNobody) continue;
    const bool rdma = is_rdma(i, target);
    const Link link = network_.link_between(rank(i), rank(target));
    const std::int64_t begin_ns = now(i);
    const std::int64_t sent_ns = begin_ns + network_.chip().link(link).latency_ns +
                                 network_.transfer_ns(rank(i), rank(target), at(bytes, i));
    const SubTaskKind kind = rdma     ? SubTaskKind::kRdmaPayload
                             : reduce ? SubTaskKind::kReduceInline
                                      : SubTaskKind::kMemcpy;
    const std::int64_t end_ns = rdma ? begin_ns + kRdmaPostNs : sent_ns;
    now(i) = emit(i, kind, 0, target, at(bytes, i), begin_ns, end_ns);
    std::int64_t notified_ns = 0;
    now(i) = emit_signal(i, target, now(i), notified_ns);
    at(arrival_ns, target) = std::max(sent_ns, notified_ns) + signal_latency_ns(i, target);
  }
  for (int i = 0; i < count; ++i) {
    const int source = at(previous, i);
    if (source == kNobody) continue;
    now(i) = emit_wait(i, source, 0, now(i), at(arrival_ns, i));
    if (is_rdma(i, source)) now(i) = emit_signal(i, source, now(i), at(signal_ns, i));
  }
  for (int i = 0; i < count; ++i) {
    const int target = at(next, i);
    if (target == kNobody || !is_rdma(i, target)) continue;
    const std::int64_t until_ns = at(signal_ns, target) + signal_latency_ns(target, i);
    now(i) = emit_wait(i, target, 0, now(i), until_ns);
  }
  // What came over the network is added by the receiver.
  for (int i = 0; i < count; ++i) {
    const int source = at(previous, i);
    if (!reduce || source == kNobody || !is_rdma(i, source)) continue;
    const std::int64_t duration_ns =
        network_.chip().link(Link::kOnChip).latency_ns + network_.local_copy_ns(at(bytes, source));
    now(i) =
        emit(i, SubTaskKind::kReduceInline, 0, i, at(bytes, source), now(i), now(i) + duration_ns);
  }
}

}  // namespace npuprof::sim
