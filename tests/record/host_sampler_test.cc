#include "record/host_sampler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "format/host/host_text.h"
#include "temporary_directory.h"

namespace npuprof::record {
namespace {

using npuprof::testing::TemporaryDirectory;

constexpr HostSystem kAll = {.cpu = true, .memory = true, .disk = true, .network = true};
constexpr std::uint64_t kPeriodNs = 20'000'000;

TEST(HostSampler, SamplesThisProcess) {
  const TemporaryDirectory directory;
  HostSampler sampler(directory.path(),
                      {.watch = kAll, .pid = static_cast<std::uint32_t>(::getpid())});
  for (std::uint64_t i = 0; i < 4; ++i) sampler.sample(1'000'000'000 + i * kPeriodNs);
  ASSERT_TRUE(sampler.close().ok());

  const auto text = [&](const char* name) { return read_file(directory / name).value(); };
  std::size_t threads = 0;
  auto counts = format::host::read_host_cpu(
      text("host_cpu.data.slice_0"),
      [&](const format::host::HostCpuSample& sample) { threads += sample.threads.size(); });
  EXPECT_EQ(counts.samples, 4u);
  EXPECT_EQ(counts.bad_lines, 0u);
  EXPECT_GE(threads, 4u);

  counts = format::host::read_host_memory(
      text("host_mem.data.slice_0"),
      [&](const format::host::HostMemorySample& sample) { EXPECT_GT(sample.resident_pages, 0u); });
  EXPECT_EQ(counts.samples, 4u);
  EXPECT_EQ(counts.bad_lines, 0u);

  std::size_t interfaces = 0;
  counts = format::host::read_host_network(
      text("host_network.data.slice_0"),
      [&](const format::host::HostNetworkSample& s) { interfaces += s.interfaces.size(); });
  EXPECT_EQ(counts.samples, 4u);
  EXPECT_EQ(counts.bad_lines, 0u);
  EXPECT_GE(interfaces, 4u);  // At least the loopback.

  const auto disk = format::host::read_host_disk(text("host_disk.data.slice_0"),
                                                 [](const format::host::HostDiskSample&) {});
  EXPECT_EQ(disk.samples, 3u);
  EXPECT_EQ(disk.bad_lines, 0u);
  EXPECT_EQ(disk.start_time_ns, 1'000'000'000u);
  EXPECT_TRUE(std::filesystem::exists(directory / "host_disk.data.slice_0.done"));
}

class FakeProc {
 public:
  FakeProc() {
    EXPECT_TRUE(make_directories(directory_ / "7").ok());
    EXPECT_TRUE(write_file(directory_ / "7/comm", "train\n").ok());
    EXPECT_TRUE(write_file(directory_ / "7/statm", "10 5 1 0 0 0 0\n").ok());
    set_io(0, 0);
  }
  void set_io(std::uint64_t read, std::uint64_t written) {
    EXPECT_TRUE(write_file(directory_ / "7/io", "rchar: 9\nread_bytes: " + std::to_string(read) +
                                                    "\nwrite_bytes: " + std::to_string(written) +
                                                    "\n")
                    .ok());
  }
  const std::filesystem::path& path() const { return directory_.path(); }

 private:
  TemporaryDirectory directory_;
};

TEST(HostSampler, WritesTheAverageOfAPauseForEachPeriod) {
  const TemporaryDirectory directory;
  FakeProc proc;
  HostSampler sampler(directory.path(),
                      {.watch = {.disk = true}, .frequency_hz = 50, .pid = 7, .proc = proc.path()});
  sampler.sample(kPeriodNs);
  proc.set_io(5 * 20 * 1024, 0);  // 100 KB in five periods of 20 ms: 1000 KB/s.
  sampler.sample(kPeriodNs * 6);
  ASSERT_TRUE(sampler.close().ok());
  std::size_t samples = 0;
  format::host::read_host_disk(read_file(directory / "host_disk.data.slice_0").value(),
                               [&](const format::host::HostDiskSample& sample) {
                                 ++samples;
                                 EXPECT_EQ(sample.pid, 7u);
                                 EXPECT_DOUBLE_EQ(sample.read_kb_s, 1000.0);
                                 EXPECT_DOUBLE_EQ(sample.write_kb_s, 0.0);
                               });
  EXPECT_EQ(samples, 5u);
}

TEST(HostSampler, KeepsItsRateHoweverOftenItIsAsked) {
  const TemporaryDirectory directory;
  FakeProc proc;
  HostSampler sampler(
      directory.path(),
      {.watch = {.memory = true}, .frequency_hz = 50, .pid = 7, .proc = proc.path()});
  for (std::uint64_t now = 1; now < 10 * kPeriodNs; now += kPeriodNs / 7) sampler.sample(now);
  ASSERT_TRUE(sampler.close().ok());
  const auto counts =
      format::host::read_host_memory(read_file(directory / "host_mem.data.slice_0").value(),
                                     [](const format::host::HostMemorySample&) {});
  EXPECT_EQ(counts.samples, 10u);
}

TEST(HostSampler, LeavesOutWhatItCannotRead) {
  const TemporaryDirectory directory;
  HostSampler sampler(directory.path(), {.watch = kAll, .pid = 7, .proc = directory / "none"});
  sampler.sample(1);
  sampler.sample(kPeriodNs * 2);
  EXPECT_TRUE(sampler.close().ok());
  EXPECT_FALSE(std::filesystem::exists(directory / "host_cpu.data.slice_0"));
  EXPECT_FALSE(std::filesystem::exists(directory / "host_mem.data.slice_0"));
}

}  // namespace
}  // namespace npuprof::record
