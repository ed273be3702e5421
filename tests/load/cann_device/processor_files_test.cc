// CPUs of the device, and the operating system on them.

#include "load/cann_device/processor_files.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/device/perf_text.h"
#include "format/device/tscpu.h"
#include "format/host/proc_blocks.h"
#include "raw_device.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/machine/cpu_kind.h"
#include "trace/machine/cpu_samples.h"
#include "trace/machine/process_cpu_times.h"
#include "trace/machine/process_memory.h"
#include "trace/machine/system_cpu_times.h"
#include "trace/machine/system_memory.h"

namespace npuprof::load {
namespace {

using format::device::TsCpuSample;
using format::device::TsCpuSample610;
using format::host::append_proc_block;
using testing::describe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RawDevice;
using trace::CpuKind;

constexpr auto kAi = static_cast<int>(CpuKind::kAi);
constexpr auto kControl = static_cast<int>(CpuKind::kControl);
constexpr auto kScheduler = static_cast<int>(CpuKind::kScheduler);
constexpr std::int64_t kMonotonicNs = 900'000'000;  // Of the device, at RawDevice::kStartNs.

void set_cpus(RawDevice& device) {
  device.info.device_info[0].ctrl_cpu = "0,1";
  device.info.device_info[0].ai_cpu = "2,10";
}

std::string block(std::int64_t after_ns, std::string_view body) {
  std::string text;
  append_proc_block(
      text,
      {.time_ns = static_cast<std::uint64_t>(kMonotonicNs + after_ns), .index = 0, .body = body});
  return text;
}

std::vector<std::string> names(const trace::Trace& trace, const std::vector<StringId>& ids) {
  std::vector<std::string> texts;
  for (const StringId id : ids) texts.emplace_back(trace.strings.view(id));
  return texts;
}

TEST(ProcessorFilesTest, TimesOfCpusByKind) {
  RawDevice device;
  set_cpus(device);
  device.write_text("SystemCpuUsage.data",
                    block(5,
                          "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n"
                          "cpu1 10 0 0 0 0 0 0 0 0 0\ncpu2 0 0 1 0 0 0 0 0 0 0\n"
                          "cpu3 99 99 99 99 99 99 99 99 0 0\ncpu10 0 0 2 0 0 0 0 0 0 0") +
                        block(6, "intr 5"));
  const trace::Trace trace = device.load();
  const auto& rows = trace.system_cpu_times();
  EXPECT_THAT(rows.cpu_kind, ElementsAre(kAi, kControl));
  EXPECT_THAT(rows.device, ElementsAre(3, 3));
  EXPECT_THAT(rows.time_ns, ElementsAre(RawDevice::kStartNs + 5, RawDevice::kStartNs + 5));
  EXPECT_THAT(rows.user, ElementsAre(0, 11));
  EXPECT_THAT(rows.system, ElementsAre(3, 3));
  EXPECT_THAT(rows.idle, ElementsAre(0, 4));
  EXPECT_THAT(rows.soft_irq, ElementsAre(0, 7));
  EXPECT_THAT(rows.total, ElementsAre(3, 46));
  EXPECT_THAT(describe(device.losses), HasSubstr("SystemCpuUsage.data"));
}

TEST(ProcessorFilesTest, CpusOfUnknownKindAreReported) {
  RawDevice device;
  device.write_text("SystemCpuUsage.data", block(5, "cpu0 1 2 3 4 5 6 7 8 0 0"));
  const trace::Trace trace = device.load();
  EXPECT_EQ(trace.system_cpu_times().size(), 0u);
  EXPECT_THAT(describe(device.losses), HasSubstr("does not tell what the device's CPUs are"));
}

TEST(ProcessorFilesTest, MemoryAndProcesses) {
  RawDevice device;
  device.write_text("Memory.data",
                    block(1,
                          "MemTotal: 9 kB\nMemFree: 8 kB\nBuffers: 7 kB\nCached: 6 kB\n"
                          "Shmem: 5 kB\nCommitLimit: 4 kB\nCommitted_AS: 3 kB\n"
                          "HugePages_Total: 2\nHugePages_Free: 1") +
                        block(2, "MemTotal: 9 kB"));
  device.write_text("17-Memory.data", block(3, "100 20 3 0 0 0 0\nProcessName:slogd"));
  device.write_text("17-CpuUsage.data", block(4,
                                              "17 (slogd) S 1 1 1 0 -1 0 0 0 0 0 5 6 7 8 20 0 1 0\n"
                                              "ProcessName:slogd\ncpu  10 0 0 90 0 0 0 0 0 0"));
  device.write_text("x-CpuUsage.data", block(4, "not of a process"));
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.system_memory().total_kb, ElementsAre(9));
  EXPECT_THAT(trace.system_memory().committed_kb, ElementsAre(3));
  EXPECT_THAT(trace.system_memory().huge_pages_free, ElementsAre(1));
  EXPECT_THAT(trace.process_memory().pid, ElementsAre(17));
  EXPECT_THAT(names(trace, trace.process_memory().name), ElementsAre("slogd"));
  EXPECT_THAT(trace.process_memory().resident_pages, ElementsAre(20));
  EXPECT_THAT(trace.process_cpu_times().used, ElementsAre(26));
  EXPECT_THAT(trace.process_cpu_times().machine, ElementsAre(100));
  EXPECT_THAT(trace.process_cpu_times().time_ns, ElementsAre(RawDevice::kStartNs + 4));
  ASSERT_EQ(device.losses.items().size(), 1u) << describe(device.losses);
  EXPECT_THAT(device.losses.items()[0].file, HasSubstr("Memory.data.3.slice_0"));
  EXPECT_EQ(device.losses.items()[0].records, 1u);
}

TEST(ProcessorFilesTest, SamplesOfCpusByKind) {
  RawDevice device;
  set_cpus(device);
  const std::string text =
      "a 1/1 [000] 0.900001: 5 r11:\n\t10 f+0x1 (m)\n\n"
      "b 2/2 [010] 0.900002: 6 r8:\n\t10 g+0x1 (n)\n\n"
      "c 3/3 [005] 0.900003: 7 r11:\n\t10 h+0x1 (n)\n\n";
  // Slices are cut anywhere.
  device.write_slice("ai_ctrl_cpu.data", 0, text.substr(0, 40));
  device.write_slice("ai_ctrl_cpu.data", 1, text.substr(40) + "d 1/1 [000] 0.9");
  const trace::Trace trace = device.load();
  const auto& rows = trace.cpu_samples();
  EXPECT_THAT(rows.cpu_kind, ElementsAre(kControl, kAi)) << "CPU 5 is of another kind";
  EXPECT_THAT(rows.time_ns, ElementsAre(RawDevice::kStartNs + 1000, RawDevice::kStartNs + 2000));
  EXPECT_THAT(rows.event, ElementsAre(0x11, 8));
  EXPECT_THAT(rows.count, ElementsAre(5, 6));
  EXPECT_THAT(names(trace, rows.function), ElementsAre("f", "g"));
  EXPECT_THAT(names(trace, rows.module), ElementsAre("m", "n"));
  ASSERT_EQ(device.losses.items().size(), 1u) << describe(device.losses);
  EXPECT_THAT(device.losses.items()[0].file, HasSubstr("ai_ctrl_cpu.data"));
}

template <typename Sample>
Sample scheduler_sample(std::uint32_t pc, std::uint64_t cycles) {
  Sample sample{};
  sample.pc = pc;
  sample.timestamp = RawDevice::kFirstSyscnt + 10;
  sample.events[0].event = 0x11;
  sample.events[0].count = cycles;
  sample.events[1].event = 0x8;
  return sample;
}

TEST(ProcessorFilesTest, SamplesOfTheScheduler) {
  RawDevice device;
  device.sample.ts_cpu_profiling_events = "0x11,0x8";
  TsCpuSample damaged = scheduler_sample<TsCpuSample>(0x2000, 1);
  damaged.magic = 0;
  TsCpuSample impossible = scheduler_sample<TsCpuSample>(0x1000, 1);
  impossible.events[3].event = 0x10000;
  device.write_records<TsCpuSample>("tscpu.data",
                                    {scheduler_sample<TsCpuSample>(0xabc, 7), damaged, impossible,
                                     scheduler_sample<TsCpuSample>(0xdef, 8)});
  const trace::Trace trace = device.load();
  const auto& rows = trace.cpu_samples();
  EXPECT_THAT(rows.cpu_kind, ElementsAre(kScheduler, kScheduler, kScheduler, kScheduler));
  EXPECT_THAT(rows.event, ElementsAre(0x11, 8, 0x11, 8)) << "counters not in use are left out";
  EXPECT_THAT(rows.count, ElementsAre(7, 0, 8, 0));
  EXPECT_THAT(names(trace, rows.function), ElementsAre("0xabc", "0xabc", "0xdef", "0xdef"));
  EXPECT_EQ(rows.time_ns[0], RawDevice::at(RawDevice::kFirstSyscnt + 10));
  ASSERT_EQ(device.losses.items().size(), 1u) << describe(device.losses);
  EXPECT_EQ(device.losses.items()[0].records, 2u);
}

TEST(ProcessorFilesTest, TheShortRecordsOfA32BitSchedulerAreRecognized) {
  RawDevice device;
  device.write_records<TsCpuSample610>("tscpu.data", {scheduler_sample<TsCpuSample610>(0x10, 7),
                                                      scheduler_sample<TsCpuSample610>(0x20, 8),
                                                      scheduler_sample<TsCpuSample610>(0x10, 9)});
  const trace::Trace trace = device.load();
  EXPECT_THAT(trace.cpu_samples().count, ElementsAre(7, 8, 9));
  EXPECT_THAT(names(trace, trace.cpu_samples().function), ElementsAre("0x10", "0x20", "0x10"));
  EXPECT_THAT(describe(device.losses), IsEmpty());
}

TEST(ProcessorFilesTest, CacheOfThe310) {
  RawDevice device(0);
  device.write_text("llc.data",
                    "# started on Mon\n\n     0.100000000      5      hisi_l3c0_1/read_hit/\n"
                    "     0.100000000      6      hisi_l3c0_1/dsid2/   (33.00%)\nnoise\n");
  const trace::Trace trace = device.load();
  const auto& rows = trace.memory_bandwidth();
  EXPECT_THAT(rows.kind, ElementsAre(3, 3));
  EXPECT_THAT(rows.count, ElementsAre(5, 6));
  EXPECT_THAT(rows.event, ElementsAre(2, 8));
  EXPECT_EQ(rows.time_ns[0], RawDevice::kStartNs + 100'000'000);
  EXPECT_THAT(describe(device.losses), HasSubstr("1 line(s) cannot be read"));
}

}  // namespace
}  // namespace npuprof::load
