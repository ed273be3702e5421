#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "format/host/additional_communication.h"
#include "format/host/compact_memory.h"
#include "format/host/compact_node.h"
#include "sim/model/sample_kernels.h"
#include "sim/npu/npu.h"
#include "sim/npu/npu_fixture.h"
#include "sim/simulated.h"

namespace npuprof::sim {
namespace {

namespace device = format::device;
namespace host = format::host;
using testing::enclosing;
using testing::Recording;

using testing::kThread;

using testing::first_ranks;

// A job of some ranks, each with its device and its thread.
class Job {
 public:
  using Body = std::function<void(Recording&, Communicator&, std::uint32_t rank)>;

  Job(std::uint32_t ranks, CollectionLevel level, const Body& body)
      : world_(Network(**find_chip("910B3"), {}), ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      NpuOptions options;
      options.rank = rank;
      options.device = rank % 8;
      options.collection.level = level;
      recordings_.push_back(std::make_unique<Recording>(
          options, ClockOptions{.node = rank / 8, .rank = rank, .device = rank % 8}));
    }
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        body(*recordings_[rank], **world_.communicator("group_1", first_ranks(ranks)), rank);
        world_.finish(rank);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (auto& recording : recordings_) recording->finish();
  }

  Recording& rank(std::uint32_t rank) { return *recordings_[rank]; }

 private:
  World world_;
  std::vector<std::unique_ptr<Recording>> recordings_;
};

constexpr std::int64_t kStartNs = 10'000'000;

TEST(NpuCollectives, WritesTheRecordsReadersJoin) {
  Job job(4, CollectionLevel::kLevel2,
          [](Recording& recording, Communicator& group, std::uint32_t) {
            const CommunicatorId id = *recording.npu().collectives().join(kThread, group, kStartNs);
            const CollectiveDesc desc{.kind = CollectiveKind::kAllReduce, .count = 1 << 20};
            std::int64_t now_ns = kStartNs + 100'000;
            for (int i = 0; i < 3; ++i) {
              const auto run = recording.npu().collectives().run(kThread, id, desc, now_ns);
              ASSERT_TRUE(run.ok()) << run.error().message;
              EXPECT_GT(run->device_begin_ns, run->host_end_ns);
              now_ns = run->host_end_ns + 1000;
            }
          });
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    Recording& recording = job.rank(rank);
    const auto calls = recording.calls();
    const auto details = recording.host<host::HcclInfo>();
    const auto operations = recording.host<host::HcclOpInfo>();
    const auto nodes = recording.host<host::NodeBasicInfo>();
    ASSERT_EQ(operations.size(), 3u);
    ASSERT_EQ(nodes.size(), 3u);
    EXPECT_EQ(details.size(), recording.npu().truth().counted(TruthCount::kCollectiveTasks));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(nodes[i].task_type, static_cast<std::uint32_t>(host::GeTaskType::kCommunication));
      EXPECT_EQ(operations[i].data_type, 11) << "bf16";
      EXPECT_EQ(operations[i].element_count, 1u << 20);
      const auto* node =
          enclosing(calls, host::kLevelNode, kThread, operations[i].header.timestamp);
      ASSERT_NE(node, nullptr);
      EXPECT_EQ(node->item_id, nodes[i].op_name);
      const auto* acl = enclosing(calls, host::kLevelAcl, kThread, operations[i].header.timestamp);
      ASSERT_NE(acl, nullptr);
      EXPECT_EQ(host::acl_category(acl->type), 7);
      EXPECT_LT(acl->begin, node->begin);
      EXPECT_GT(acl->end, node->end);
    }
    std::size_t masters = 0;
    for (const auto& detail : details) {
      const auto* interval = enclosing(calls, host::kLevelHccl, kThread, detail.header.timestamp);
      ASSERT_NE(interval, nullptr);
      EXPECT_EQ(interval->item_id, detail.item);
      EXPECT_EQ(interval->type == host::kTypeHcclMaster, detail.plane_id == 0);
      masters += detail.plane_id == 0;
      EXPECT_EQ(detail.local_rank, rank);
      EXPECT_EQ(detail.rank_size, 4u);
      EXPECT_EQ(detail.group_name, operations[0].group_name);
    }
    EXPECT_GT(masters, 0u);
    std::size_t inside = 0;
    for (const auto& track : recording.host<host::TaskTrack>()) {
      const auto* interval = enclosing(calls, host::kLevelHccl, kThread, track.header.timestamp);
      if (interval == nullptr) continue;
      ++inside;
      const auto* runtime = enclosing(calls, host::kLevelRuntime, kThread, track.header.timestamp);
      ASSERT_NE(runtime, nullptr);
      EXPECT_LT(interval->begin, runtime->begin);
      EXPECT_GT(interval->end, runtime->end);
    }
    EXPECT_EQ(inside, details.size());
  }
}

TEST(NpuCollectives, NumbersRanksWithinTheirGroup) {
  constexpr std::uint32_t kRanks = 4;
  World world(Network(**find_chip("910B3"), {}), kRanks);
  const std::vector<std::uint32_t> members = {3, 1};
  std::vector<std::unique_ptr<Recording>> recordings;
  for (const std::uint32_t rank : members) {
    NpuOptions options;
    options.rank = rank;
    options.device = rank;
    options.collection.level = CollectionLevel::kLevel1;
    recordings.push_back(std::make_unique<Recording>(
        options, ClockOptions{.node = 0, .rank = rank, .device = rank}));
  }
  std::vector<std::thread> threads;
  for (std::size_t member = 0; member < members.size(); ++member) {
    threads.emplace_back([&, member] {
      Npu& npu = recordings[member]->npu();
      Communicator& group = **world.communicator("pair", members);
      const CommunicatorId id = *npu.collectives().join(kThread, group, kStartNs);
      const CollectiveDesc desc{.kind = CollectiveKind::kAllReduce, .count = 1 << 20};
      EXPECT_TRUE(npu.collectives().run(kThread, id, desc, kStartNs + 100'000).ok());
      world.finish(members[member]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint32_t member = 0; member < members.size(); ++member) {
    recordings[member]->finish();
    std::set<std::uint32_t> remote;
    for (const auto& detail : recordings[member]->host<host::HcclInfo>()) {
      EXPECT_EQ(detail.local_rank, member);
      remote.insert(detail.remote_rank);
    }
    EXPECT_EQ(remote, (std::set<std::uint32_t>{0, 1}));
  }
}

TEST(NpuCollectives, TheRuntimeReportsTheSizeOfEveryCopy) {
  constexpr std::uint64_t kElements = 1 << 20;
  Job job(
      4, CollectionLevel::kLevel0, [](Recording& recording, Communicator& group, std::uint32_t) {
        const CommunicatorId id = *recording.npu().collectives().join(kThread, group, kStartNs);
        const CollectiveDesc desc{.kind = CollectiveKind::kAllReduce, .count = kElements};
        ASSERT_TRUE(recording.npu().collectives().run(kThread, id, desc, kStartNs + 100'000).ok());
      });
  Recording& recording = job.rank(2);
  std::map<std::uint64_t, host::MemcpyInfo> sizes;  // By time: the key of the join.
  for (const auto& info : recording.host<host::MemcpyInfo>()) sizes[info.header.timestamp] = info;
  std::size_t copies = 0;
  for (const auto& track : recording.host<host::TaskTrack>()) {
    if (track.task_type != static_cast<std::uint64_t>(host::TaskType::kMemcpyAsync)) continue;
    ++copies;
    const auto found = sizes.find(track.header.timestamp);
    ASSERT_NE(found, sizes.end());
    EXPECT_GT(found->second.data_size, 0u);
    EXPECT_LE(found->second.data_size, kElements * 2);
    EXPECT_GE(found->second.max_size, found->second.data_size.get());
  }
  EXPECT_GT(copies, 0u);
  EXPECT_EQ(copies, sizes.size());
  EXPECT_EQ(copies, recording.npu().truth().counted(TruthCount::kCollectiveCopies));
}

TEST(NpuCollectives, TruthIsWhatTheRecordsSay) {
  Job job(8, CollectionLevel::kLevel1,
          [](Recording& recording, Communicator& group, std::uint32_t rank) {
            Npu& npu = recording.npu();
            const CommunicatorId id = *npu.collectives().join(kThread, group, kStartNs);
            const KernelTemplate& kernel = npu.kernels().add(testing::matmul(4096, 4096, 4096));
            std::int64_t now_ns = kStartNs + 100'000;
            // Rank 3 has more to do before the collective.
            for (std::uint32_t i = 0; i < (rank == 3 ? 8u : 2u); ++i) {
              now_ns = npu.kernels().launch(kThread, 0, kernel, now_ns).host_end_ns + 500;
            }
            StreamEvent event;
            now_ns = npu.streams().record_event(kThread, 0, event, now_ns).host_end_ns + 500;
            now_ns = npu.streams()
                         .wait_event(kThread, npu.collectives().main_stream(id), event, now_ns)
                         .host_end_ns +
                     500;
            const CollectiveDesc desc{.kind = CollectiveKind::kReduceScatter, .count = 1 << 18};
            ASSERT_TRUE(npu.collectives().run(kThread, id, desc, now_ns).ok());
          });
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    Recording& recording = job.rank(rank);
    std::map<std::pair<int, int>, std::pair<std::uint64_t, std::uint64_t>> runs;
    for (const auto& log : recording.task_log()) {
      auto& run = runs[{log.raw_stream, log.raw_task}];
      (log.head.function() == device::StarsFunction::kTaskStart ? run.first : run.second) =
          log.syscnt;
    }
    // The length of the main plane and the waits of the first one that moves data, from the
    // records alone.
    std::int64_t wait_ns = 0, begin = 0, end = 0;
    const auto calls = recording.calls();
    const auto details = recording.host<host::HcclInfo>();
    std::size_t next_detail = 0;
    for (const auto& track : recording.host<host::TaskTrack>()) {
      const auto* interval = enclosing(calls, host::kLevelHccl, kThread, track.header.timestamp);
      if (interval == nullptr) continue;
      const std::uint32_t plane = details.at(next_detail++).plane_id;
      const auto [start_tick, end_tick] = runs.at({track.stream, track.short_task_id()});
      if (plane == 0) {
        EXPECT_EQ(interval->type, host::kTypeHcclMaster);
        if (begin == 0) begin = static_cast<std::int64_t>(start_tick);
        end = static_cast<std::int64_t>(end_tick);
      }
      if (plane == 1 &&
          track.task_type == static_cast<std::uint64_t>(host::TaskType::kNotifyWait)) {
        wait_ns += static_cast<std::int64_t>(end_tick - start_tick) * 20;
      }
    }
    std::string text;
    JsonWriter writer(text);
    recording.npu().truth().write_json(writer);
    const auto truth = nlohmann::json::parse(text)["collectives"][0];
    EXPECT_EQ(truth["name"], "hcom_reduceScatter_");
    EXPECT_EQ(truth["group"], "group_1");
    EXPECT_EQ(truth["wait_ns"], wait_ns);
    EXPECT_EQ(truth["total_ns"], (end - begin) * 20);
    // All waited for rank 3: six large products, some 0.6 ms each. The first plane of rank 2 is
    // the one that shows it.
    if (rank == 2) {
      EXPECT_GT(truth["synchronization_ns"], 2'000'000);
    } else {
      EXPECT_LT(truth["synchronization_ns"], 100'000);
    }
  }
}

TEST(NpuCollectives, NeighboursPassDataAlong) {
  Job job(
      4, CollectionLevel::kLevel1,
      [](Recording& recording, Communicator& group, std::uint32_t rank) {
        Npu& npu = recording.npu();
        const CommunicatorId id = *npu.collectives().join(kThread, group, kStartNs);
        std::int64_t now_ns = kStartNs + 100'000;
        if (rank > 0) {
          const Transfer receive[] = {{.peer = rank - 1, .sends = false, .bytes = 4096}};
          const auto run =
              npu.collectives().exchange(kThread, id, ElementType::kBfloat16, receive, now_ns);
          ASSERT_TRUE(run.ok()) << run.error().message;
          now_ns = run->host_end_ns + 1000;
        }
        if (rank < 3) {
          const Transfer send[] = {{.peer = rank + 1, .sends = true, .bytes = 4096}};
          ASSERT_TRUE(
              npu.collectives().exchange(kThread, id, ElementType::kBfloat16, send, now_ns).ok());
        }
        const Transfer both[] = {{.peer = (rank + 1) % 4, .sends = true, .bytes = 64},
                                 {.peer = (rank + 3) % 4, .sends = false, .bytes = 64}};
        const auto run =
            npu.collectives().exchange(kThread, id, ElementType::kBfloat16, both, now_ns + 100'000);
        ASSERT_TRUE(run.ok()) << run.error().message;
      });
  std::uint64_t sent = 0;
  for (const auto& detail : job.rank(1).host<host::HcclInfo>()) sent += detail.data_size;
  EXPECT_EQ(sent, 2u * (4096 + 64));
  EXPECT_EQ(job.rank(1).host<host::HcclOpInfo>().size(), 3u);
}

TEST(NpuCollectives, ErrorsOfTheGroupComeBack) {
  Job job(2, CollectionLevel::kLevel1,
          [](Recording& recording, Communicator& group, std::uint32_t rank) {
            const CommunicatorId id = *recording.npu().collectives().join(kThread, group, kStartNs);
            CollectiveDesc desc{.kind = CollectiveKind::kAllReduce, .count = 100 + rank};
            const auto run =
                recording.npu().collectives().run(kThread, id, desc, kStartNs + 100'000);
            ASSERT_FALSE(run.ok());
            EXPECT_NE(run.error().message.find("group_1"), std::string::npos);
          });
}

}  // namespace
}  // namespace npuprof::sim
