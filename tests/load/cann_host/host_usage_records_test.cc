#include "load/cann_host/host_usage_records.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/cann_host/host_directory.h"
#include "trace/host/host_usage.h"
#include "trace/host/os_calls.h"

namespace npuprof::load {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HostDirectory;
using ::testing::IsEmpty;
using trace::HostUsageKind;

class HostUsageTest : public ::testing::Test, protected HostDirectory {
 protected:
  struct Row {
    std::int64_t time_ns;
    std::uint32_t unit;
    double percent;
    double first_rate;
    double second_rate;
  };
  std::vector<Row> rows(HostUsageKind kind) const {
    std::vector<Row> result;
    const auto& usage = trace.host_usage();
    for (std::size_t i = 0; i < usage.size(); ++i) {
      if (usage.kind[i] != static_cast<std::uint8_t>(kind)) continue;
      result.push_back({usage.time_ns[i], usage.unit[i], usage.usage_percent[i],
                        usage.first_rate[i], usage.second_rate[i]});
    }
    return result;
  }
  static std::int64_t wall(std::int64_t monotonic_ns) {
    return kBeginNs - kMonotonicNs + monotonic_ns;
  }
  static std::string stat_line(int tid, int user, int system, int cpu) {
    std::string line = std::to_string(tid) + " (a b) S 1";
    for (int field = 4; field < 39; ++field) {
      line += ' ' + std::to_string(field == 13   ? user
                                   : field == 14 ? system
                                   : field == 38 ? cpu
                                                 : 0);
    }
    return line + "\n";
  }
};

TEST_F(HostUsageTest, CpuIsWhatThreadsUsedBetweenSamples) {
  write("host/data/host_cpu.data.slice_0",
        "time 1000\n10.00 5.0\n" + stat_line(7, 100, 0, 0) + stat_line(8, 50, 0, 1));
  write("host/data/host_cpu.data.slice_1",
        "time 2000\n12.00 5.0\n" + stat_line(7, 200, 50, 0) + stat_line(8, 50, 0, 1));
  finish_and_load();
  const auto cpu = rows(HostUsageKind::kCpu);
  ASSERT_EQ(cpu.size(), 3u);
  EXPECT_EQ(cpu[0].time_ns, wall(1000));
  EXPECT_EQ(cpu[0].unit, 0u);
  EXPECT_DOUBLE_EQ(cpu[0].percent, 75);  // 150 of 200 jiffies.
  EXPECT_EQ(cpu[1].unit, 1u);
  EXPECT_DOUBLE_EQ(cpu[1].percent, 0);
  EXPECT_EQ(cpu[2].unit, trace::kNone);
  EXPECT_DOUBLE_EQ(cpu[2].percent, 37.5);  // Of two CPUs.
}

TEST_F(HostUsageTest, MemoryIsTheResidentShare) {
  write("host/data/host_mem.data.slice_0", "1000 100 10 0 0 0 0 0\n2000 100 25 0 0 0 0 0\n");
  finish_and_load();
  const auto memory = rows(HostUsageKind::kMemory);
  ASSERT_EQ(memory.size(), 1u);
  EXPECT_EQ(memory[0].time_ns, wall(1000));
  EXPECT_DOUBLE_EQ(memory[0].percent, 10);  // 25 pages of 4 kB in 1000 kB.
}

TEST_F(HostUsageTest, DiskSamplesAreAPeriodApart) {
  sample.host_disk_freq = 100;
  write("host/data/host_disk.data.slice_0",
        "10:00:00 77 be/4 root 1.00 M/s 2.00 K/s 0.00 % 5.00 % cmd\n"
        "10:00:00 77 be/4 root 0.00 B/s 0.00 B/s 0.00 % 0.00 % cmd\n"
        "start_time 3000\n");
  finish_and_load();
  const auto disk = rows(HostUsageKind::kDisk);
  ASSERT_EQ(disk.size(), 2u);
  EXPECT_EQ(disk[0].time_ns, wall(3000));
  EXPECT_EQ(disk[1].time_ns, wall(3000) + 10'000'000);
  EXPECT_DOUBLE_EQ(disk[0].percent, 5);
  EXPECT_DOUBLE_EQ(disk[0].first_rate, 1024);
  EXPECT_DOUBLE_EQ(disk[0].second_rate, 2);
}

TEST_F(HostUsageTest, NetworkUseIsShareOfAllCards) {
  info.network_cards = {{"eth0", 1000}, {"eth1", 3000}, {"down0", -1}};
  const auto sample_text = [](int time, int eth0, int eth1) {
    const auto line = [](const std::string& name, int bytes) {
      return name + ": " + std::to_string(bytes) + " 0 0 0 0 0 0 0 " + std::to_string(bytes) +
             " 0 0 0 0 0 0 0\n";
    };
    return "time " + std::to_string(time) + "\n" + line("eth0", eth0) + line("eth1", eth1) +
           line("down0", eth0 * 100);
  };
  write("host/data/host_network.data.slice_0",
        sample_text(0, 0, 0) + sample_text(1'000'000'000, 5'000'000, 20'000'000));
  finish_and_load();
  const auto network = rows(HostUsageKind::kNetwork);
  ASSERT_EQ(network.size(), 1u);
  EXPECT_EQ(network[0].time_ns, wall(0));
  EXPECT_DOUBLE_EQ(network[0].percent, 10);  // 50 MB/s of 4 Gbit/s.
  EXPECT_DOUBLE_EQ(network[0].first_rate, 50'000'000.0 / 1024);
}

TEST_F(HostUsageTest, CallsBeginWithTheCollection) {
  info.pid = 4;
  write("host/data/host_syscall.data.slice_0",
        "100.000 ( 0.010 ms): python/12 read(fd: 3) = 1\n"
        "101.000 ( 0.020 ms): python/13 write(fd: 3) = 1\n");
  finish_and_load();
  const auto& calls = trace.os_calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls.start_ns[0], kBeginNs);
  EXPECT_EQ(calls.end_ns[0], kBeginNs + 10'000);
  EXPECT_EQ(calls.start_ns[1], kBeginNs + 1'000'000);
  EXPECT_EQ(text(calls.name[1]), "write");
  EXPECT_EQ(calls.tid[1], 13u);
  EXPECT_EQ(calls.pid[1], 4u);
}

}  // namespace
}  // namespace npuprof::load
