// CPUs, memory and processes of host and device, and the cache of the 310: from raw directories to
// the text of the tables.

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/device/tscpu.h"
#include "format/host/proc_blocks.h"
#include "parse/cann_results.h"

namespace npuprof {
namespace {

using format::device::TsCpuSample;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ProcessorResults : public testing::CannResults {
 protected:
  explicit ProcessorResults(std::int64_t chip = 5) : CannResults(chip) {
    device_info_.device_info[0].ctrl_cpu = "0,1";
    device_info_.device_info[0].ai_cpu = "2,10";
  }

  // A sample so many milliseconds after the begin of the collection.
  static std::string block(std::int64_t after_ms, std::string_view body) {
    std::string text;
    format::host::append_proc_block(
        text, {.time_ns = static_cast<std::uint64_t>(load::testing::HostDirectory::kMonotonicNs +
                                                     after_ms * 1'000'000),
               .index = 0,
               .body = body});
    return text;
  }
  static std::string process_block(std::int64_t after_ms, std::string_view name, int used,
                                   std::string_view machine) {
    std::string body = "1 (" + std::string(name) + ") S 1 1 1 0 -1 0 0 0 0 0 " +
                       std::to_string(used) + " 0 0 0 20 0 1 0\nProcessName:";
    return block(after_ms, body.append(name).append("\ncpu  ").append(machine));
  }
  static std::string memory_block(std::int64_t after_ms, int total_kb) {
    return block(after_ms, "MemTotal: " + std::to_string(total_kb) +
                               " kB\nMemFree: 8 kB\nBuffers: 7 kB\nCached: 6 kB\nShmem: 5 kB\n"
                               "CommitLimit: 4 kB\nCommitted_AS: 3 kB\nHugePages_Total: 2\n"
                               "HugePages_Free: 1");
  }
};

TEST_F(ProcessorResults, UseOfCpusAndMemory) {
  append_device("SystemCpuUsage.data",
                block(10,
                      "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 1000 0 500 8000 0 0 0 0 0 0\n"
                      "cpu1 0 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 100 0 0 0 0 0 0\n"
                      "cpu10 0 0 0 100 0 0 0 0 0 0") +
                    block(20,
                          "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 1050 0 520 8010 4 3 2 1 0 0\n"
                          "cpu1 10 0 0 80 0 0 0 0 0 0\ncpu2 30 0 0 130 0 0 0 0 0 0\n"
                          "cpu10 0 0 0 100 0 0 0 0 0 0"));
  append_device("Memory.data", memory_block(10, 100) + memory_block(20, 101));
  append_device("7-CpuUsage.data", process_block(10, "slogd", 50, "0 0 0 1000 0 0 0 0 0 0") +
                                       process_block(20, "slogd", 60, "0 0 0 1300 0 0 0 0 0 0"));
  append_device("8-CpuUsage.data", process_block(10, "a, b", 50, "0 0 0 1000 0 0 0 0 0 0") +
                                       process_block(20, "a, b", 150, "0 0 0 1300 0 0 0 0 0 0"));
  append_device("7-Memory.data", block(10, "100 20 3 0 0 0 0\nProcessName:slogd") +
                                     block(20, "101 20 3 0 0 0 0\nProcessName:slogd"));
  append_device("8-Memory.data", block(10, "9000 200 30 0 0 0 0\nProcessName:a, b"));
  host_.write("host/data/host_sys_cpu.data.slice_0",
              block(10, "cpu  0 0 0 1000 0 0 0 0 0 0") + block(20, "cpu  1 0 1 1001 0 0 0 0 0 0"));
  host_.write("host/data/host_sys_mem.data.slice_0", memory_block(10, 5000));
  host_.write("host/data/99-CpuUsage.data.slice_0",
              process_block(10, "python3", 5, "0 0 0 1000 0 0 0 0 0 0") +
                  process_block(20, "python3", 6, "0 0 0 1003 0 0 0 0 0 0"));
  host_.write("host/data/99-Memory.data.slice_0", block(10, "7 6 5 0 0 0 0\nProcessName:python3"));
  parse();
  EXPECT_THAT(losses_, IsEmpty());
  EXPECT_THAT(csv("cpu_usage"),
              ElementsAre("Device_id,Cpu Type,User(%),Sys(%),IoWait(%),Irq(%),Soft(%),Idle(%)",
                          "0,aicpu,50.0,0.0,0.0,0.0,0.0,50.0",
                          "0,ctrlcpu,33.333,11.111,2.222,1.667,1.111,50.0",
                          "host,host,33.333,33.333,0.0,0.0,0.0,33.333"));
  EXPECT_THAT(csv("process_cpu_usage"),
              ElementsAre("Device_id,PID,Name,CPU(%)", "0,8,\"a, b\",33.333", "0,7,slogd,3.333",
                          "host,99,python3,33.333"));
  EXPECT_THAT(
      csv("sys_mem"),
      ElementsAre("Device_id,Memory Total(kB),Memory Free(kB),Buffers(kB),Cached(kB),"
                  "Share Memory(kB),Commit Limit(kB),Committed AS(kB),Huge Pages Total(pages),"
                  "Huge Pages Free(pages)",
                  "0,100,8,7,6,5,4,3,2,1", "host,5000,8,7,6,5,4,3,2,1"));
  EXPECT_THAT(
      csv("process_mem"),
      ElementsAre("Device_id,PID,Name,Size(pages),Resident(pages),Shared(pages)",
                  "0,8,\"a, b\",9000,200,30", "0,7,slogd,100,20,3", "host,99,python3,7,6,5"));
  EXPECT_THAT(csv("ai_cpu_top_function"), IsEmpty());
  EXPECT_THAT(csv("ts_cpu_pmu_events"), IsEmpty());
}

TEST_F(ProcessorResults, FunctionsAndEvents) {
  const auto sample = [](int cpu, std::string_view count_and_event, std::string_view frame) {
    return "a 1/1 [00" + std::to_string(cpu) + "] 0.100000: " + std::string(count_and_event) +
           ":\n\t10 " + std::string(frame) + "\n\n";
  };
  append_device("ai_ctrl_cpu.data", sample(0, "100 r11", "idle+0x1 ([kernel.kallsyms])") +
                                        sample(1, "300 r11", "f(int, int)+0x1 (/lib/x.so)") +
                                        sample(1, "50 r8", "f(int, int)+0x1 (/lib/x.so)") +
                                        sample(0, "9 r10", "idle+0x1 ([kernel.kallsyms])") +
                                        sample(0, "7 rff", "idle+0x1 ([kernel.kallsyms])") +
                                        sample(2, "30 r11", "[unknown] (/lib/y.so)") +
                                        sample(2, "1 r1b", "[unknown] (/lib/y.so)"));
  device_sample_.ts_cpu_profiling_events = "0x11,0x8,0x23";
  std::vector<TsCpuSample> samples;
  for (std::uint64_t i = 1; i <= 6; ++i) {
    TsCpuSample& record = samples.emplace_back();
    record.pc = 0x1000 + i;
    record.timestamp = kFirstSyscnt + i;
    record.events[0].event = 0x11;
    record.events[0].count = i * 10;
    record.events[1].event = 0x8;
    record.events[1].count = 20;
    record.events[2].event = 0x23;
    record.events[3].event = 0x24;  // Not asked for.
    record.events[3].count = 1;
  }
  write_device<TsCpuSample>("tscpu.data", samples);
  parse();
  EXPECT_THAT(losses_, IsEmpty());
  EXPECT_THAT(
      csv("ctrl_cpu_top_function"),
      ElementsAre("Device_id,Function,Module,Cycles,Cycles(%)",
                  "0,\"f(int, int)\",/lib/x.so,300,75.0", "0,idle,[kernel.kallsyms],100,25.0"));
  EXPECT_THAT(csv("ctrl_cpu_pmu_events"),
              ElementsAre("Device_id,Event,Name,Count", "0,0x11,Cpu_cycles,400",
                          "0,0x8,Inst_retired,50", "0,0x10,Br_mis_pred,9", "0,0xff,N/A,7"));
  EXPECT_THAT(csv("ai_cpu_top_function"), ElementsAre("Device_id,Function,Module,Cycles,Cycles(%)",
                                                      "0,unknown,/lib/y.so,30,100.0"));
  EXPECT_THAT(csv("ai_cpu_pmu_events"), ElementsAre("Device_id,Event,Name,Count",
                                                    "0,0x11,Cpu_cycles,30", "0,0x1b,Inst_spec,1"));
  EXPECT_THAT(
      csv("ts_cpu_top_function"),
      ElementsAre("Device_id,Function,Cycles,Cycles(%)", "0,0x1006,60,28.571", "0,0x1005,50,23.81",
                  "0,0x1004,40,19.048", "0,0x1003,30,14.286", "0,0x1002,20,9.524"));
  EXPECT_THAT(csv("ts_cpu_pmu_events"),
              ElementsAre("Device_id,Event,Name,Count", "0,0x11,Cpu_cycles,210",
                          "0,0x8,Inst_retired,120", "0,0x23,Stall_frontend,0"));
}

class CacheResults310 : public ProcessorResults {
 protected:
  CacheResults310() : ProcessorResults(0) { device_info_.device_info[0].ai_cpu = "2,3"; }
};

TEST_F(CacheResults310, BandwidthAndHits) {
  append_device("llc.data",
                "# started\n\n"
                " 0.100000000 1000 hisi_l3c0_1/read_allocate/ (33.3%)\n"
                " 0.100000000 <not counted> hisi_l3c0_1/write_hit/\n"
                " 0.350000000 8192 hisi_l3c0_1/read_allocate/\n"
                " 0.350000000 8192 hisi_l3c0_1/read_noallocate/\n"
                " 0.350000000 4096 hisi_l3c0_1/read_hit/\n"
                " 0.350000000 3 hisi_l3c0_1/write_allocate/\n"
                " 0.350000000 1 hisi_l3c0_1/write_hit/\n");
  parse();
  EXPECT_THAT(losses_, ElementsAre("Tasks of the chip 310 cannot be read; other data is."));
  EXPECT_THAT(csv("llc_bandwidth"),
              ElementsAre("Device_id,Metric,l3c_rd,l3c_wr", "0,BandWidth(MB/s),4.0,0.001",
                          "0,Hit_Rate(%),23.562,33.333", "0,Hit_BandWidth(MB/s),1.0,0.0"));
  EXPECT_THAT(csv("llc_aicpu"), IsEmpty());
}

TEST_F(CacheResults310, LinesOfCpus) {
  append_device("llc.data",
                " 0.1 16 hisi_l3c0_1/dsid0/\n 0.1 32 hisi_l3c0_1/dsid2/\n"
                " 0.2 8 hisi_l3c0_1/dsid3/\n 0.2 16 hisi_l3c0_1/dsid0/\n");
  parse();
  EXPECT_THAT(csv("llc_aicpu"), ElementsAre("Device_id,Metric,CPU0(KB),CPU1(KB),Total(KB)",
                                            "0,Used Capacity of LLC,2.0,0.5,2.5"));
  EXPECT_THAT(csv("llc_ctrlcpu"), ElementsAre("Device_id,Metric,CPU0(KB),CPU1(KB),Total(KB)",
                                              "0,Used Capacity of LLC,2.0,0.0,2.0"));
  EXPECT_THAT(csv("llc_bandwidth"), IsEmpty());
}

}  // namespace
}  // namespace npuprof
