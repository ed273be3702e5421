#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "link/link.h"
#include "load/cann_device/cann_device.h"
#include "load/cann_host/load_cann_host.h"
#include "load/discover.h"
#include "record/host_reporter.h"
#include "sim/model/sample_kernels.h"
#include "sim/npu/npu.h"
#include "sim/prof/device_reporter.h"
#include "sim/prof/prof_directory.h"
#include "temporary_directory.h"
#include "trace/launched/launched_ops.h"
#include "trace/launched/launches.h"
#include "trace/linked/tasks.h"

// Whole profiles of simulated ranks, read by the loaders and joined: what they find must be what
// the simulation counted.

namespace npuprof::sim {
namespace {

namespace host = format::host;

constexpr std::uint32_t kLaunchThread = 77;
constexpr std::uint32_t kRanks = 4;

void expect_ok(const Status& status) { EXPECT_TRUE(status.ok()) << status.error().message; }

// Work of all kinds: operators, a graph, copies, events, a collective for each round.
void run_rank(Npu& npu, Communicator& group, std::int64_t now_ns) {
  const StreamNumber stream = *npu.streams().create(kLaunchThread, now_ns, &now_ns);
  const CommunicatorId joined = *npu.collectives().join(kLaunchThread, group, now_ns, &now_ns);
  std::vector<std::pair<AclCall, const KernelTemplate*>> operators;
  for (KernelDesc desc : testing::all_core_kernels()) {
    desc.name += std::to_string(operators.size());
    desc.tensors = {{.shape = {32, 128}}, {.is_output = true, .shape = {32, 128}}};
    operators.emplace_back(npu.calls().named("aclnn" + desc.type), &npu.kernels().add(desc));
  }
  KernelDesc on_cpu = testing::elementwise(100);
  on_cpu.type = "NonZero";
  on_cpu.kind = KernelCore::kAicpu;
  operators.emplace_back(npu.calls().named("aclnnNonzero"), &npu.kernels().add(on_cpu));
  for (int round = 0; round < 5; ++round) {
    now_ns = npu.copies()
                 .copy(kLaunchThread, stream, host::MemcpyDirection::kHostToDevice,
                       NpuCopies::kMostTaskBytes + 4096, now_ns)
                 .host_end_ns +
             1000;
    for (const auto& [call, kernel] : operators) {
      const KernelTemplate* two[] = {operators[3].second, kernel};
      now_ns = npu.kernels().launch_operator(kLaunchThread, stream, call, two, now_ns).host_end_ns +
               1000;
    }
    StreamEvent event;
    now_ns = npu.streams().record_event(kLaunchThread, stream, event, now_ns).host_end_ns + 1000;
    now_ns = npu.streams()
                 .wait_event(kLaunchThread, npu.collectives().main_stream(joined), event, now_ns)
                 .host_end_ns +
             1000;
    const CollectiveDesc desc{.kind = CollectiveKind::kAllReduce, .count = 1 << 18};
    const auto run = npu.collectives().run(kLaunchThread, joined, desc, now_ns);
    ASSERT_TRUE(run.ok()) << run.error().message;
    now_ns = npu.streams().synchronize_device(kLaunchThread, run->host_end_ns + 1000) + 1000;
    npu.settle(now_ns);
  }
  npu.detach(now_ns);
}

// One rank: its directory, its device, and after the run the truth.
struct Rank {
  nlohmann::json truth;
  trace::Trace trace;
};

struct RoundTripOptions {
  const char* chip = "910B3";
  CollectionLevel level = CollectionLevel::kLevel1;
  std::uint16_t first_task_id = 0;
};

void simulate(const std::filesystem::path& parent, const RoundTripOptions& job, World& world,
              std::uint32_t rank, nlohmann::json& truth) {
  NpuOptions options;
  options.chip = *find_chip(job.chip);
  options.rank = options.device = rank;
  options.collection.level = job.level;
  options.first_task_id = job.first_task_id;
  const SimClock clock(
      {.rank = rank, .device = rank, .device_mhz = options.chip->device_counter_mhz});
  ProfOptions prof_options;
  prof_options.name = {.time = "20250109074803369", .pid = 1000 + rank, .letters = "ABCDEFGH"};
  prof_options.collection = options.collection;
  prof_options.chip = options.chip;
  prof_options.clock = clock.anchors();
  prof_options.pid = 1000 + rank;
  auto prof = ProfDirectory::create(parent, prof_options);
  ASSERT_TRUE(prof.ok()) << prof.error().message;
  expect_ok(prof->add_device(rank, clock.anchors()));
  HostReporter host_reporter(prof->host_data());
  DeviceReporter device_reporter = *DeviceReporter::create(
      {.data_directory = prof->device_data(rank), .device = rank, .chip = options.chip->id()});
  Npu npu(options, clock);
  npu.attach(host_reporter, device_reporter, clock.begin_ns());
  std::vector<std::uint32_t> everybody(kRanks);
  std::iota(everybody.begin(), everybody.end(), 0u);
  run_rank(npu, **world.communicator("the_group", everybody), clock.first_event_ns());
  world.finish(rank);
  expect_ok(host_reporter.close());
  expect_ok(device_reporter.close());
  const std::int64_t end_ns = npu.streams().latest_free_ns() + 1'000'000;
  expect_ok(prof->finish(clock.wall_ns(end_ns) / 1000, clock.monotonic_ns(end_ns)));
  std::string text;
  JsonWriter json(text);
  npu.truth().write_json(json);
  truth = nlohmann::json::parse(text);
}

void load_profile(const std::filesystem::path& path, trace::Trace& trace) {
  const auto found = load::discover(path);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->profiles.size(), 1u);
  const load::Profile& profile = found->profiles[0];
  ASSERT_EQ(profile.cann.size(), 1u);
  trace::Losses losses;
  load::testing::load_cann_host(profile.cann, trace, losses);
  EXPECT_TRUE(losses.empty());
  load::load_cann_devices(profile.cann, trace, losses);
  link::link_all(trace, nullptr);
}

std::vector<std::unique_ptr<Rank>> run_profile(const RoundTripOptions& job) {
  ::npuprof::testing::TemporaryDirectory directory;
  World world(Network(**find_chip(job.chip), {}), kRanks);
  std::vector<std::unique_ptr<Rank>> ranks;
  for (std::uint32_t i = 0; i < kRanks; ++i) ranks.push_back(std::make_unique<Rank>());
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kRanks; ++i) {
    threads.emplace_back([&, i] {
      simulate(directory.path() / ("rank" + std::to_string(i)), job, world, i, ranks[i]->truth);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint32_t i = 0; i < kRanks; ++i) {
    load_profile(directory.path() / ("rank" + std::to_string(i)), ranks[i]->trace);
  }
  return ranks;
}

// (stream, batch, task, context), the key under which both sides know a task. Chip 15 has no
// streams on the device.
using TaskIdentity = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
using DeviceIntervals = std::map<TaskIdentity, std::vector<Interval>>;

DeviceIntervals device_intervals(const trace::Trace& trace, bool has_streams) {
  DeviceIntervals intervals;
  const trace::Tasks& tasks = trace.tasks();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    intervals[{has_streams ? tasks.stream[i] : 0u, tasks.batch[i], tasks.task[i], tasks.context[i]}]
        .push_back({tasks.start_ns[i], tasks.end_ns[i]});
  }
  return intervals;
}

// What the launches of a rank did on the device.
struct Found {
  TimeSum kernels;
  std::map<std::string, TimeSum> types;
  std::map<std::uint32_t, Interval> collectives;  // By launch; from the tasks of the main plane.
  std::uint64_t collective_tasks = 0;
};

Found find_all(const trace::Trace& trace, bool has_streams) {
  const DeviceIntervals intervals = device_intervals(trace, has_streams);
  const trace::Launches& launches = trace.launches();
  Found found;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto run = intervals.find({has_streams ? launches.stream[i] : 0u, launches.batch[i],
                                     launches.task[i], launches.context[i]});
    EXPECT_NE(run, intervals.end()) << "launched but never ran";
    if (run == intervals.end()) continue;
    EXPECT_EQ(run->second.size(), 1u);
    const Interval interval = run->second.front();
    EXPECT_GT(interval.begin, launches.time_ns[i]) << "ran before it was launched";
    const std::int64_t length_ns = interval.end - interval.begin;
    if (launches.collective[i] != trace::kNone) {
      ++found.collective_tasks;
      if (launches.is_master[i] == 0) continue;
      const auto [whole, is_new] = found.collectives.try_emplace(launches.collective[i], interval);
      whole->second.begin = std::min(whole->second.begin, interval.begin);
      whole->second.end = std::max(whole->second.end, interval.end);
    } else if (launches.op[i] != trace::kNone) {
      found.kernels.add(length_ns);
      const std::uint32_t op = launches.op[i];
      found.types[std::string(trace.strings.view(trace.launched_ops().op_type[op]))].add(length_ns);
    }
  }
  return found;
}

void expect_truth(const Rank& rank, const RoundTripOptions& job) {
  const auto& counts = rank.truth["counts"];
  const Found found = find_all(rank.trace, !(*find_chip(job.chip))->is_v6());
  EXPECT_TRUE(rank.trace.session.simulated);
  EXPECT_EQ(found.kernels.count, 5u * 2 * 9) << "rounds, kernels of a call, operators";
  EXPECT_EQ(counts["kernels"], found.kernels.count);
  EXPECT_EQ(rank.truth["kernel_ns"], found.kernels.total_ns);
  EXPECT_EQ(counts["collectives"], found.collectives.size());
  EXPECT_EQ(counts["collective_tasks"], found.collective_tasks);
  std::int64_t collective_ns = 0;
  for (const auto& [launch, whole] : found.collectives) collective_ns += whole.end - whole.begin;
  EXPECT_EQ(rank.truth["collectives"][0]["total_ns"], collective_ns);
  if (job.level == CollectionLevel::kLevel0) return;  // No operator types then.
  std::map<std::string, TimeSum> types;
  for (const auto& type : rank.truth["kernel_types"]) {
    TimeSum& sum = types[type["type"]];
    sum.count += type["count"].get<std::uint64_t>();
    sum.total_ns += type["total_ns"].get<std::int64_t>();
  }
  ASSERT_EQ(types.size(), found.types.size());
  for (const auto& [name, sum] : types) {
    ASSERT_TRUE(found.types.contains(name)) << name;
    EXPECT_EQ(sum.count, found.types.at(name).count) << name;
    EXPECT_EQ(sum.total_ns, found.types.at(name).total_ns) << name;
  }
}

TEST(RoundTrip, ReadersFindWhatWasCounted) {
  for (const CollectionLevel level :
       {CollectionLevel::kLevel0, CollectionLevel::kLevel1, CollectionLevel::kLevel2}) {
    const RoundTripOptions job{.level = level};
    SCOPED_TRACE(static_cast<int>(level));
    for (const auto& rank : run_profile(job)) expect_truth(*rank, job);
  }
}

TEST(RoundTrip, WrappedTaskIdsAreToldApart) {
  const RoundTripOptions job{.first_task_id = 65500};
  for (const auto& rank : run_profile(job)) {
    EXPECT_GT(rank->truth["counts"]["flips"], 0);
    expect_truth(*rank, job);
  }
}

TEST(RoundTrip, TheNewestChip) {
  const RoundTripOptions job{.chip = "910_95", .level = CollectionLevel::kLevel2};
  for (const auto& rank : run_profile(job)) expect_truth(*rank, job);
}

}  // namespace
}  // namespace npuprof::sim
