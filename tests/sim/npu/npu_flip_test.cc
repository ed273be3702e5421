#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "format/device/ts_track.h"
#include "sim/model/sample_kernels.h"
#include "sim/npu/npu.h"
#include "sim/npu/npu_fixture.h"
#include "sim/simulated.h"

// Task ids wrap at 16 bits. Both sides report it, and readers number the batches of each side on
// their own: the numbers must agree for every task.

namespace npuprof::sim {
namespace {

namespace device = format::device;
namespace host = format::host;
using testing::Recording;

using testing::kThread;

// (stream, task, batch)
using Identity = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

struct Flip {
  std::uint64_t time;
  std::uint16_t number;
};
using Flips = std::map<std::uint32_t, std::vector<Flip>>;  // By stream.

std::uint32_t batch_at(const Flips& flips, std::uint32_t stream, std::uint64_t time) {
  const auto found = flips.find(stream);
  if (found == flips.end()) return 0;
  std::uint32_t batch = 0;
  for (const Flip& flip : found->second) {
    EXPECT_NE(flip.time, time) << "readers disagree about equal times";
    if (time > flip.time) ++batch;
  }
  return batch;
}

std::multiset<Identity> host_tasks(const Recording& recording) {
  Flips flips;
  const auto tracks = recording.host<host::TaskTrack>();
  for (const auto& track : tracks) {
    if (track.task_type == static_cast<std::uint64_t>(host::TaskType::kFlip)) {
      flips[track.stream].push_back({track.header.timestamp, track.flip_count()});
    }
  }
  std::multiset<Identity> tasks;
  for (const auto& track : tracks) {
    if (track.task_type == static_cast<std::uint64_t>(host::TaskType::kFlip)) continue;
    tasks.insert({track.stream, track.short_task_id(),
                  batch_at(flips, track.stream, track.header.timestamp)});
  }
  return tasks;
}

std::multiset<Identity> device_tasks(const Recording& recording) {
  Flips flips;
  for (const auto& flip : recording.device<device::TaskFlip>("ts_track.data")) {
    if (flip.head.track_type() != device::TrackType::kFlip) continue;
    flips[flip.stream_id].push_back({flip.head.syscnt, flip.flip_number});
  }
  std::multiset<Identity> tasks;
  for (const auto& log : recording.task_log()) {
    if (log.head.function() != device::StarsFunction::kTaskStart) continue;
    tasks.insert({log.raw_stream, log.raw_task, batch_at(flips, log.raw_stream, log.syscnt)});
  }
  return tasks;
}

void expect_unique_and_equal(const Recording& recording) {
  const auto on_host = host_tasks(recording);
  EXPECT_EQ(on_host, device_tasks(recording));
  for (const Identity& identity : on_host) ASSERT_EQ(on_host.count(identity), 1u);
}

TEST(NpuFlip, BothSidesCountTheWraps) {
  NpuOptions options;
  options.collection.level = CollectionLevel::kLevel0;
  Recording recording(options);
  Npu& npu = recording.npu();
  const KernelTemplate& kernel = npu.kernels().add(testing::elementwise(1000));
  const StreamNumber stream = *npu.streams().create(kThread, recording.begin_ns());
  std::int64_t now_ns = recording.begin_ns() + 10'000;
  constexpr int kTasks = 2 * 65535 + 100;
  for (int i = 0; i < kTasks; ++i) {
    now_ns = npu.kernels().launch(kThread, stream, kernel, now_ns).host_end_ns + 3000;
    npu.settle(now_ns);
  }
  recording.finish();
  EXPECT_EQ(npu.truth().counted(TruthCount::kFlips), 2u);
  const auto flips = recording.device<device::TaskFlip>("ts_track.data");
  ASSERT_EQ(flips.size(), 2u);
  EXPECT_EQ(flips[0].flip_number, 1);
  EXPECT_EQ(flips[1].flip_number, 2);
  EXPECT_EQ(flips[0].task_id, 0);
  EXPECT_EQ(host_tasks(recording).size(), static_cast<std::size_t>(kTasks));
  expect_unique_and_equal(recording);
  for (const auto& [on_stream, task, batch] : host_tasks(recording)) {
    EXPECT_LE(task, 65534u);
    EXPECT_TRUE(batch == 0 || task > 0) << "0 is the flip itself";
  }
}

TEST(NpuFlip, AStreamThatBeginsNearTheWrapWrapsAtOnce) {
  NpuOptions options;
  options.first_task_id = 65530;
  Recording recording(options);
  Npu& npu = recording.npu();
  const StreamNumber stream = *npu.streams().create(kThread, recording.begin_ns());
  std::int64_t now_ns = recording.begin_ns() + 10'000;
  // Copies of three tasks: their ids must not be torn apart by the wrap.
  for (int i = 0; i < 8; ++i) {
    now_ns = npu.copies()
                 .copy(kThread, stream, host::MemcpyDirection::kDeviceToDevice,
                       3 * NpuCopies::kMostTaskBytes, now_ns)
                 .host_end_ns +
             1000;
  }
  recording.finish();
  EXPECT_EQ(npu.truth().counted(TruthCount::kFlips), 1u);
  expect_unique_and_equal(recording);
}

TEST(NpuFlip, ADestroyedStreamMayBeUsedAgain) {
  Recording recording;
  Npu& npu = recording.npu();
  const KernelTemplate& kernel = npu.kernels().add(testing::elementwise(1000));
  std::int64_t now_ns = recording.begin_ns();
  for (int life = 0; life < 3; ++life) {
    const StreamNumber stream = *npu.streams().create(kThread, now_ns, &now_ns);
    EXPECT_EQ(stream, 1);
    for (int i = 0; i < 4; ++i) {
      now_ns = npu.kernels().launch(kThread, stream, kernel, now_ns).host_end_ns + 500;
    }
    now_ns = npu.streams().destroy(kThread, stream, now_ns) + 500;
  }
  recording.finish();
  const auto flips = recording.device<device::TaskFlip>("ts_track.data");
  ASSERT_EQ(flips.size(), 3u);
  EXPECT_EQ(flips[0].flip_number, device::TaskFlip::kStreamDestroyed);
  EXPECT_EQ(host_tasks(recording).size(), 12u);
  expect_unique_and_equal(recording);
}

}  // namespace
}  // namespace npuprof::sim
