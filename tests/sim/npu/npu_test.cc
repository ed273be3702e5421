#include "sim/npu/npu.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "format/device/aicpu.h"
#include "format/device/ffts_profile.h"
#include "format/device/frequency.h"
#include "format/device/l2_cache.h"
#include "format/device/memory_samples.h"
#include "format/device/pmu_metrics.h"
#include "format/device/soc_pmu.h"
#include "format/host/compact_memory.h"
#include "sim/model/sample_kernels.h"
#include "sim/npu/npu_fixture.h"

namespace npuprof::sim {
namespace {

namespace device = format::device;
namespace host = format::host;
using testing::enclosing;
using testing::Recording;

constexpr std::uint32_t kReporter = 4711;

// Launches a few operators of every kind, in the way of a program.
std::int64_t run_small_program(Recording& recording, int rounds = 3) {
  Npu& npu = recording.npu();
  const StreamNumber stream = *npu.streams().create(kReporter, recording.begin_ns());
  std::vector<std::pair<AclCall, const KernelTemplate*>> operators;
  for (KernelDesc desc : testing::all_core_kernels()) {
    desc.tensors = {{.shape = {1024, 4096}}, {.is_output = true, .shape = {1024, 4096}}};
    desc.attributes = "transpose:0";
    operators.emplace_back(npu.calls().named("aclnn" + desc.type), &npu.kernels().add(desc));
  }
  KernelDesc on_cpu = testing::elementwise(1000);
  on_cpu.kind = KernelCore::kAicpu;
  operators.emplace_back(npu.calls().named("aclnnNonzero"), &npu.kernels().add(on_cpu));
  std::int64_t now_ns = recording.begin_ns() + 100'000;
  for (int round = 0; round < rounds; ++round) {
    for (const auto& [call, kernel] : operators) {
      const KernelTemplate* pair[] = {operators[3].second, kernel};
      now_ns =
          npu.kernels().launch_operator(kReporter, stream, call, pair, now_ns).host_end_ns + 700;
    }
    now_ns = npu.copies()
                 .copy(kReporter, stream, host::MemcpyDirection::kHostToDevice, 1 << 20, now_ns)
                 .host_end_ns +
             500;
    now_ns = npu.streams().synchronize_device(kReporter, now_ns) + 500;
    npu.settle(now_ns);
  }
  return now_ns;
}

NpuOptions with_level(CollectionLevel level) {
  NpuOptions options;
  options.collection.level = level;
  return options;
}

TEST(Npu, WritesWhatEachLevelCollects) {
  struct Expectation {
    CollectionLevel level;
    bool tasks, details, runtime;
  };
  for (const Expectation& expected : {Expectation{CollectionLevel::kNone, false, false, false},
                                      Expectation{CollectionLevel::kLevel0, true, false, false},
                                      Expectation{CollectionLevel::kLevel1, true, true, false},
                                      Expectation{CollectionLevel::kLevel2, true, true, true}}) {
    Recording recording(with_level(expected.level));
    run_small_program(recording);
    recording.finish();
    SCOPED_TRACE(static_cast<int>(expected.level));
    EXPECT_EQ(recording.has_file("host", "aging.compact.task_track"), expected.tasks);
    EXPECT_EQ(recording.has_file("host", "aging.api_event"), expected.tasks);
    EXPECT_EQ(recording.has_file("host", "aging.compact.memcpy_info"), expected.tasks);
    EXPECT_EQ(recording.has_file("device", "stars_soc.data"), expected.tasks);
    EXPECT_EQ(recording.has_file("host", "aging.compact.node_basic_info"), expected.details);
    EXPECT_EQ(recording.has_file("host", "aging.additional.tensor_info"), expected.details);
    EXPECT_EQ(recording.has_file("host", "aging.additional.context_id_info"), expected.tasks);
    EXPECT_EQ(recording.has_file("device", "ffts_profile.data"), expected.details);
    EXPECT_EQ(recording.has_file("device", "aicpu.data"), expected.runtime);
    EXPECT_FALSE(recording.has_file("device", "l2_cache.data"));
    EXPECT_FALSE(recording.has_file("host", "aging.compact.node_attr_info"));
    const auto calls = recording.calls();
    const bool has_runtime = std::any_of(calls.begin(), calls.end(), [](const auto& call) {
      return call.level == host::kLevelRuntime;
    });
    EXPECT_EQ(has_runtime, expected.runtime);
  }
}

TEST(Npu, RecordsLieStrictlyInsideTheirIntervals) {
  Recording recording(with_level(CollectionLevel::kLevel2));
  run_small_program(recording);
  recording.finish();
  const auto calls = recording.calls();
  const auto tracks = recording.host<host::TaskTrack>();
  ASSERT_FALSE(tracks.empty());
  for (const auto& track : tracks) {
    const auto* runtime =
        enclosing(calls, host::kLevelRuntime, track.header.thread_id, track.header.timestamp);
    ASSERT_NE(runtime, nullptr);
    EXPECT_EQ(track.header.timestamp, runtime->begin + 1);
    const auto* acl = enclosing(calls, host::kLevelAcl, kReporter, track.header.timestamp);
    ASSERT_NE(acl, nullptr);
    EXPECT_LT(acl->begin, runtime->begin);
    EXPECT_GT(acl->end, runtime->end);
    if (track.kernel_name == 0) continue;  // A copy has no operator.
    const auto* node = enclosing(calls, host::kLevelNode, kReporter, track.header.timestamp);
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(node->item_id, track.kernel_name);
    EXPECT_LT(acl->begin, node->begin);
    EXPECT_LT(node->begin, runtime->begin);
    EXPECT_LT(runtime->end, node->end);
    EXPECT_LT(node->end, acl->end);
  }
  const auto nodes = recording.host<host::NodeBasicInfo>();
  const auto tensors = recording.host<host::TensorInfo>();
  ASSERT_EQ(nodes.size(), recording.npu().truth().counted(TruthCount::kKernels));
  for (const auto& node : nodes) {
    const auto* launch = enclosing(calls, host::kLevelNode, kReporter, node.header.timestamp);
    ASSERT_NE(launch, nullptr);
    EXPECT_EQ(launch->item_id, node.op_name);
    EXPECT_EQ(launch->end, node.header.timestamp);
  }
  for (const auto& record : tensors) {
    ASSERT_NE(enclosing(calls, host::kLevelNode, kReporter, record.header.timestamp), nullptr);
    EXPECT_EQ(record.tensor_count, 2u);
    EXPECT_EQ(record.tensors[0].dimensions().size(), 2u);
  }
}

TEST(Npu, IntervalsOfAThreadAndLevelNeverOverlap) {
  Recording recording(with_level(CollectionLevel::kLevel2));
  run_small_program(recording);
  recording.finish();
  std::map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> by_level;
  for (const auto& call : recording.calls()) by_level[call.level].push_back({call.begin, call.end});
  for (auto& [level, intervals] : by_level) {
    std::sort(intervals.begin(), intervals.end());
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      EXPECT_LT(intervals[i].first, intervals[i].second) << level;
      EXPECT_TRUE(i == 0 || intervals[i - 1].second < intervals[i].first) << level;
    }
  }
}

TEST(Npu, EveryTaskOfTheHostRanOnTheDeviceOnce) {
  Recording recording;
  run_small_program(recording);
  recording.finish();
  std::map<std::pair<int, int>, std::vector<std::uint64_t>> starts, ends;
  std::uint64_t last = 0;
  for (const auto& log : recording.task_log()) {
    EXPECT_GE(log.syscnt, last) << "the log is in order of time";
    last = log.syscnt;
    const std::pair<int, int> key{log.raw_stream, log.raw_task};
    if (log.head.function() == device::StarsFunction::kTaskStart) starts[key].push_back(log.syscnt);
    if (log.head.function() == device::StarsFunction::kTaskEnd) ends[key].push_back(log.syscnt);
  }
  const auto tracks = recording.host<host::TaskTrack>();
  EXPECT_EQ(tracks.size(), starts.size());
  EXPECT_EQ(tracks.size(), recording.npu().truth().counted(TruthCount::kDeviceTasks));
  std::int64_t free_ns = 0;
  for (const auto& track : tracks) {
    const std::pair<int, int> key{track.stream, track.short_task_id()};
    ASSERT_EQ(starts[key].size(), 1u);
    ASSERT_EQ(ends[key].size(), 1u);
    const std::int64_t launch_ns = recording.clock().wall_ns_of_host_ticks(track.header.timestamp);
    const std::int64_t begin_ns = recording.clock().wall_ns_of_device_ticks(starts[key][0]);
    EXPECT_GT(begin_ns, launch_ns) << "no task starts before it was launched";
    EXPECT_GT(ends[key][0], starts[key][0]);
    EXPECT_GT(begin_ns, free_ns) << "tasks of a stream run in order";
    free_ns = recording.clock().wall_ns_of_device_ticks(ends[key][0]);
  }
}

TEST(Npu, MixKernelsHaveAContextAndBlocksOfTheOtherCores) {
  Recording recording;
  Npu& npu = recording.npu();
  const KernelTemplate& kernel = npu.kernels().add(testing::attention(KernelCore::kMixAic));
  const TaskRun run = npu.kernels().launch(kReporter, 0, kernel, recording.begin_ns());
  recording.finish();
  const auto log = recording.task_log();
  ASSERT_EQ(log.size(), 4u);
  EXPECT_EQ(log[1].head.function(), device::StarsFunction::kFftsPlusStart);
  EXPECT_EQ(log[1].context_id, 0);
  EXPECT_EQ(log[1].ffts_type(), 4);
  EXPECT_EQ(log[1].sub_task_type(), 6);
  EXPECT_EQ(log[2].head.function(), device::StarsFunction::kFftsPlusEnd);

  const auto pmu = recording.device<device::BlockPmu>("ffts_profile.data");
  ASSERT_EQ(pmu.size(), 41u);
  std::uint64_t slave_cycles = 0;
  for (const auto& record : pmu) {
    EXPECT_GE(record.start_syscnt, log[1].syscnt);
    EXPECT_LE(record.end_syscnt, log[2].syscnt);
    if (record.head.function() != device::StarsFunction::kBlockPmu) continue;
    EXPECT_TRUE(record.is_vector_core());
    slave_cycles += record.total_cycles;
  }
  // Readers find the time of the slave cores from their cycles: a little less than the kernel's.
  const double busy_us =
      device::total_time_us(slave_cycles, npu.chip().aic_mhz, 40, npu.chip().vector_core_count);
  const double run_us = static_cast<double>(run.device_end_ns - run.device_begin_ns) / 1000;
  EXPECT_LT(busy_us, run_us);
  EXPECT_GT(busy_us, 0.9 * run_us - 4);

  const auto contexts = recording.host<host::ContextIdInfo>();
  ASSERT_EQ(contexts.size(), 1u);
  EXPECT_EQ(contexts[0].context_count, 1u);
  EXPECT_EQ(contexts[0].context_ids[0], 0u);
  // The truth is the context's time.
  EXPECT_EQ(npu.truth().kernels().total_ns,
            static_cast<std::int64_t>(log[2].syscnt - log[1].syscnt) * 20);
}

TEST(Npu, CountersGiveTheTimeTheCoresWereBusy) {
  NpuOptions options;
  options.frequency_drops = {{.begin_ns = 0, .duration_ns = 50'000'000, .mhz = 900}};
  Recording recording(options);
  Npu& npu = recording.npu();
  const KernelTemplate& kernel = npu.kernels().add(testing::matmul(2048, 2048, 2048));
  // Once at the low clock, once at the full one.
  npu.kernels().launch(kReporter, 0, kernel, recording.begin_ns());
  npu.kernels().launch(kReporter, 0, kernel, 100'000'000);
  recording.finish();
  const auto frequencies = recording.device<device::FrequencyRecord>("lpmFreqConv.data");
  ASSERT_EQ(frequencies.size(), 1u);
  ASSERT_GE(frequencies[0].count, 2u);
  const auto pmu = recording.device<device::ContextPmu>("ffts_profile.data");
  ASSERT_EQ(pmu.size(), 2u);
  double busy_us[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    std::uint32_t mhz = 0;
    for (const auto& change : frequencies[0].used()) {
      if (change.syscnt <= pmu[i].end_syscnt) mhz = change.value;
    }
    EXPECT_EQ(mhz, i == 0 ? 900u : npu.chip().aic_mhz);
    busy_us[i] = device::total_time_us(pmu[i].total_cycles, mhz, kernel.desc().block_count,
                                       npu.chip().ai_core_count);
    const double counted_us = static_cast<double>(pmu[i].end_syscnt - pmu[i].start_syscnt) * 0.02;
    EXPECT_NEAR(busy_us[i], counted_us, 0.05);
  }
  EXPECT_GT(busy_us[0], 1.7 * busy_us[1]);
}

TEST(Npu, EventsOrderStreams) {
  Recording recording;
  Npu& npu = recording.npu();
  const StreamNumber first = *npu.streams().create(kReporter, recording.begin_ns());
  const StreamNumber second = *npu.streams().create(kReporter, recording.begin_ns() + 10'000);
  const KernelTemplate& big = npu.kernels().add(testing::matmul(8192, 8192, 8192));
  const KernelTemplate& small = npu.kernels().add(testing::elementwise(1000));
  std::int64_t now_ns = recording.begin_ns() + 20'000;
  const TaskRun long_run = npu.kernels().launch(kReporter, first, big, now_ns);
  now_ns = long_run.host_end_ns + 100;
  const TaskRun free_run = npu.kernels().launch(kReporter, second, small, now_ns);
  EXPECT_LT(free_run.device_end_ns, long_run.device_end_ns) << "streams run side by side";
  StreamEvent event;
  now_ns =
      npu.streams().record_event(kReporter, first, event, free_run.host_end_ns + 100).host_end_ns +
      100;
  EXPECT_GT(event.done_ns, long_run.device_end_ns);
  const TaskRun wait = npu.streams().wait_event(kReporter, second, event, now_ns);
  EXPECT_GE(wait.device_end_ns, event.done_ns);
  const TaskRun after = npu.kernels().launch(kReporter, second, small, wait.host_end_ns + 100);
  EXPECT_GT(after.device_begin_ns, event.done_ns);

  now_ns = after.host_end_ns + 100;
  const std::int64_t back_ns = npu.streams().synchronize_stream(kReporter, second, now_ns);
  EXPECT_GT(back_ns, npu.streams().free_ns(second));
  EXPECT_GT(npu.streams().synchronize_event(kReporter, event, back_ns + 100), back_ns);
  EXPECT_GT(npu.streams().synchronize_device(kReporter, back_ns + 50'000),
            npu.streams().latest_free_ns());
  recording.finish();
  EXPECT_EQ(npu.truth().counted(TruthCount::kEvents), 2u);
}

TEST(Npu, LongCopiesTakeSeveralTasks) {
  Recording recording;
  Npu& npu = recording.npu();
  const std::uint64_t bytes = 2 * NpuCopies::kMostTaskBytes + 4096;
  npu.copies().copy(kReporter, 0, host::MemcpyDirection::kDeviceToHost, bytes,
                    recording.begin_ns());
  npu.copies().fill(kReporter, 0, 1 << 20, recording.begin_ns() + 1'000'000'000);
  recording.finish();
  const auto info = recording.host<host::MemcpyInfo>();
  ASSERT_EQ(info.size(), 1u);
  EXPECT_EQ(info[0].data_size, bytes);
  EXPECT_EQ(info[0].direction, 2);
  const auto tracks = recording.host<host::TaskTrack>();
  ASSERT_EQ(tracks.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(tracks[i].task_type, 5u);
    EXPECT_EQ(tracks[i].header.timestamp, info[0].header.timestamp) << "the key of the join";
  }
  EXPECT_EQ(tracks[3].task_type, 32u);
  EXPECT_EQ(recording.task_log()[0].head.sqe_type(), 17) << "PCIe DMA";
  EXPECT_EQ(npu.truth().counted(TruthCount::kCopies), 3u);
}

TEST(Npu, OptionsAddTheirFiles) {
  NpuOptions options;
  options.collection.l2_cache = true;
  options.collection.op_attr = true;
  options.collection.task_block = true;
  Recording recording(options);
  Npu& npu = recording.npu();
  KernelDesc desc = testing::elementwise(1 << 20);
  desc.attributes = "alpha:1.0";
  const KernelTemplate& kernel = npu.kernels().add(desc);
  npu.kernels().launch(kReporter, 0, kernel, recording.begin_ns());
  recording.finish();
  const auto cache = recording.device<device::L2CacheRecord>("l2_cache.data");
  ASSERT_EQ(cache.size(), 1u);
  EXPECT_GT(cache[0].counters[1], 0u);
  EXPECT_EQ(recording.device<device::SocPmuRecord>("socpmu.data").size(), 1u);
  EXPECT_EQ(recording.host<host::NodeAttrInfo>().size(), 1u);
  EXPECT_EQ(recording.device<device::ContextPmu>("ffts_profile.data").size(), 1u);
}

TEST(Npu, BlocksOfTheMainCoresAreCountedWhereReadersCanFindThem) {
  const KernelDesc mix = testing::attention(KernelCore::kMixAic);
  const KernelDesc plain = testing::elementwise(1 << 20);
  const auto records = [](const char* chip, const KernelDesc& desc, bool task_block) {
    NpuOptions options;
    options.chip = *find_chip(chip);
    options.collection.task_block = task_block;
    Recording recording(options);
    recording.npu().kernels().launch(kReporter, 0, recording.npu().kernels().add(desc),
                                     recording.begin_ns());
    recording.finish();
    return recording.device<device::ContextPmu>("ffts_profile.data").size();
  };
  EXPECT_EQ(records("910B3", mix, true), records("910B3", mix, false) + mix.block_count);
  EXPECT_EQ(records("910B3", plain, true), records("910B3", plain, false));
  EXPECT_EQ(records("910_95", plain, true), records("910_95", plain, false) + plain.block_count);
}

TEST(Npu, NothingIsRecordedAfterTheProcessWasKilled) {
  Recording recording(with_level(CollectionLevel::kLevel2));
  Npu& npu = recording.npu();
  const KernelTemplate& kernel = npu.kernels().add(testing::elementwise(1 << 24));
  const TaskRun first = npu.kernels().launch(kReporter, 0, kernel, recording.begin_ns());
  // In the middle of the second kernel, which the host had launched before.
  const TaskRun second = npu.kernels().launch(kReporter, 0, kernel, first.host_end_ns + 100);
  ASSERT_LT(second.host_end_ns, second.device_begin_ns);
  Recording again(with_level(CollectionLevel::kLevel2));
  again.npu().stop_at((second.device_begin_ns + second.device_end_ns) / 2);
  const KernelTemplate& same = again.npu().kernels().add(testing::elementwise(1 << 24));
  std::int64_t now_ns = again.begin_ns();
  for (int i = 0; i < 3; ++i) {
    now_ns = again.npu().kernels().launch(kReporter, 0, same, now_ns).host_end_ns + 100;
  }
  again.npu().kernels().launch(kReporter, 0, same, second.device_end_ns);
  again.finish();
  EXPECT_EQ(again.host<host::TaskTrack>().size(), 3u);
  ASSERT_EQ(again.task_log().size(), 3u);  // Start and end, and a start.
  EXPECT_EQ(again.device<device::ContextPmu>("ffts_profile.data").size(), 1u);
  EXPECT_EQ(again.npu().truth().counted(TruthCount::kKernels), 1u);
  EXPECT_EQ(again.npu().truth().counted(TruthCount::kDeviceTasks), 1u);
}

TEST(Npu, SamplesShowTheTraffic) {
  NpuOptions options;
  options.collection.memory = true;
  options.collection.sys_interconnection = true;
  options.collection.sys_io = true;
  Recording recording(options);
  Npu& npu = recording.npu();
  npu.samples().set_memory(6ull << 30, 1 << 30);
  const KernelTemplate& kernel = npu.kernels().add(testing::elementwise(1e8));
  std::int64_t now_ns = recording.begin_ns();
  for (int i = 0; i < 400; ++i) {
    now_ns = npu.kernels().launch(kReporter, 0, kernel, now_ns).host_end_ns + 1000;
  }
  now_ns = npu.streams().synchronize_device(kReporter, now_ns);
  npu.settle(now_ns);
  recording.finish();
  for (const char* file :
       {"hbm.data", "npu_mem.app", "npu_module_mem.data", "pcie.data", "roce.data"}) {
    EXPECT_TRUE(recording.has_file("device", file)) << file;
  }
  // Bandwidth of all HBM stacks in a sample, by the readers' formula.
  std::map<std::uint64_t, double> bytes;
  for (const auto& sample : recording.device<device::HbmSample>("hbm.data")) {
    bytes[sample.time_us] += static_cast<double>(sample.count) * device::HbmSample::kBytesPerCount;
  }
  ASSERT_GT(bytes.size(), 3u);
  double most = 0;
  for (const auto& [time, sum] : bytes) most = std::max(most, sum / 0.02 / 1e9);
  EXPECT_GT(most, 0.5 * npu.chip().hbm_gb_per_s);
  EXPECT_LT(most, 1.1 * npu.chip().hbm_gb_per_s);
}

TEST(Npu, RunsAlikeWhetherOrNotItIsCollected) {
  Recording collected;
  Recording idle;
  idle.npu().detach(0);
  EXPECT_EQ(run_small_program(collected), run_small_program(idle));
  EXPECT_EQ(idle.npu().truth().counted(TruthCount::kKernels), 0u);
  collected.finish();
  idle.finish();
  EXPECT_TRUE(idle.files("host").empty());
}

TEST(Npu, SameSeedSameBytes) {
  std::vector<std::string> contents;
  for (int run = 0; run < 2; ++run) {
    Recording recording(with_level(CollectionLevel::kLevel2));
    run_small_program(recording);
    recording.finish();
    std::string all;
    for (const char* side : {"host", "device"}) {
      for (const std::string& name : recording.files(side)) {
        all += name + "\n" + *read_file(recording.path() / side / name);
      }
    }
    contents.push_back(std::move(all));
  }
  EXPECT_EQ(contents[0], contents[1]);
}

TEST(Npu, FaultsSlowItDown) {
  const auto duration = [](NpuOptions options) {
    Recording recording(std::move(options));
    const std::int64_t end_ns = run_small_program(recording) - recording.begin_ns();
    recording.finish();
    return end_ns;
  };
  NpuOptions slow_device;
  slow_device.compute_slowdown = 3;
  NpuOptions slow_host;
  slow_host.host_slowdown = 50;
  const std::int64_t healthy = duration({});
  EXPECT_GT(duration(slow_device), healthy * 3 / 2);
  EXPECT_GT(duration(slow_host), healthy * 3 / 2);
}

TEST(Npu, LostRecordsAreCountedAndNotPartOfTheTruth) {
  NpuOptions options;
  options.dropped_kernel_share = 0.3;
  Recording recording(options);
  run_small_program(recording, 20);
  recording.finish();
  const TruthCounter& truth = recording.npu().truth();
  const std::uint64_t lost = truth.counted(TruthCount::kDroppedRecords);
  EXPECT_GT(lost, 20u);
  std::uint64_t starts = 0, ends = 0;
  for (const auto& log : recording.task_log()) {
    starts += log.head.function() == device::StarsFunction::kTaskStart;
    ends += log.head.function() == device::StarsFunction::kTaskEnd;
  }
  EXPECT_EQ(starts, ends + lost);
  EXPECT_EQ(truth.counted(TruthCount::kDeviceTasks), ends);
}

TEST(Npu, TheNewestChipHasUniqueTasksAndTwoCounterRecordsForMix) {
  NpuOptions options;
  options.chip = *find_chip("910_95");
  options.collection.level = CollectionLevel::kLevel2;
  Recording recording(options);
  run_small_program(recording);
  recording.finish();
  std::map<std::uint32_t, int> starts;
  for (const auto& log : recording.device<device::TaskLogV6>("stars_soc.data")) {
    if (log.head.function() == device::StarsFunction::kTaskStart) ++starts[log.task_id];
  }
  const auto tracks = recording.host<host::TaskTrack>();
  EXPECT_EQ(starts.size(), tracks.size());
  for (const auto& track : tracks) EXPECT_EQ(starts[track.task_id], 1);
  EXPECT_FALSE(recording.has_file("host", "aging.additional.context_id_info"));
  std::size_t main = 0, slave = 0;
  for (const auto& pmu : recording.device<device::CorePmuV6>("ffts_profile.data")) {
    EXPECT_EQ(pmu.head.function(), device::StarsFunction::kContextPmuV6);
    (pmu.is_main_core() ? main : slave) += 1;
    EXPECT_GT(pmu.end_syscnt, pmu.start_syscnt);
  }
  const TruthCounter& truth = recording.npu().truth();
  EXPECT_EQ(slave, truth.counted(TruthCount::kMixKernels));
  EXPECT_EQ(main, truth.counted(TruthCount::kKernels) - truth.counted(TruthCount::kAicpuKernels));
}

TEST(Npu, ASecondCollectionHasItsOwnDictionaries) {
  Recording first;
  Npu& npu = first.npu();
  const KernelTemplate& kernel = npu.kernels().add(testing::elementwise(1000));
  const AclCall call = npu.calls().named("aclnnAdd");
  const KernelTemplate* kernels[] = {&kernel};
  const std::int64_t now_ns =
      npu.kernels().launch_operator(kReporter, 0, call, kernels, first.begin_ns()).host_end_ns;
  first.finish();

  ::npuprof::testing::TemporaryDirectory again;
  HostReporter host_reporter(again.path());
  DeviceReporter device_reporter = *DeviceReporter::create({.data_directory = again.path()});
  npu.attach(host_reporter, device_reporter, now_ns);
  npu.kernels().launch_operator(kReporter, 0, call, kernels, now_ns + 1000);
  npu.detach(npu.streams().latest_free_ns() + 1);
  ASSERT_TRUE(host_reporter.close().ok());
  ASSERT_TRUE(device_reporter.close().ok());
  const auto hashes = read_file(again / "unaging.additional.hash_dic.slice_0");
  ASSERT_TRUE(hashes.ok());
  EXPECT_NE(hashes->find("aclnnAdd_AddAiCore_Add"), std::string::npos);
  const auto types = read_file(again / "unaging.additional.type_info_dic.slice_0");
  ASSERT_TRUE(types.ok());
  EXPECT_NE(types->find(":aclnnAdd"), std::string::npos);
  EXPECT_NE(types->find(":launch"), std::string::npos);
}

}  // namespace
}  // namespace npuprof::sim
