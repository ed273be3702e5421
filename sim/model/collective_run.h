#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/model/collective.h"
#include "sim/model/network.h"

namespace npuprof::sim {

// Runs the steps of a collective on all ranks of a group at once. Ranks are addressed by their
// place in the group. Each step takes every rank from where it is; a rank that depends on another
// waits.
class CollectiveRun {
 public:
  static constexpr int kNobody = -1;

  CollectiveRun(const Network& network, std::span<const std::uint32_t> group,
                std::span<const std::int64_t> ready_ns);

  std::size_t size() const { return group_.size(); }

  // Tasks from here on belong to the next stage of the algorithm.
  void next_stage() { ++stage_; }

  // Every rank adds one number within its memory, on plane 0: the first and the last task of a
  // collective, between which all others run.
  void touch();

  // Rank i copies `bytes[i]` within its memory, on plane 0.
  void local(std::span<const std::uint64_t> bytes);

  // All `members` exchange directly, each pair on a plane of its own from 1 on: reductions reach
  // the next member on plane 1, copies the one before. `bytes_of(a, b)` is what a writes to b,
  // kNoTransfer for nothing. Pairs without a transfer either way do not meet.
  static constexpr std::uint64_t kNoTransfer = ~std::uint64_t{0};
  template <typename BytesOf>
  void mesh(std::span<const int> members, bool reduce, const BytesOf& bytes_of);

  // Rank i sends `bytes[i]` to rank `next[i]` (kNobody: sends nothing); at most one sender for each
  // receiver. All on plane 0.
  void ring_step(std::span<const int> next, std::span<const std::uint64_t> bytes, bool reduce);

  std::vector<SubTasks> take() && { return std::move(tasks_); }

 private:
  // One member's end of a pair in a mesh.
  struct Pair {
    int self = 0;
    int peer = 0;
    std::uint16_t plane = 1;
    std::uint64_t bytes = kNoTransfer;
    std::int64_t cursor_ns = 0;
    std::int64_t signal_ns = 0;  // End of the last Notify_Record to the peer.
    std::size_t mirror = 0;      // The peer's end of this pair.
  };

  void run_mesh(std::vector<Pair>& pairs, bool reduce);
  void notify_peers(std::vector<Pair>& pairs);
  void wait_for_peers(std::vector<Pair>& pairs);
  // All planes of a rank, plane 0 too, go on when the last of them has come this far.
  void join_planes(std::vector<Pair>& pairs);

  std::uint32_t rank(int index) const { return group_[static_cast<std::size_t>(index)]; }
  std::int64_t& now(int index) { return now_ns_[static_cast<std::size_t>(index)]; }
  std::int64_t signal_latency_ns(int from, int to) const;
  // Appends a task that ends at `end_ns`, and returns when the next one on its plane may begin.
  std::int64_t emit(int self, SubTaskKind kind, std::uint16_t plane, int remote,
                    std::uint64_t bytes, std::int64_t begin_ns, std::int64_t end_ns);
  // Notify_Record or its RDMA form, by the link between the two.
  std::int64_t emit_signal(int self, int remote, std::int64_t begin_ns, std::int64_t& end_ns);
  std::int64_t emit_wait(int self, int remote, std::uint16_t plane, std::int64_t begin_ns,
                         std::int64_t until_ns);

  const Network& network_;
  std::span<const std::uint32_t> group_;
  std::vector<std::int64_t> now_ns_;
  std::vector<SubTasks> tasks_;
  std::uint16_t stage_ = 0;
};

template <typename BytesOf>
void CollectiveRun::mesh(std::span<const int> members, bool reduce, const BytesOf& bytes_of) {
  std::vector<Pair> pairs;
  const std::size_t count = members.size();
  std::vector<std::size_t> place(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t plane = 1;
    for (std::size_t offset = 1; offset < count; ++offset) {
      const std::size_t j = (i + (reduce ? offset : count - offset)) % count;
      const std::uint64_t sent = bytes_of(members[i], members[j]);
      if (sent == kNoTransfer && bytes_of(members[j], members[i]) == kNoTransfer) continue;
      place[i * count + j] = pairs.size();
      // The peer's own index is resolved below: `mirror` holds this pair's place for now.
      pairs.push_back({.self = members[i],
                       .peer = members[j],
                       .plane = plane++,
                       .bytes = sent,
                       .mirror = j * count + i});
    }
  }
  for (Pair& pair : pairs) pair.mirror = place[pair.mirror];
  run_mesh(pairs, reduce);
}

}  // namespace npuprof::sim
