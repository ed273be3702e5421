#include "format/host/host_text.h"

#include <random>

#include <gtest/gtest.h>

namespace npuprof::format::host {
namespace {

// Fields 3 (parent), 13, 14 (times) and 38 (cpu) of a stat line count from the id.
std::string stat_line(std::string_view name, int cpu) {
  std::string line = "4242 (" + std::string(name) + ") S 17";
  for (int i = 4; i <= 12; ++i) line += " 0";
  line += " 120 30";
  for (int i = 15; i <= 37; ++i) line += " 1";
  return line + " " + std::to_string(cpu) + " 0 0";
}

TEST(ThreadStat, FindsItsFieldsBehindAnyName) {
  for (const char* name : {"python3", "a b) c", "((", ""}) {
    const auto stat = parse_thread_stat(stat_line(name, 7));
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->thread_id, 4242u);
    EXPECT_EQ(stat->parent_id, 17u);
    EXPECT_EQ(stat->user_jiffies, 120u);
    EXPECT_EQ(stat->system_jiffies, 30u);
    EXPECT_EQ(stat->cpu, 7u);
  }
  EXPECT_FALSE(parse_thread_stat("4242 (cut) S 17 0 0"));
  EXPECT_FALSE(parse_thread_stat("junk"));
}

TEST(HostCpu, WritesNamesWithoutBlanksAndReadsThemBack) {
  std::string text;
  append_host_cpu(text, 100, "12.5 99.0\n", std::vector{stat_line("my thread", 1) + "\n"});
  append_host_cpu(text, 200, "13.0 99.0", std::vector{stat_line("x", 2), stat_line("y", 3)});
  EXPECT_NE(text.find("4242 (my_thread) S"), std::string::npos) << text;
  std::vector<HostCpuSample> samples;
  const auto counts =
      read_host_cpu(text, [&](const HostCpuSample& sample) { samples.push_back(sample); });
  EXPECT_EQ(counts.bad_lines, 0u);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].time_ns, 100u);
  EXPECT_EQ(samples[0].uptime_s, 12.5);
  ASSERT_EQ(samples[1].threads.size(), 2u);
  EXPECT_EQ(samples[1].threads[1].cpu, 3u);
}

TEST(HostCpu, CountsBadLinesAndDropsASampleWithoutUptime) {
  std::size_t samples = 0;
  const auto counts = read_host_cpu(
      "noise\ntime 5\nno number\n" + stat_line("a", 1) + "\ntime 6\n1.0 2.0\nbroken (\ntime 7",
      [&](const HostCpuSample&) { ++samples; });
  EXPECT_EQ(samples, 1u);
  EXPECT_EQ(counts.bad_lines, 4u);
}

TEST(HostMemory, RoundTrips) {
  std::string text;
  append_host_memory(text, 5, "1000 200 30 1 0 400 0\n");
  text += "6 x\n";
  std::vector<HostMemorySample> samples;
  const auto counts =
      read_host_memory(text, [&](const HostMemorySample& sample) { samples.push_back(sample); });
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].time_ns, 5u);
  EXPECT_EQ(samples[0].resident_pages, 200u);
  EXPECT_EQ(counts.bad_lines, 1u);
}

TEST(HostDisk, ReadsIotopOutput) {
  const std::string text =
      "Total DISK READ :       0.00 B/s | Total DISK WRITE :       0.00 B/s\n"
      "    TIME  TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN      IO    COMMAND\n"
      "10:00:01 4242 be/4 root 2048.00 B/s 3.50 M/s 0.00 % 12.50 % python3 train.py\n"
      "10:00:02 4242 be/4 root 1.00 G/s 7.00 K/s ?unavailable? python3\n"
      "garbage line\n"
      "start_time 123456\n";
  std::vector<HostDiskSample> samples;
  const auto counts =
      read_host_disk(text, [&](const HostDiskSample& sample) { samples.push_back(sample); });
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].read_kb_s, 2.0);
  EXPECT_EQ(samples[0].write_kb_s, 3584.0);
  EXPECT_EQ(samples[0].io_percent, 12.5);
  EXPECT_EQ(samples[1].read_kb_s, 1048576.0);
  EXPECT_EQ(samples[1].io_percent, 0.0);
  EXPECT_EQ(counts.start_time_ns, 123456u);
  EXPECT_EQ(counts.bad_lines, 1u);
}

TEST(HostDisk, RoundTrips) {
  std::string text;
  append_host_disk(text, "10:00:01",
                   {.pid = 7, .read_kb_s = 1.25, .write_kb_s = 0, .io_percent = 3.5}, "user",
                   "python3 a.py");
  append_host_disk_end(text, 99);
  EXPECT_EQ(text,
            "10:00:01 7 be/4 user 1.25 K/s 0.00 K/s 0.00 % 3.50 % python3 a.py\nstart_time 99\n");
  HostDiskSample read;
  const auto counts = read_host_disk(text, [&](const HostDiskSample& sample) { read = sample; });
  EXPECT_EQ(counts.samples, 1u);
  EXPECT_EQ(read.pid, 7u);
  EXPECT_EQ(read.read_kb_s, 1.25);
  EXPECT_EQ(read.io_percent, 3.5);
}

TEST(HostNetwork, KeepsInterfacesOnly) {
  std::string text;
  append_host_network(text, 10,
                      "Inter-|   Receive   |  Transmit\n"
                      " face |bytes packets|bytes packets\n"
                      "    lo:  100 1 0 0 0 0 0 0  100 1 0 0 0 0 0 0\n"
                      "  eth0:12345 9 0 0 0 0 0 0 678 5 0 0 0 0 0 0\n");
  EXPECT_EQ(text,
            "time 10\nlo: 100 1 0 0 0 0 0 0  100 1 0 0 0 0 0 0\n"
            "eth0: 12345 9 0 0 0 0 0 0 678 5 0 0 0 0 0 0\n");
  std::size_t seen = 0;
  const auto counts = read_host_network(text, [&](const HostNetworkSample& sample) {
    ++seen;
    ASSERT_EQ(sample.interfaces.size(), 2u);
    EXPECT_EQ(sample.interfaces[1].name, "eth0");
    EXPECT_EQ(sample.interfaces[1].received_bytes, 12345u);
    EXPECT_EQ(sample.interfaces[1].sent_bytes, 678u);
  });
  EXPECT_EQ(seen, 1u);
  EXPECT_EQ(counts.bad_lines, 0u);
}

TEST(HostCalls, ReadPerfAndLtraceLines) {
  std::vector<HostCall> calls;
  const auto keep = [&](const HostCall& call) { calls.push_back(call); };
  auto counts = read_host_syscalls(
      "  1234.500 ( 0.012 ms): my prog/77 read(fd: 3</x/y>, count: 5) = 5\n"
      "  1234.600 (         ): my prog/77  ... [continued]: futex())\n",
      keep);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_DOUBLE_EQ(calls[0].begin_s, 1.2345);
  EXPECT_DOUBLE_EQ(calls[0].duration_s, 0.000012);
  EXPECT_EQ(calls[0].program, "my prog");
  EXPECT_EQ(calls[0].thread_id, 77u);
  EXPECT_EQ(calls[0].name, "read");
  EXPECT_EQ(counts.bad_lines, 1u);

  calls.clear();
  counts = read_host_pthread_calls(
      "[pid 78] 1600000000.250000 libtorch.so->pthread_mutex_lock(0x1, 2) = 0 <0.000031>\n"
      "[pid 78] 1600000000.3 libtorch.so->pthread_once( <unfinished ...>\n",
      keep);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].program, "libtorch.so");
  EXPECT_EQ(calls[0].name, "pthread_mutex_lock");
  EXPECT_DOUBLE_EQ(calls[0].begin_s, 1600000000.25);
  EXPECT_EQ(counts.bad_lines, 1u);
}

TEST(HostCalls, RoundTrip) {
  const HostCall call{
      .thread_id = 5, .begin_s = 2.5, .duration_s = 0.125, .program = "python3", .name = "poll"};
  std::string text;
  append_host_syscall(text, call);
  EXPECT_EQ(text, "2500.000 (125.000 ms): python3/5 poll() = 0\n");
  const auto check = [&](const HostCall& read) {
    EXPECT_EQ(read.thread_id, 5u);
    EXPECT_EQ(read.begin_s, 2.5);
    EXPECT_EQ(read.duration_s, 0.125);
    EXPECT_EQ(read.program, "python3");
    EXPECT_EQ(read.name, "poll");
  };
  EXPECT_EQ(read_host_syscalls(text, check).samples, 1u);
  text.clear();
  append_host_pthread_call(text, call);
  EXPECT_EQ(read_host_pthread_calls(text, check).samples, 1u);
}

TEST(HostText, SurvivesRandomBytes) {
  std::mt19937 random(11);
  constexpr std::string_view kAlphabet = "time 0123456789.:()<>-/\n\n[]pidTimeStamp:Index:B/s%";
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
    read_host_cpu(text, [](const HostCpuSample&) {});
    read_host_memory(text, [](const HostMemorySample&) {});
    read_host_disk(text, [](const HostDiskSample&) {});
    read_host_network(text, [](const HostNetworkSample&) {});
    read_host_syscalls(text, [](const HostCall&) {});
    read_host_pthread_calls(text, [](const HostCall&) {});
  }
}

}  // namespace
}  // namespace npuprof::format::host
