#include "sim/npu/communicator.h"

#include <functional>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "sim/model/random.h"
#include "sim/simulated.h"

namespace npuprof::sim {
namespace {

Network make_network() { return Network(**find_chip("910B3"), {}); }

using testing::first_ranks;

// Runs `body(rank)` on a thread per rank; each rank finishes when its body returns.
void run_ranks(World& world, const std::function<void(std::uint32_t)>& body) {
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < world.rank_count(); ++rank) {
    if (!world.is_present(rank)) continue;
    threads.emplace_back([&, rank] {
      body(rank);
      world.finish(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

CollectiveDesc all_reduce(std::uint64_t count) {
  return {.kind = CollectiveKind::kAllReduce, .count = count};
}

// A mixture of collectives on two groups and transfers, with ranks that drift apart. The log holds
// when everything happened.
std::vector<std::vector<std::int64_t>> simulate_job(std::uint32_t rank_count, int steps) {
  World world(make_network(), rank_count);
  std::vector<std::vector<std::int64_t>> log(rank_count);
  run_ranks(world, [&](std::uint32_t rank) {
    Random random(rank + 1);
    const auto everybody = first_ranks(rank_count);
    std::vector<std::uint32_t> half;
    for (std::uint32_t i = rank % 2; i < rank_count; i += 2) half.push_back(i);
    Communicator* world_group = *world.communicator("world", everybody);
    Communicator* half_group = *world.communicator(rank % 2 ? "odd" : "even", half);
    std::int64_t now_ns = 1'000'000;
    const auto advance = [&](const Result<SubTasks>& tasks) {
      ASSERT_TRUE(tasks.ok()) << tasks.error().message;
      for (const SubTask& task : *tasks) {
        log[rank].push_back(task.begin_ns);
        log[rank].push_back(task.end_ns);
        now_ns = std::max(now_ns, task.end_ns);
      }
    };
    for (int step = 0; step < steps; ++step) {
      now_ns += random.between(0, 100'000);
      advance(half_group->collective(rank, all_reduce(4096), now_ns));
      now_ns += random.between(0, 100'000);
      const Transfer ring[] = {{.peer = (rank + 1) % rank_count, .sends = true, .bytes = 1 << 16},
                               {.peer = (rank + rank_count - 1) % rank_count, .bytes = 1 << 16}};
      advance(world_group->exchange(rank, ring, now_ns));
      advance(world_group->collective(rank, {.kind = CollectiveKind::kAllGather, .count = 1 << 14},
                                      now_ns));
    }
  });
  return log;
}

TEST(Communicator, GivesTheSameTimesWhateverTheThreadsDo) {
  const auto first = simulate_job(12, 20);
  EXPECT_FALSE(first[0].empty());
  for (int repeat = 0; repeat < 5; ++repeat) EXPECT_EQ(simulate_job(12, 20), first);
}

TEST(Communicator, ReturnsWhatTheScheduleOfAllReadyTimesSays) {
  World world(make_network(), 8);
  const auto group = first_ranks(8);
  std::vector<std::int64_t> ready_ns;
  for (int i = 0; i < 8; ++i) ready_ns.push_back(1000 * (i * i % 5));
  const CollectiveDesc desc = all_reduce(1 << 20);
  const std::vector<const CollectiveDesc*> descs(8, &desc);
  const auto expected = schedule_collective(world.network(), group, descs, ready_ns);
  run_ranks(world, [&](std::uint32_t rank) {
    const auto tasks = (*world.communicator("g", group))->collective(rank, desc, ready_ns[rank]);
    ASSERT_TRUE(tasks.ok());
    ASSERT_EQ(tasks->size(), expected[rank].size());
    for (std::size_t i = 0; i < tasks->size(); ++i) {
      EXPECT_EQ((*tasks)[i].end_ns, expected[rank][i].end_ns);
    }
  });
}

TEST(Communicator, DifferentOperationsAtTheSamePlaceAreAnErrorForAll) {
  World world(make_network(), 4);
  std::vector<std::string> messages(4);
  run_ranks(world, [&](std::uint32_t rank) {
    Communicator* group = *world.communicator("pipeline", first_ranks(4));
    CollectiveDesc desc = all_reduce(100);
    if (rank == 2) desc.kind = CollectiveKind::kAllGather;
    const auto tasks = group->collective(rank, desc, 0);
    ASSERT_FALSE(tasks.ok());
    messages[rank] = tasks.error().message;
    EXPECT_FALSE(group->collective(rank, desc, 0).ok()) << "the group stays broken";
  });
  for (const std::string& message : messages) {
    EXPECT_NE(message.find("hcom_allReduce_"), std::string::npos) << message;
    EXPECT_NE(message.find("hcom_allGather_"), std::string::npos) << message;
    EXPECT_NE(message.find("pipeline"), std::string::npos) << message;
  }
}

TEST(Communicator, ARankThatFailsReleasesThoseWhoWaitForIt) {
  World world(make_network(), 4);
  run_ranks(world, [&](std::uint32_t rank) {
    Communicator* group = *world.communicator("g", first_ranks(4));
    if (rank == 3) {
      world.fail(3, "out of memory");
      return;
    }
    const auto tasks = group->collective(rank, all_reduce(100), 0);
    ASSERT_FALSE(tasks.ok());
    EXPECT_NE(tasks.error().message.find("rank 3 failed (out of memory)"), std::string::npos)
        << tasks.error().message;
  });
}

TEST(Communicator, ARankThatFinishesReleasesItsPeers) {
  World world(make_network(), 2);
  run_ranks(world, [&](std::uint32_t rank) {
    Communicator* group = *world.communicator("g", first_ranks(2));
    if (rank == 1) return;
    const Transfer transfer[] = {{.peer = 1, .sends = true, .bytes = 8}};
    const auto tasks = group->exchange(rank, transfer, 0);
    ASSERT_FALSE(tasks.ok());
    EXPECT_NE(tasks.error().message.find("finished"), std::string::npos) << tasks.error().message;
  });
}

TEST(Communicator, ACircleOfWaitingRanksIsFound) {
  World world(make_network(), 2);
  run_ranks(world, [&](std::uint32_t rank) {
    Communicator* group = *world.communicator("g", first_ranks(2));
    const Transfer send[] = {{.peer = 1 - rank, .sends = true, .bytes = 8}};
    const auto tasks = group->exchange(rank, send, 0);
    ASSERT_FALSE(tasks.ok());
  });
}

TEST(Communicator, TransfersMeetInOrder) {
  World world(make_network(), 2);
  run_ranks(world, [&](std::uint32_t rank) {
    Communicator* group = *world.communicator("g", first_ranks(2));
    std::int64_t now_ns = rank == 0 ? 0 : 700'000;
    for (const std::uint64_t bytes : {100u, 5000u, 1u << 20}) {
      const Transfer transfer[] = {{.peer = 1 - rank, .sends = rank == 0, .bytes = bytes}};
      EXPECT_EQ(group->exchange_tasks(rank, transfer), 3u - rank);
      const auto tasks = group->exchange(rank, transfer, now_ns);
      ASSERT_TRUE(tasks.ok()) << tasks.error().message;
      EXPECT_EQ(tasks->size(), 3u - rank);
      now_ns = tasks->back().end_ns;
      EXPECT_GT(now_ns, 700'000);
    }
  });
}

TEST(Communicator, TransfersOfDifferentSizesAreAnError) {
  World world(make_network(), 2);
  run_ranks(world, [&](std::uint32_t rank) {
    const Transfer transfer[] = {{.peer = 1 - rank, .sends = rank == 0, .bytes = 100 + rank}};
    const auto tasks = (*world.communicator("g", first_ranks(2)))->exchange(rank, transfer, 0);
    ASSERT_FALSE(tasks.ok());
    EXPECT_NE(tasks.error().message.find("100 bytes are sent and 101 expected"), std::string::npos)
        << tasks.error().message;
  });
}

TEST(Communicator, AllTransfersOfAnExchangeRunAtOnceAndPlaneZeroWaitsForThem) {
  World world(make_network(), 3);
  run_ranks(world, [&](std::uint32_t rank) {
    const Transfer transfers[] = {{.peer = (rank + 1) % 3, .sends = true, .bytes = 1 << 20},
                                  {.peer = (rank + 2) % 3, .sends = false, .bytes = 1 << 20}};
    Communicator* group = *world.communicator("g", first_ranks(3));
    const auto tasks = group->exchange(rank, transfers, 1000);
    ASSERT_TRUE(tasks.ok());
    EXPECT_EQ(tasks->size(), group->exchange_tasks(rank, transfers));
    const SubTask& whole = tasks->back();
    EXPECT_EQ(whole.plane, 0);
    for (const SubTask& task : *tasks) {
      EXPECT_GE(task.begin_ns, whole.begin_ns);
      EXPECT_LE(task.end_ns, whole.end_ns);
      EXPECT_LT(task.plane, exchange_planes(std::size(transfers)));
      // Plane 0 only waits.
      EXPECT_EQ(task.plane == 0, &task == &whole);
    }
  });
}

TEST(Communicator, RanksThatAreNotSimulatedNeverKeepOthersWaiting) {
  std::vector<bool> present(8, false);
  present[0] = present[5] = true;
  World world(make_network(), 8, present);
  run_ranks(world, [&](std::uint32_t rank) {
    Communicator* group = *world.communicator("g", first_ranks(8));
    const auto tasks = group->collective(rank, all_reduce(1 << 20), rank == 5 ? 50'000 : 0);
    ASSERT_TRUE(tasks.ok()) << tasks.error().message;
    EXPECT_EQ(tasks->size(), group->collective_tasks(rank, CollectiveKind::kAllReduce));
    const Transfer to_absent[] = {{.peer = 3, .sends = true, .bytes = 64}};
    EXPECT_TRUE(group->exchange(rank, to_absent, 0).ok());
  });
}

TEST(Communicator, MembersMustAgreeAboutTheGroup) {
  World world(make_network(), 4);
  ASSERT_TRUE(world.communicator("g", first_ranks(4)).ok());
  EXPECT_FALSE(world.communicator("g", first_ranks(3)).ok());
  const std::uint32_t outside[] = {0, 9};
  EXPECT_FALSE(world.communicator("h", outside).ok());
  const std::uint32_t twice[] = {1, 1};
  EXPECT_FALSE(world.communicator("i", twice).ok());
  EXPECT_FALSE((*world.communicator("j", first_ranks(2)))->collective(3, all_reduce(1), 0).ok());
}

}  // namespace
}  // namespace npuprof::sim
