#include "sim/prof/prof_directory.h"

#include <gtest/gtest.h>

#include "record/host_reporter.h"
#include "sim/prof/control_files.h"
#include "sim/prof/host_checklist.h"
#include "temporary_directory.h"

namespace npuprof::sim {

using record::HostReporter;

namespace {

using namespace format::host;  // NOLINT(*-using-namespace)
using npuprof::testing::TemporaryDirectory;

ProfOptions options_for(const char* chip, std::uint32_t device = 0) {
  ProfOptions options;
  options.chip = find_chip(chip).value();
  options.clock =
      SimClock(ClockOptions{.device = device, .device_mhz = options.chip->device_counter_mhz})
          .anchors();
  options.pid = 4711;
  options.rank_id = 3;
  options.name = {.task = 1,
                  .time = prof_name_time(options.clock.wall_begin_us),
                  .pid = 4711,
                  .letters = prof_name_letters(7)};
  return options;
}

// Writes what a short run would report: kernels on two streams until the ids of one wrap, copies, a
// collective with two planes, marks.
class ShortRun {
 public:
  ShortRun(HostReporter& reporter, const ProfOptions& options)
      : reporter_(reporter),
        long_task_ids_(options.chip->is_v6()),
        now_(options.clock.host_anchor_ticks + 1000) {
    reporter_.name_type(kLevelAcl, 0x50001, "aclnnMm");
    reporter_.name_type(kLevelAcl, 0x30001, "aclrtMemcpyAsync");
  }

  void kernel(std::uint16_t stream) {
    const std::uint64_t begin = now_;
    const std::uint64_t name = reporter_.hash("aclnnMm_MatMulV3Common_MatMulV3");
    call(kLevelRuntime, kRuntimeApiBase + 160, begin + 10, begin + 30);
    track(stream, TaskType::kKernelAicore, begin + 11, name);
    reporter_.record(Age::kAging,
                     NodeBasicInfo{.header = header_of<NodeBasicInfo>(kThread, begin + 40),
                                   .op_name = name,
                                   .op_type = reporter_.hash("MatMulV3"),
                                   .blocks = NodeBasicInfo::encode_blocks(20, 0)});
    TensorInfo tensors{.header = make_header(TensorInfo::kKind, TensorInfo::payload_length(1),
                                             kThread, begin + 40),
                       .op_name = name,
                       .tensor_count = 1u};
    tensors.tensors[0] = {.format = 2u, .data_type = 27u, .shape = {1024u, 4096u}};
    reporter_.record(Age::kAging, tensors);
    call(kLevelNode, kTypeNodeLaunch, begin + 5, begin + 40, name);
    call(kLevelAcl, 0x50001, begin, begin + 50);
    now_ += 60;
  }

  void copy(std::uint16_t stream) {
    const std::uint64_t begin = now_;
    call(kLevelRuntime, kRuntimeApiBase + 103, begin + 10, begin + 30);
    track(stream, TaskType::kMemcpyAsync, begin + 11);
    reporter_.record(Age::kAging, MemcpyInfo{.header = header_of<MemcpyInfo>(kThread, begin + 11),
                                             .data_size = 4096u,
                                             .max_size = 64u << 20,
                                             .direction = 1});
    call(kLevelAcl, 0x30001, begin, begin + 50);
    now_ += 60;
  }

  void collective(std::uint16_t stream) {
    const std::uint64_t begin = now_;
    const std::uint64_t end = begin + 90;
    const std::uint64_t name = reporter_.hash("hcom_allReduce_");
    const std::uint64_t group = reporter_.hash("group");
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
      const std::uint64_t task = begin + 10 + 30 * plane;
      const std::uint64_t item = reporter_.hash(plane == 0 ? "Memcpy" : "Notify_Wait");
      call(kLevelRuntime, kRuntimeApiBase + 103, task + 5, task + 15);
      track(stream, plane == 0 ? TaskType::kMemcpyAsync : TaskType::kNotifyWait, task + 6);
      reporter_.record(Age::kAging, HcclInfo{.header = header_of<HcclInfo>(kThread, task + 10),
                                             .item = item,
                                             .ccl_tag = reporter_.hash("tag"),
                                             .group_name = group,
                                             .plane_id = plane});
      call(kLevelHccl, plane == 0 ? kTypeHcclMaster : kTypeHcclSlave, task, task + 20, item);
    }
    reporter_.record(Age::kAging, HcclOpInfo{.header = header_of<HcclOpInfo>(kThread, end),
                                             .algorithm = reporter_.hash("MESH-RING"),
                                             .element_count = 1024u,
                                             .group_name = group});
    reporter_.record(Age::kAging, NodeBasicInfo{.header = header_of<NodeBasicInfo>(kThread, end),
                                                .op_name = name,
                                                .task_type = 9u,
                                                .op_type = name});
    call(kLevelNode, kTypeNodeLaunch, begin + 5, end, name);
    call(kLevelAcl, kAclHcclBase + 1, begin, end + 5);
    now_ += 100;
  }

  void mark(const std::string& message) {
    Msproftx record{};
    record.info_type = Msproftx::kMstx;
    record.mark_id = ++marks_;
    record.start = now_;
    record.end = ++now_;
    record.domain = reporter_.hash("default");
    reporter_.mark(Age::kAging, record, message);
  }

  void destroy(std::uint16_t stream) {
    if (long_task_ids_) return;
    TaskTrack last{.header = header_of<TaskTrack>(kThread, now_++), .stream = stream};
    last.task_id = TaskTrack::kStreamDestroyed;
    last.task_type = static_cast<std::uint64_t>(TaskType::kFlip);
    reporter_.record(Age::kAging, last);
  }

 private:
  static constexpr std::uint32_t kThread = 4712;

  void call(std::uint16_t level, std::uint32_t type, std::uint64_t begin, std::uint64_t end,
            std::uint64_t item = 0) {
    reporter_.api(Age::kAging, {.level = level,
                                .type = type,
                                .thread_id = kThread,
                                .begin = begin,
                                .end = end,
                                .item_id = item});
  }

  void track(std::uint16_t stream, TaskType type, std::uint64_t time, std::uint64_t kernel = 0) {
    std::uint32_t& next = next_task_[stream];
    std::uint16_t& flips = flips_[stream];
    TaskTrack record{.header = header_of<TaskTrack>(kThread, time), .stream = stream};
    if (next == 65535 && !long_task_ids_) {
      TaskTrack flip = record;
      flip.header.timestamp = time - 1;
      flip.task_id = TaskTrack::encode_task_id(0, ++flips);
      flip.task_type = static_cast<std::uint64_t>(TaskType::kFlip);
      reporter_.record(Age::kAging, flip);
      next = 1;
    }
    record.task_id =
        long_task_ids_ ? next : TaskTrack::encode_task_id(static_cast<std::uint16_t>(next), flips);
    ++next;
    record.task_type = static_cast<std::uint64_t>(type);
    record.kernel_name = kernel;
    reporter_.record(Age::kAging, record);
  }

  HostReporter& reporter_;
  bool long_task_ids_;
  std::uint64_t now_;
  std::uint64_t marks_ = 0;
  std::map<std::uint16_t, std::uint32_t> next_task_;
  std::map<std::uint16_t, std::uint16_t> flips_;
};

class WrittenProfile : public ::testing::TestWithParam<const char*> {};

TEST_P(WrittenProfile, HoldsEveryItemOfTheChecklist) {
  const TemporaryDirectory parent;
  const ProfOptions options = options_for(GetParam());
  auto directory = ProfDirectory::create(parent.path(), options);
  ASSERT_TRUE(directory.ok());
  for (const std::uint32_t device : {0u, 5u}) {
    ASSERT_TRUE(directory->add_device(device, options_for(GetParam(), device).clock).ok());
  }
  HostReporter reporter(directory->host_data());
  ShortRun run(reporter, options);
  for (int i = 0; i < 66000; ++i) run.kernel(2);  // Past the wrap at 65535.
  run.copy(2);
  run.collective(3);
  run.mark("step 1");
  run.mark(std::string(500, 'x'));
  run.destroy(2);
  run.destroy(3);
  ASSERT_TRUE(reporter.close().ok());
  ASSERT_TRUE(directory
                  ->finish(options.clock.wall_begin_us + 1'000'000,
                           options.clock.monotonic_begin_ns + 1'000'000'000)
                  .ok());
  testing::expect_host_checklist(directory->path(), {0, 5},
                                 std::to_string(options.chip->platform_version));
  EXPECT_GT(testing::records_of<TaskTrack>(directory->host_data()).size(), 66000u);
}

INSTANTIATE_TEST_SUITE_P(Chips, WrittenProfile, ::testing::Values("910B1", "910_93", "910_95"));

TEST(ProfDirectory, WritesTheSameBytesAgain) {
  const TemporaryDirectory first;
  const TemporaryDirectory second;
  std::map<std::string, std::string> contents[2];
  for (const auto* parent : {&first, &second}) {
    auto directory = ProfDirectory::create(parent->path(), options_for("910B3"));
    ASSERT_TRUE(directory.ok());
    ASSERT_TRUE(directory->add_device(0, options_for("910B3").clock).ok());
    ASSERT_TRUE(directory->finish(1736408884000000, 900).ok());
    auto& files = contents[parent == &second ? 1 : 0];
    for (const auto& entry : std::filesystem::recursive_directory_iterator(parent->path())) {
      if (!entry.is_regular_file()) continue;
      files[std::filesystem::relative(entry.path(), parent->path())] =
          read_file(entry.path()).value();
    }
  }
  EXPECT_EQ(contents[0].size(), 22u);
  EXPECT_EQ(contents[0], contents[1]);
}

TEST(ProfDirectory, AKilledProcessHasNoEnd) {
  const TemporaryDirectory parent;
  auto directory = ProfDirectory::create(parent.path(), options_for("910B1"));
  ASSERT_TRUE(directory.ok());
  EXPECT_FALSE(std::filesystem::exists(directory->path() / "host/end_info"));
  EXPECT_TRUE(std::filesystem::exists(directory->path() / "host/start_info.done"));
}

TEST(ProfDirectory, RefusesClocksNoReaderAccepts) {
  const TemporaryDirectory parent;
  ProfOptions options = options_for("910B1");
  options.clock.wall_begin_us = 1;
  EXPECT_EQ(ProfDirectory::create(parent.path(), options).error().code,
            ErrorCode::kInvalidArgument);
  options = options_for("910B1");
  options.chip = nullptr;
  EXPECT_FALSE(ProfDirectory::create(parent.path(), options).ok());
}

TEST(ProfDirectory, ReportsAParentThatCannotBeWritten) {
  EXPECT_FALSE(ProfDirectory::create("/proc/nowhere", options_for("910B1")).ok());
}

TEST(ProfDirectoryNames, AreMadeFromTimeAndSeed) {
  EXPECT_EQ(prof_name_time(1736408883369312).size(), 17u);
  EXPECT_EQ(prof_name_time(1736408883369312).substr(14), "369");
  EXPECT_EQ(collection_date(1736408883000042).substr(19), ".000042");
  const std::string letters = prof_name_letters(1);
  EXPECT_EQ(letters.size(), 8u);
  for (const char c : letters) EXPECT_TRUE(c >= 'A' && c <= 'R') << letters;
  EXPECT_EQ(letters, prof_name_letters(1));
  EXPECT_NE(letters, prof_name_letters(2));
}

TEST(SampleJsonOfOptions, NamesCountersPerChipAndSide) {
  auto options = options_for("910B1");
  auto sample = sample_json(options, "0");
  EXPECT_EQ(sample.ai_core_metrics, "PipeUtilizationExct");
  EXPECT_EQ(sample.ai_core_profiling_events, "0x416,0x417,0x9,0x302,0xc,0x303,0x54,0x55");
  EXPECT_EQ(sample.aiv_metrics, "PipeUtilization");
  EXPECT_EQ(sample.aiv_profiling_events, "0x8,0xa,0x9,0xb,0xc,0xd,0x54,0x55");
  EXPECT_EQ(sample.ai_core_profiling_mode, "task-based");
  EXPECT_EQ(sample.level(), 1);

  options = options_for("910_95");
  sample = sample_json(options, "0");
  EXPECT_EQ(sample.ai_core_metrics, "PipeUtilization");
  EXPECT_EQ(sample.ai_core_profiling_events, "0x501,0x301,0x1,0x701,0x202,0x203,0x34,0x35,0x714");
  EXPECT_EQ(sample.aiv_profiling_events, sample.ai_core_profiling_events);
}

TEST(SampleJsonOfOptions, FollowsTheSwitches) {
  auto options = options_for("910B1");
  options.collection.aic_metrics = {};
  options.collection.level = CollectionLevel::kNone;
  auto sample = sample_json(options, "64");
  EXPECT_EQ(sample.ai_core_profiling, "off");
  EXPECT_EQ(sample.ai_core_profiling_mode, "");
  EXPECT_FALSE(sample.level().has_value());
  EXPECT_FALSE(sample.l2_cache_events.has_value());
  EXPECT_FALSE(sample.host_disk_freq.has_value());

  options.collection = {};
  options.collection.l2_cache = true;
  options.collection.memory = true;
  options.collection.task_block = true;
  options.collection.host_sys = {.cpu = true, .disk = true};
  options.collection.host_sys_hz = 20;
  sample = sample_json(options, "0");
  EXPECT_EQ(sample.l2_cache_events, "0xf6,0xfb,0xfc,0xbf,0x90,0x91,0x9c,0x9d");
  EXPECT_EQ(sample.llc_profiling, "read");
  EXPECT_EQ(sample.task_block, "on");
  EXPECT_EQ(sample.host_disk_freq, 20);
  const auto json = nlohmann::json::parse(make_sample_json(sample));
  EXPECT_EQ(json.at("host_sys"), "cpu,disk");
  EXPECT_EQ(json.at("host_sys_pid"), 4711);
}

TEST(InfoJsonOfOptions, SaysThatItIsSimulated) {
  const auto info = host_info_json(options_for("910B1"));
  EXPECT_EQ(info.simulated, true);
  EXPECT_EQ(info.hostname, "npusim");
  EXPECT_EQ(info.job_info, "npusim");
}

TEST(ThisHost, KnowsItsSize) {
  const MachineInfo host = this_host();
  EXPECT_GT(host.memory_total_kb, 0);
  EXPECT_GT(host.cpu_count, 0);
  EXPECT_GT(host.jiffies_per_second, 0);
  EXPECT_EQ(host.hostname, "npusim");
}

TEST(ThisHost, SaysHowFastItsNetworkIs) {
  const MachineInfo host = this_host();
  if (host.network_cards.empty()) GTEST_SKIP() << "no network card";
  std::int64_t known_mbit_s = 0;
  for (const auto& card : host.network_cards) {
    if (card.speed_mbit_s > 0) known_mbit_s += card.speed_mbit_s;
  }
  EXPECT_GT(known_mbit_s, 0);
}

}  // namespace
}  // namespace npuprof::sim
