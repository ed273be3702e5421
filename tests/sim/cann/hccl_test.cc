#include <array>
#include <cstring>
#include <thread>

#include "format/host/additional_communication.h"
#include "format/host/compact_node.h"
#include "sim/cann/library.h"
#include "sim/prof/host_checklist.h"
#include "temporary_directory.h"

namespace npuprof::sim::testing {
namespace {

template <typename Body>
void on_two_ranks(Body&& body) {
  HcclRootInfo root;
  ASSERT_EQ(CANN(HcclGetRootInfo)(&root), 0);
  std::vector<std::jthread> ranks;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    ranks.emplace_back([&, rank] {
      ASSERT_EQ(CANN(aclrtSetDevice)(static_cast<std::int32_t>(rank)), 0);
      HcclComm comm = nullptr;
      ASSERT_EQ(CANN(HcclCommInitRootInfo)(2, &root, rank, &comm), 0);
      aclrtStream stream = nullptr;
      ASSERT_EQ(CANN(aclrtCreateStream)(&stream), 0);
      body(rank, comm, stream);
      EXPECT_EQ(CANN(aclrtSynchronizeStream)(stream), 0);
      EXPECT_EQ(CANN(HcclCommDestroy)(comm), 0);
      EXPECT_EQ(CANN(aclrtDestroyStream)(stream), 0);
    });
  }
}

TEST(CannCollectives, ReduceForReal) {
  on_two_ranks([](std::uint32_t rank, HcclComm comm, aclrtStream stream) {
    std::uint32_t size = 0;
    EXPECT_EQ(CANN(HcclGetRankSize)(comm, &size), 0);
    EXPECT_EQ(size, 2u);
    const auto own = static_cast<float>(rank + 1);
    std::array<float, 4> values{own, 2 * own, -own, 0.5f};
    std::array<float, 4> result{};
    const auto reduce = [&](int operation) {
      EXPECT_EQ(CANN(HcclAllReduce)(values.data(), result.data(), 4, NPUPROF_HCCL_FP32, operation,
                                    comm, stream),
                0);
      EXPECT_EQ(CANN(aclrtSynchronizeStream)(stream), 0);
      return result;
    };
    EXPECT_EQ(reduce(NPUPROF_HCCL_SUM), (std::array<float, 4>{3, 6, -3, 1}));
    EXPECT_EQ(reduce(NPUPROF_HCCL_PROD), (std::array<float, 4>{2, 8, 2, 0.25f}));
    EXPECT_EQ(reduce(NPUPROF_HCCL_MAX), (std::array<float, 4>{2, 4, -1, 0.5f}));
    EXPECT_EQ(reduce(NPUPROF_HCCL_MIN), (std::array<float, 4>{1, 2, -2, 0.5f}));
    // 1.0 and 2.0 as halves and as bfloats.
    std::array<std::uint16_t, 1> half{static_cast<std::uint16_t>(rank == 0 ? 0x3C00 : 0x4000)};
    EXPECT_EQ(CANN(HcclAllReduce)(half.data(), half.data(), 1, NPUPROF_HCCL_FP16, 0, comm, stream),
              0);
    EXPECT_EQ(CANN(aclrtSynchronizeStream)(stream), 0);
    EXPECT_EQ(half[0], 0x4200);
    std::array<std::uint16_t, 1> brain{static_cast<std::uint16_t>(rank == 0 ? 0x3F80 : 0x4000)};
    EXPECT_EQ(
        CANN(HcclAllReduce)(brain.data(), brain.data(), 1, NPUPROF_HCCL_BFP16, 0, comm, stream), 0);
    EXPECT_EQ(CANN(aclrtSynchronizeStream)(stream), 0);
    EXPECT_EQ(brain[0], 0x4040);
  });
}

TEST(CannCollectives, MoveDataForReal) {
  on_two_ranks([](std::uint32_t rank, HcclComm comm, aclrtStream stream) {
    using Pair = std::array<std::int32_t, 2>;
    const auto number = static_cast<std::int32_t>(rank);
    const std::uint32_t other = 1 - rank;
    const auto wait = [&] { EXPECT_EQ(CANN(aclrtSynchronizeStream)(stream), 0); };
    constexpr int kType = NPUPROF_HCCL_INT32;

    Pair own{10 + number, 20 + number};
    Pair result{};
    EXPECT_EQ(CANN(HcclAllGather)(own.data(), result.data(), 1, kType, comm, stream), 0);
    wait();
    EXPECT_EQ(result, (Pair{10, 11}));
    EXPECT_EQ(CANN(HcclReduceScatter)(own.data(), result.data(), 1, kType, 0, comm, stream), 0);
    wait();
    EXPECT_EQ(result[0], rank == 0 ? 21 : 41);
    EXPECT_EQ(CANN(HcclAlltoAll)(own.data(), 1, kType, result.data(), 1, kType, comm, stream), 0);
    wait();
    EXPECT_EQ(result, rank == 0 ? (Pair{10, 11}) : (Pair{20, 21}));
    EXPECT_EQ(CANN(HcclScatter)(own.data(), result.data(), 1, kType, 1, comm, stream), 0);
    wait();
    EXPECT_EQ(result[0], rank == 0 ? 11 : 21);
    Pair shared = own;
    EXPECT_EQ(CANN(HcclBroadcast)(shared.data(), 2, kType, 1, comm, stream), 0);
    wait();
    EXPECT_EQ(shared, (Pair{11, 21}));
    if (rank == 0) {
      EXPECT_EQ(CANN(HcclSend)(own.data(), 2, kType, 1, comm, stream), 0);
    } else {
      EXPECT_EQ(CANN(HcclRecv)(result.data(), 2, kType, 0, comm, stream), 0);
      wait();
      EXPECT_EQ(result, (Pair{10, 20}));
    }
    HcclSendRecvItem items[] = {{0, own.data(), 2, kType, other},
                                {1, result.data(), 2, kType, other}};
    EXPECT_EQ(CANN(HcclBatchSendRecv)(items, 2, comm, stream), 0);
    wait();
    EXPECT_EQ(result, rank == 0 ? (Pair{11, 21}) : (Pair{10, 20}));
    EXPECT_EQ(CANN(HcclBarrier)(comm, stream), 0);
  });
}

TEST(CannCollectives, KnowTheirPlace) {
  on_two_ranks([](std::uint32_t rank, HcclComm comm, aclrtStream stream) {
    std::uint32_t own = 77;
    EXPECT_EQ(CANN(HcclGetRankId)(comm, &own), 0);
    EXPECT_EQ(own, rank);
    char name[NPUPROF_HCCL_COMM_NAME_BYTES] = {};
    EXPECT_EQ(CANN(HcclGetCommName)(comm, name), 0);
    EXPECT_GT(std::strlen(name), 0u);
    EXPECT_NE(CANN(HcclGetRankId)(nullptr, &own), 0);

    const std::int32_t value = rank == 0 ? 5 : 7;
    std::int32_t sum = 0;
    EXPECT_EQ(CANN(HcclReduce)(const_cast<std::int32_t*>(&value), &sum, 1, NPUPROF_HCCL_INT32,
                               NPUPROF_HCCL_SUM, 1, comm, stream),
              0);
    EXPECT_EQ(CANN(aclrtSynchronizeStream)(stream), 0);
    EXPECT_EQ(sum, rank == 1 ? 12 : 0) << "only the root has it";

    // Rank 0 keeps one and gives two, rank 1 gives one and keeps none.
    const std::array<std::int32_t, 3> out{10, 20, 30};
    std::array<std::int32_t, 3> in{};
    const std::array<std::uint64_t, 2> sends =
        rank == 0 ? std::array<std::uint64_t, 2>{1, 2} : std::array<std::uint64_t, 2>{1, 0};
    const std::array<std::uint64_t, 2> receives =
        rank == 0 ? std::array<std::uint64_t, 2>{1, 1} : std::array<std::uint64_t, 2>{2, 0};
    const std::array<std::uint64_t, 2> send_at{0, 1};
    const std::array<std::uint64_t, 2> receive_at =
        rank == 0 ? std::array<std::uint64_t, 2>{0, 1} : std::array<std::uint64_t, 2>{0, 2};
    EXPECT_EQ(
        CANN(HcclAlltoAllV)(out.data(), sends.data(), send_at.data(), NPUPROF_HCCL_INT32, in.data(),
                            receives.data(), receive_at.data(), NPUPROF_HCCL_INT32, comm, stream),
        0);
    EXPECT_EQ(CANN(aclrtSynchronizeStream)(stream), 0);
    const std::array<std::int32_t, 3> expected =
        rank == 0 ? std::array<std::int32_t, 3>{10, 10, 0} : std::array<std::int32_t, 3>{20, 30, 0};
    EXPECT_EQ(in, expected);
  });
}

TEST(CannCollectives, NeedNoThreadPerDevice) {
  std::int32_t devices[] = {2, 3};
  HcclComm comms[2] = {};
  ASSERT_EQ(CANN(HcclCommInitAll)(2, devices, comms), 0);
  std::int64_t values[] = {5, 7};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(CANN(aclrtSetDevice)(devices[i]), 0);
    ASSERT_EQ(
        CANN(HcclAllReduce)(&values[i], &values[i], 1, NPUPROF_HCCL_INT64, 0, comms[i], nullptr),
        0);
  }
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(CANN(aclrtSetDevice)(devices[i]), 0);
    ASSERT_EQ(CANN(aclrtSynchronizeDevice)(), 0);
    EXPECT_EQ(values[i], 12);
    EXPECT_EQ(CANN(HcclCommDestroy)(comms[i]), 0);
    EXPECT_NE(CANN(HcclCommDestroy)(comms[i]), 0);
  }
}

TEST(CannCollectives, RefuseRanksThatDisagree) {
  std::int32_t devices[] = {4, 5};
  HcclComm comms[2] = {};
  ASSERT_EQ(CANN(HcclCommInitAll)(2, devices, comms), 0);
  float value = 1;
  EXPECT_EQ(CANN(HcclAllReduce)(&value, &value, 1, NPUPROF_HCCL_FP32, 0, comms[0], nullptr), 0);
  EXPECT_NE(CANN(HcclBroadcast)(&value, 1, NPUPROF_HCCL_FP32, 0, comms[1], nullptr), 0);
  ASSERT_EQ(CANN(aclrtSetDevice)(4), 0);
  EXPECT_NE(CANN(aclrtSynchronizeDevice)(), 0) << "what rank 0 waited for never came";
}

TEST(CannCollectives, StayInsideTheProcess) {
  HcclRootInfo root;
  ASSERT_EQ(CANN(HcclGetRootInfo)(&root), 0);
  ASSERT_EQ(CANN(aclrtSetDevice)(0), 0);
  root.internal[8] ^= 1;  // The number of another process.
  HcclComm comm = nullptr;
  EXPECT_EQ(CANN(HcclCommInitRootInfo)(2, &root, 0, &comm), NPUPROF_HCCL_NOT_SUPPORT);
}

TEST(CannCollectives, AppearInTheProfileOfBothDevices) {
  const npuprof::testing::TemporaryDirectory directory;
  {
    const Profiled profiled(directory.path(), {0, 1}, kLevel1);
    on_two_ranks([](std::uint32_t, HcclComm comm, aclrtStream stream) {
      std::array<float, 1024> values{};
      EXPECT_EQ(launch(stream), 0);
      EXPECT_EQ(CANN(HcclAllReduce)(values.data(), values.data(), values.size(), NPUPROF_HCCL_FP32,
                                    0, comm, stream),
                0);
      EXPECT_EQ(launch(stream), 0);
    });
  }
  const auto prof = prof_directories(directory.path()).front();
  expect_tree(prof, {0, 1}, "5");
  expect_host_side(prof);
  const auto operations = records_of<HcclOpInfo>(prof / "host/data");
  ASSERT_EQ(operations.size(), 2u);
  EXPECT_EQ(operations[0].element_count, 1024u);
  std::set<std::uint32_t> ranks;
  for (const HcclInfo& task : records_of<HcclInfo>(prof / "host/data")) {
    ranks.insert(task.local_rank);
    EXPECT_EQ(task.rank_size, 2u);
  }
  EXPECT_EQ(ranks, (std::set<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace npuprof::sim::testing
