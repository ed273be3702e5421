#include "sim/model/collective.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/simulated.h"

namespace npuprof::sim {
namespace {

constexpr CollectiveKind kKinds[] = {
    CollectiveKind::kAllReduce, CollectiveKind::kAllGather, CollectiveKind::kReduceScatter,
    CollectiveKind::kBroadcast, CollectiveKind::kReduce,    CollectiveKind::kScatter,
    CollectiveKind::kAlltoAll,  CollectiveKind::kAlltoAllV,
};

using testing::chip;
using ::testing::ElementsAre;
using testing::first_ranks;
using ::testing::Pair;

CollectiveDesc make_desc(CollectiveKind kind, std::size_t group_size,
                         std::uint64_t count = 1 << 20) {
  CollectiveDesc desc{.kind = kind, .count = count};
  if (kind == CollectiveKind::kAlltoAllV) desc.send_counts.assign(group_size, count);
  return desc;
}

std::vector<SubTasks> run(const Network& network, const std::vector<std::uint32_t>& group,
                          const CollectiveDesc& desc, std::vector<std::int64_t> ready_ns = {}) {
  ready_ns.resize(group.size(), 1000);
  const std::vector<const CollectiveDesc*> descs(group.size(), &desc);
  return schedule_collective(network, group, descs, ready_ns);
}

std::int64_t end_of(const SubTasks& tasks) {
  std::int64_t end_ns = 0;
  for (const SubTask& task : tasks) end_ns = std::max(end_ns, task.end_ns);
  return end_ns;
}

// Groups inside a node, over nodes, one rank per node, and unevenly spread.
std::vector<std::vector<std::uint32_t>> sample_groups() {
  return {first_ranks(1), first_ranks(2), first_ranks(8), first_ranks(16),
          {0, 8, 16, 24}, {0, 1, 2, 8},   {3, 11},        {1, 5, 9, 13}};
}

TEST(Collective, TasksOfAPlaneFollowEachOtherAndPlaneZeroCoversAll) {
  const Network network(chip(), {});
  for (const auto& group : sample_groups()) {
    for (const CollectiveKind kind : kKinds) {
      const auto ranks = run(network, group, make_desc(kind, group.size()));
      ASSERT_EQ(ranks.size(), group.size());
      for (const SubTasks& tasks : ranks) {
        ASSERT_FALSE(tasks.empty()) << collective_name(kind);
        std::vector<std::int64_t> plane_end_ns(64, 0);
        std::int64_t first_begin_ns = tasks.front().begin_ns;
        for (const SubTask& task : tasks) {
          EXPECT_GE(task.begin_ns, plane_end_ns[task.plane]);
          EXPECT_GT(task.end_ns, task.begin_ns);
          EXPECT_LT(task.plane, plane_count(network, group));
          plane_end_ns[task.plane] = task.end_ns;
          first_begin_ns = std::min(first_begin_ns, task.begin_ns);
        }
        EXPECT_EQ(tasks.front().plane, 0);
        EXPECT_EQ(tasks.front().begin_ns, first_begin_ns);
        EXPECT_EQ(plane_end_ns[0], *std::max_element(plane_end_ns.begin(), plane_end_ns.end()));
      }
    }
  }
}

// As in profiles of all-reduces between the eight devices of a server.
TEST(Collective, EachPeerHasAPlaneAndPlaneZeroStaysOnTheDevice) {
  const Network network(chip(), {});
  const auto ranks = run(network, first_ranks(8), make_desc(CollectiveKind::kAllReduce, 8));
  for (std::uint32_t self = 0; self < 8; ++self) {
    EXPECT_EQ(ranks[self].size(), 74u);
    std::vector<std::vector<std::pair<std::string_view, std::uint32_t>>> planes(8);
    for (const SubTask& task : ranks[self]) {
      planes.at(task.plane).emplace_back(sub_task_name(task.kind), task.remote_rank);
    }
    EXPECT_THAT(planes[0], ElementsAre(Pair("Reduce_Inline", self), Pair("Memcpy", self),
                                       Pair("Memcpy", self), Pair("Reduce_Inline", self)));
    for (std::uint32_t plane = 1; plane < 8; ++plane) {
      const std::uint32_t next = (self + plane) % 8;
      const std::uint32_t previous = (self + 8 - plane) % 8;
      EXPECT_THAT(planes[plane],
                  ElementsAre(Pair("Notify_Record", next), Pair("Notify_Wait", next),
                              Pair("Reduce_Inline", next), Pair("Notify_Record", next),
                              Pair("Notify_Wait", next), Pair("Notify_Record", previous),
                              Pair("Notify_Wait", previous), Pair("Memcpy", previous),
                              Pair("Notify_Record", previous), Pair("Notify_Wait", previous)));
    }
  }
}

TEST(Collective, EveryWaitEndsAfterTheSignalItWaitsFor) {
  const Network network(chip(), {});
  for (const auto& group : sample_groups()) {
    for (const CollectiveKind kind : kKinds) {
      const auto ranks = run(network, group, make_desc(kind, group.size()));
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        // The n-th wait for a peer answers the n-th signal of that peer.
        for (std::size_t j = 0; j < ranks.size(); ++j) {
          if (i == j) continue;
          std::vector<std::int64_t> waits, signals;
          for (const SubTask& task : ranks[i]) {
            const bool waits_for_j =
                task.kind == SubTaskKind::kNotifyWait && task.remote_rank == group[j];
            if (waits_for_j) waits.push_back(task.end_ns);
          }
          for (const SubTask& task : ranks[j]) {
            const bool signal =
                task.kind == SubTaskKind::kNotifyRecord || task.kind == SubTaskKind::kRdmaNotify;
            if (signal && task.remote_rank == group[i]) signals.push_back(task.end_ns);
          }
          ASSERT_EQ(waits.size(), signals.size()) << collective_name(kind);
          for (std::size_t n = 0; n < waits.size(); ++n) EXPECT_GT(waits[n], signals[n]);
        }
      }
    }
  }
}

TEST(Collective, TheLastToArriveMakesTheOthersWait) {
  const Network network(chip(), {});
  const auto group = first_ranks(8);
  const std::int64_t late_ns = 50'000'000;
  std::vector<std::int64_t> ready_ns(8, 1000);
  ready_ns[5] = late_ns;
  const auto ranks = run(network, group, make_desc(CollectiveKind::kAllReduce, 8), ready_ns);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    // Before the first byte goes out, on the plane of whoever comes last.
    std::int64_t waited_ns = 0;
    for (const SubTask& task : ranks[i]) {
      if (task.bytes > 0 && task.link != Link::kOnChip) break;
      if (task.kind != SubTaskKind::kNotifyWait) continue;
      waited_ns = std::max(waited_ns, task.end_ns - task.begin_ns);
    }
    if (i == 5) {
      EXPECT_LT(waited_ns, 20'000);
    } else {
      EXPECT_GT(waited_ns, late_ns - 50'000);
    }
    EXPECT_NEAR(static_cast<double>(end_of(ranks[i])), static_cast<double>(end_of(ranks[0])),
                20'000);
  }
}

TEST(Collective, TakesLongerWithMoreBytesAndOverNodes) {
  const Network network(chip(), {});
  for (const CollectiveKind kind : kKinds) {
    const auto small = run(network, first_ranks(8), make_desc(kind, 8, 1 << 20));
    const auto large = run(network, first_ranks(8), make_desc(kind, 8, 1 << 24));
    const auto two_nodes = run(network, first_ranks(16), make_desc(kind, 16, 1 << 24));
    EXPECT_GT(end_of(large[0]), 4 * end_of(small[0])) << collective_name(kind);
    EXPECT_GT(end_of(two_nodes[0]), end_of(large[0])) << collective_name(kind);
  }
}

TEST(Collective, MovesTheBytesTheOperationNeeds) {
  const Network network(chip(), {});
  const std::uint64_t count = 1 << 20;
  const auto sent = [&](CollectiveKind kind) {
    std::uint64_t bytes = 0;
    const auto ranks = run(network, first_ranks(8), make_desc(kind, 8, count));
    for (const SubTask& task : ranks[0]) {
      if (task.link != Link::kOnChip) bytes += task.bytes;
    }
    return bytes;
  };
  const std::uint64_t buffer = count * 2;  // bf16.
  EXPECT_EQ(sent(CollectiveKind::kAllReduce), 2 * 7 * buffer / 8);
  EXPECT_EQ(sent(CollectiveKind::kAllGather), 7 * buffer);
  EXPECT_EQ(sent(CollectiveKind::kReduceScatter), 7 * buffer);
  EXPECT_EQ(sent(CollectiveKind::kAlltoAll), 7 * buffer);
  EXPECT_EQ(sent(CollectiveKind::kBroadcast), 2 * 7 * buffer / 8);
  EXPECT_EQ(sent(CollectiveKind::kScatter), 7 * buffer);
}

TEST(Collective, NodesAreJoinedByRdmaInTheOrderReadersExpect) {
  const Network network(chip(), {});
  const auto ranks = run(network, first_ranks(16), make_desc(CollectiveKind::kAllGather, 16));
  const SubTasks& tasks = ranks[3];
  const auto payload = std::find_if(tasks.begin(), tasks.end(), [](const SubTask& task) {
    return task.kind == SubTaskKind::kRdmaPayload;
  });
  ASSERT_NE(payload, tasks.end());
  EXPECT_EQ(payload->remote_rank, 11u);
  EXPECT_EQ(payload->link, Link::kRdma);
  // Bandwidth is taken from the payload to the fourth task after it.
  ASSERT_GE(tasks.end() - payload, 5);
  EXPECT_EQ(payload[1].kind, SubTaskKind::kRdmaNotify);
  EXPECT_EQ(payload[2].kind, SubTaskKind::kNotifyWait);
  EXPECT_EQ(payload[3].kind, SubTaskKind::kRdmaNotify);
  EXPECT_EQ(payload[4].kind, SubTaskKind::kNotifyWait);
  const double gb_per_s = static_cast<double>(payload->bytes) /
                          static_cast<double>(payload[4].end_ns - payload->begin_ns);
  EXPECT_LT(gb_per_s, chip().link(Link::kRdma).gb_per_s);
  EXPECT_GT(gb_per_s, 0.7 * chip().link(Link::kRdma).gb_per_s);
}

TEST(Collective, ASlowLinkIsSeenOnThatLinkOnly) {
  const Network healthy(chip(), {});
  const Network faulty(chip(), {.slow_links = {{.a = 2, .b = 6, .factor = 4}}});
  const auto desc = make_desc(CollectiveKind::kAllGather, 8, 1 << 24);
  const auto bandwidth = [&](const Network& network, std::size_t from, std::uint32_t to) {
    const auto ranks = run(network, first_ranks(8), desc);
    for (const SubTask& task : ranks[from]) {
      if (task.kind == SubTaskKind::kMemcpy && task.remote_rank == to) {
        return static_cast<double>(task.bytes) / static_cast<double>(task.end_ns - task.begin_ns);
      }
    }
    return 0.0;
  };
  EXPECT_NEAR(bandwidth(healthy, 2, 6) / bandwidth(faulty, 2, 6), 4.0, 0.1);
  EXPECT_NEAR(bandwidth(healthy, 6, 2) / bandwidth(faulty, 6, 2), 4.0, 0.1);
  EXPECT_DOUBLE_EQ(bandwidth(healthy, 2, 5), bandwidth(faulty, 2, 5));
  // Everybody waits for the slow pair at the end.
  EXPECT_GT(end_of(run(faulty, first_ranks(8), desc)[2]),
            end_of(run(healthy, first_ranks(8), desc)[2]));
}

TEST(Collective, UnevenAllToAllFollowsTheSendCounts) {
  const Network network(chip(), {});
  std::vector<CollectiveDesc> descs(4, make_desc(CollectiveKind::kAlltoAllV, 4, 0));
  descs[1].send_counts = {1000, 0, 3000, 500};
  std::vector<const CollectiveDesc*> pointers;
  for (const CollectiveDesc& desc : descs) pointers.push_back(&desc);
  const std::vector<std::int64_t> ready_ns(4, 0);
  const auto ranks = schedule_collective(network, first_ranks(4), pointers, ready_ns);
  std::vector<std::uint64_t> sent(4, 0);
  for (const SubTask& task : ranks[1]) {
    if (task.kind == SubTaskKind::kMemcpy) sent[task.remote_rank] = task.bytes;
  }
  EXPECT_EQ(sent, (std::vector<std::uint64_t>{2000, 0, 6000, 1000}));
}

TEST(Collective, TaskCountDoesNotDependOnSizes) {
  const Network network(chip(), {});
  for (const auto& group : sample_groups()) {
    for (const CollectiveKind kind : kKinds) {
      const auto ranks = run(network, group, make_desc(kind, group.size()));
      for (std::size_t i = 0; i < group.size(); ++i) {
        EXPECT_EQ(ranks[i].size(), collective_task_count(network, group, kind, i));
      }
    }
  }
}

TEST(Transfer, TheReceiverWaitsForTheSenderAndTheOtherWayRound) {
  const Network network(chip(), {});
  for (const std::uint32_t to : {1u, 9u}) {
    const TransferTasks late_sender = schedule_transfer(network, 0, to, 1 << 20, 9'000'000, 0);
    const TransferTasks late_receiver = schedule_transfer(network, 0, to, 1 << 20, 0, 9'000'000);
    EXPECT_GT(end_of(late_sender.receiver), 9'000'000);
    EXPECT_GT(end_of(late_receiver.sender), 9'000'000);
    EXPECT_EQ(late_sender.sender.size(), transfer_task_count(network, 0, to, true));
    EXPECT_EQ(late_sender.receiver.size(), transfer_task_count(network, 0, to, false));
  }
  const TransferTasks remote = schedule_transfer(network, 0, 9, 1 << 20, 0, 0);
  const auto payload =
      std::find_if(remote.sender.begin(), remote.sender.end(),
                   [](const SubTask& t) { return t.kind == SubTaskKind::kRdmaPayload; });
  ASSERT_NE(payload, remote.sender.end());
  // Point to point, readers close the transfer two tasks after the payload.
  EXPECT_EQ(payload[2].kind, SubTaskKind::kNotifyWait);
}

TEST(Network, NeighbouringDiesTalkThroughTheirPackage) {
  const Network network(**find_chip("910_93"), {.ranks_per_node = 16});
  EXPECT_EQ(network.link_between(4, 5), Link::kSio);
  EXPECT_EQ(network.link_between(5, 6), Link::kHccs);
  EXPECT_EQ(network.link_between(3, 19), Link::kRdma);
  EXPECT_EQ(network.link_between(3, 3), Link::kOnChip);
}

}  // namespace
}  // namespace npuprof::sim
