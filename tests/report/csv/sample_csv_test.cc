#include "report/csv/sample_csv.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "sample_traces.h"
#include "temporary_directory.h"
#include "trace/device/aicpu_nodes.h"
#include "trace/device/cache_counters.h"
#include "trace/device/ccu_channels.h"
#include "trace/device/core_samples.h"
#include "trace/device/data_queue_events.h"
#include "trace/device/link_samples.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/device/module_memory.h"
#include "trace/device/pmu_counters.h"
#include "trace/host/host_usage.h"
#include "trace/host/operator_memory.h"
#include "trace/host/os_calls.h"
#include "trace/host/static_memory.h"
#include "trace/linked/kernels.h"

namespace npuprof::report {
namespace {

using namespace npuprof::testing;  // NOLINT(google-build-using-namespace): makers of traces.
using trace::CacheCounterKind;
using trace::kNone;
using trace::LinkKind;
using trace::MemoryBandwidthKind;
using trace::Trace;
using Lines = std::vector<std::string>;

class SampleCsv : public ::testing::Test {
 protected:
  void write(const Trace& trace) {
    ASSERT_TRUE(write_sample_files(trace, analyze::samples(trace),
                                   {.directory = directory_.path(), .suffix = "_1"}, pool_)
                    .ok());
  }
  void write_framework(const Trace& trace) {
    ASSERT_TRUE(write_framework_sample_files(trace, analyze::samples(trace),
                                             {.directory = directory_.path(), .suffix = ""}, pool_)
                    .ok());
  }
  // Without the header, which is checked by itself.
  Lines lines(const std::string& name, const std::string& header) {
    const auto text = read_file(directory_ / (name + ".csv"));
    EXPECT_TRUE(text.ok()) << name;
    if (!text.ok()) return {};
    Lines lines;
    for (const std::string_view line : split(text.value(), '\n')) lines.emplace_back(line);
    EXPECT_EQ(lines.back(), "") << "the last line ends";
    lines.pop_back();
    EXPECT_EQ(lines.front(), header);
    lines.erase(lines.begin());
    return lines;
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_.path()), {}));
  }

  TemporaryDirectory directory_;
  ThreadPool pool_{1};
};

TEST_F(SampleCsv, NothingCollectedNothingWritten) {
  write(device_trace());
  write_framework(device_trace());
  EXPECT_EQ(file_count(), 0u);
}

TEST_F(SampleCsv, MemoryOfTheProcess) {
  Trace trace = device_trace();
  add_device_memory(trace, 2, 0, 4096);
  add_device_memory(trace, 2, 1, 1536);
  write(trace);
  EXPECT_EQ(lines("npu_mem_1", "Device_id,event,ddr(KB),hbm(KB),memory(KB),timestamp(us)"),
            (Lines{"1,APP,2,4,6,1002000.000\t", "1,Device,2,1.5,3.5,1002000.000\t"}));
}

TEST_F(SampleCsv, MemoryOfComponentsIsInMegabytesForFrameworks) {
  Trace trace = device_trace();
  trace.module_memory().time_ns = {kBegin, kBegin};
  trace.module_memory().device = {1, 1};
  trace.module_memory().module = {3, 7};
  trace.module_memory().reserved_bytes = {50331648, -1};
  write(trace);
  write_framework(trace);
  EXPECT_EQ(
      lines("npu_module_mem_1", "Device_id,Component,Timestamp(us),Total Reserved(KB),Device"),
      (Lines{"1,HCCL,1000000.000\t,49152,NPU:1", "1,RUNTIME,1000000.000\t,-1,NPU:1"}));
  EXPECT_EQ(lines("npu_module_mem", "Device_id,Component,Timestamp(us),Total Reserved(MB),Device"),
            (Lines{"1,HCCL,1000000.000\t,48.0,NPU:1", "1,RUNTIME,1000000.000\t,-1.0,NPU:1"}));
}

TEST_F(SampleCsv, BandwidthOfMemoryIsTheMeanOfKnownRates) {
  Trace trace = device_trace();
  for (const std::int64_t ms : {0, 10, 20}) {
    for (const std::uint32_t unit : {0u, 1u}) {
      for (const std::uint32_t event : {0u, 1u}) {
        add_bandwidth(trace, MemoryBandwidthKind::kHbm, ms, unit, event,
                      32768 * (1 + unit) * (1 + event));
      }
      add_bandwidth(trace, MemoryBandwidthKind::kLlc, ms, unit, 0x00, 16384);
      add_bandwidth(trace, MemoryBandwidthKind::kLlc, ms, unit, 0x02, 1);
      add_bandwidth(trace, MemoryBandwidthKind::kLlc, ms, unit, 0x20, 3 + unit);
    }
    add_bandwidth(trace, MemoryBandwidthKind::kDdr, ms, 0, 0, 65536);
  }
  write(trace);
  EXPECT_EQ(lines("hbm_1", "Device_id,Metric,Read(MB/s),Write(MB/s)"),
            (Lines{"1,Average,150.000,300.000", "1,0,100.0,200.0", "1,1,200.0,400.0"}));
  EXPECT_EQ(lines("llc_read_write_1", "Device_id,Mode,Task,Hit Rate(%),Throughput(MB/s)"),
            (Lines{"1,read,Average,29.167,100.0", "1,read,0,33.333,100.0", "1,read,1,25.0,100.0"}));
  EXPECT_EQ(lines("ddr_1", "Device_id,Metric,Read(MB/s),Write(MB/s)"),
            (Lines{"1,Average,100.0,0.0"}));
}

TEST_F(SampleCsv, LinksOfTheWholeRun) {
  Trace trace = device_trace(1);
  for (const std::int64_t ms : {0, 10, 20}) {
    const auto bytes = static_cast<double>(ms * ms) * 1048576;
    add_link(trace, LinkKind::kHccs, ms, 0, {bytes, 0});
  }
  for (const double scale : {1.0, 3.0}) {
    trace::LinkValues values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<double>(i) * 1048576 / 1e6 * scale;
    }
    add_link(trace, LinkKind::kPcie, 1, 0, {});
    trace.link_samples().values.back() = values;
  }
  write(trace);
  EXPECT_EQ(lines("hccs_1", "Device_id,Mode,Max,Min,Average"),
            (Lines{"1,Tx (MB/s),30000.0,10000.0,20000.0", "1,Rx (MB/s),0.0,0.0,0.0"}));
  const Lines pcie = lines("pcie_1", "Device_id,Mode,Min,Max,Avg");
  ASSERT_EQ(pcie.size(), 7u);
  EXPECT_EQ(pcie[0], "1,Tx_p_avg(MB/s),0.0,2.0,4.0");
  EXPECT_EQ(pcie[3], "1,Tx_latency_avg(us),0.019,0.021,0.023");
  EXPECT_EQ(pcie[6], "1,Rx_cpl_avg(MB/s),36.0,38.0,40.0");
}

TEST_F(SampleCsv, PortsOfTheWholeRun) {
  Trace trace = device_trace();
  // Bandwidth; packet rate, byte rate, packets, bytes, errors, dropped; twice.
  add_link(trace, LinkKind::kNic, 0, 3, {100, 10, 0, 1000, 0, 50, 0, 0, 0, 0, 0, 0, 0});
  add_link(trace, LinkKind::kNic, 1000, 3,
           {100, 20, 0, 2000, 1.25 * 1048576, 60, 5, 0, 0, 0, 0, 0, 0});
  write_framework(trace);
  EXPECT_EQ(lines("nic",
                  "Device_id,Timestamp(us),Bandwidth(MB/s),Rx Bandwidth efficiency(%),rxPacket/s,"
                  "rxError rate(%),rxDropped rate(%),Tx Bandwidth efficiency(%),txPacket/s,"
                  "txError rate(%),txDropped rate(%),funcId"),
            (Lines{"1,1000000.000\t,100.0,0.1,15.0,0.01,0.005,0.0,0.0,0.0,0.0,3"}));
}

TEST_F(SampleCsv, VideoEngines) {
  Trace trace = device_trace();
  add_link(trace, LinkKind::kDvpp, 1, 2, {1, 4, 100, 7, 30});
  add_link(trace, LinkKind::kDvpp, 2, 2, {1, 4, 150, 9, 20});
  add_link(trace, LinkKind::kDvpp, 2, 2, {99, 0, 1, 1, 1});
  write(trace);
  EXPECT_EQ(lines("dvpp_1",
                  "Device_id,Dvpp Id,Engine Type,Engine ID,All Time(us),All Frame,"
                  "All Utilization(%)"),
            (Lines{"1,2,JPEGD,4,50,2,20.0", "1,2,N/A,0,0,0,1.0"}));
}

TEST_F(SampleCsv, HostUsage) {
  Trace trace;
  trace.session.cpu_count = 8;
  trace.session.memory_kb = 1000;
  trace.session.network_cards = {{"eth0", 1024}, {"eth1", -1}};
  add_host_usage(trace, trace::HostUsageKind::kCpu, 1, 0, 50);
  add_host_usage(trace, trace::HostUsageKind::kCpu, 1, 1, 0);
  add_host_usage(trace, trace::HostUsageKind::kMemory, 1, kNone, 40);
  add_host_usage(trace, trace::HostUsageKind::kMemory, 2, kNone, 20);
  add_host_usage(trace, trace::HostUsageKind::kDisk, 1, kNone, 5, 16, 0);
  add_host_usage(trace, trace::HostUsageKind::kNetwork, 1, kNone, 5, 80);
  write(trace);
  EXPECT_EQ(lines("host_cpu_usage_1",
                  "Device_id,Total Cpu Numbers,Occupied Cpu Numbers,Recommend Cpu Numbers"),
            Lines{"host,8,2,1"});
  EXPECT_EQ(lines("host_mem_usage_1",
                  "Device_id,Total Memory(KB),Peak Used Memory(KB),Recommend Memory(KB)"),
            Lines{"host,1000,400.0,500.0"});
  EXPECT_EQ(lines("host_disk_usage_1",
                  "Device_id,Peak Disk Read(KB/s),Recommend Disk Read(KB/s),"
                  "Peak Disk Write(KB/s),Recommend Disk Write(KB/s)"),
            Lines{"host,16.0,20.0,0.0,0.0"});
  EXPECT_EQ(lines("host_network_usage_1",
                  "Device_id,Netcard Speed(KB/s),Peak Used Speed(KB/s),Recommend Speed(KB/s)"),
            Lines{"host,125000.0,80.0,100.0"});
}

TEST_F(SampleCsv, CallsOfTheSystemByTime) {
  Trace trace;
  auto& calls = trace.os_calls();
  calls.start_ns = {0, 10'000, 50'000};
  calls.end_ns = {1'000, 13'000, 62'000};
  calls.pid = {7, 7, 7};
  calls.tid = {8, 8, 9};
  const StringId read = trace.strings.intern("read");
  calls.name = {read, read, trace.strings.intern("futex")};
  write(trace);
  EXPECT_EQ(
      lines("os_runtime_statistic_1",
            "Device_id,Process ID,Thread ID,Name,Time(%),Time(us),Count,Avg(us),Max(us),"
            "Min(us)"),
      (Lines{"host,7,9,futex,75.0,12.0,1,12.0,12.0,12.0", "host,7,8,read,25.0,4.0,2,2.0,3.0,1.0"}));
}

// A kernel named Add, and one counter record of each kind for it and for an unknown task.
Trace cache_trace(std::uint32_t chip, CacheCounterKind kind, const trace::CacheCounts& counts) {
  Trace trace = device_trace(chip);
  trace::resize_rows(trace.kernels(), 1);
  trace.kernels().name[0] = trace.strings.intern("Add");
  auto& rows = trace.cache_counters();
  for (const std::uint32_t kernel : {0u, kNone}) {
    rows.device.push_back(1);
    rows.stream.push_back(2);
    rows.task.push_back(3);
    rows.kind.push_back(static_cast<std::uint8_t>(kind));
    rows.counts.push_back(counts);
    rows.kernel.push_back(kernel);
  }
  return trace;
}

TEST_F(SampleCsv, CacheRatesOfKernels) {
  const std::string header = "Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name";
  // Chip 1 counts hits, requests and victims first.
  write(cache_trace(1, CacheCounterKind::kL2, {30, 40, 1}));
  EXPECT_EQ(lines("l2_cache_1", header), (Lines{"1,2,3,0.75,0.025,Add", "1,2,3,0.75,0.025,N/A"}));
  // Of a 910B only the victims: events 0xfb and 0xfc are requests, 0x9c are victims.
  write_framework(cache_trace(5, CacheCounterKind::kL2, {0, 4, 6, 0, 1, 1, 5, 0}));
  EXPECT_EQ(lines("l2_cache", header), (Lines{"1,2,3,N/A,0.5,Add", "1,2,3,N/A,0.5,N/A"}));
}

TEST_F(SampleCsv, AddressTranslationOfKernels) {
  Trace trace = cache_trace(5, CacheCounterKind::kSmmu, {1, 2, 3});
  trace.devices[0].smmu_events = {0x8a, 0x8c, 0x2};
  write(trace);
  EXPECT_EQ(lines("soc_pmu_1", "Device_id,Stream Id,Task Id,TLB Hit Rate,TLB Miss Rate,Op Name"),
            (Lines{"1,2,3,2.0,3.0,Add", "1,2,3,2.0,3.0,N/A"}));
  write(cache_trace(15, CacheCounterKind::kPageFault, {9}));
  EXPECT_EQ(lines("page_fault_1", "Device Id,Stream Id,Task Id,Page Fault Num,Op Name"),
            (Lines{"1,2,3,9,Add", "1,2,3,9,N/A"}));
}

TEST_F(SampleCsv, AiCpuKernelsByTime) {
  Trace trace = device_trace();
  auto& nodes = trace.aicpu_nodes();
  for (const std::int64_t ms : {9, 3}) {
    nodes.start_ns.push_back(kBegin + ms * kMillisecond);
    nodes.end_ns.push_back(kBegin + ms * kMillisecond + 40'000);
    nodes.device.push_back(1);
    nodes.stream.push_back(2);
    nodes.task.push_back(static_cast<std::uint32_t>(ms));
    nodes.batch.push_back(0);
    nodes.compute_us.push_back(33);
    nodes.copy_us.push_back(3);
    nodes.task_us.push_back(40);
    nodes.dispatch_us.push_back(1);
    nodes.total_us.push_back(42.25);
    nodes.kernel.push_back(kNone);
  }
  write_framework(trace);
  EXPECT_EQ(lines("data_preprocess",
                  "Device_id,Timestamp(us),Node,Compute_time(us),Memcpy_time(us),Task_time(us),"
                  "Dispatch_time(us),Total_time(us),Stream ID,Task ID"),
            (Lines{"1,1003000.000\t,N/A,33.0,3.0,40.0,1.0,42.25,2,3",
                   "1,1009000.000\t,N/A,33.0,3.0,40.0,1.0,42.25,2,9"}));
}

TEST_F(SampleCsv, DataQueues) {
  Trace trace = device_trace();
  auto& events = trace.data_queue_events();
  events.start_ns = {kBegin, kBegin + 1000};
  events.end_ns = {kBegin, kBegin + 3000};
  events.device = {1, 1};
  events.name = {trace.strings.intern("Last queue dequeue"), trace.strings.intern("GetNext")};
  events.source = {trace.strings.intern("q"), trace.strings.intern("")};
  events.index = {4, 0};
  events.queue_size = {5, 6};
  events.is_wait = {0, 1};
  write(trace);
  EXPECT_EQ(lines("dp_1", "Device_id,Timestamp(us),Action,Source,Cached Buffer Size"),
            Lines{"1,1000000.000\t,Last queue dequeue,q,5"});
  EXPECT_EQ(lines("aicpu_mi_1", "Device_id,Node Name,Start Time(us),End Time(us),Queue Size"),
            Lines{"1,GetNext,1000001.000\t,1000003.000\t,6"});
}

TEST_F(SampleCsv, MemoryOfCannOperators) {
  Trace trace = device_trace();
  auto& memory = trace.operator_memory();
  const StringId add = trace.strings.intern("Add");
  memory.time_ns = {kBegin, kBegin + 5000, kBegin + 6000};
  memory.tid = {1, 1, 1};
  memory.address = {16, 16, 32};
  memory.size_bytes = {2048, -2048, -512};
  memory.op_name = {add, add, add};
  memory.total_allocated_bytes = {2048, 0, 0};
  memory.total_reserved_bytes = {4096, 4096, 1024};
  memory.device = {1, 1, 1};
  memory.device_type = {0, 0, 0};
  write(trace);
  EXPECT_EQ(
      lines("memory_record_1",
            "Device_id,Component,Timestamp(us),Total Allocated(KB),Total Reserved(KB),Device"),
      (Lines{"host,GE,1000000.000\t,2.0,4.0,NPU:1", "host,GE,1000005.000\t,0.0,4.0,NPU:1",
             "host,GE,1000006.000\t,0.0,1.0,NPU:1"}));
  EXPECT_EQ(lines("operator_memory_1",
                  "Device_id,Name,Size(KB),Allocation Time(us),Duration(us),"
                  "Allocation Total Allocated(KB),Allocation Total Reserved(KB),"
                  "Release Total Allocated(KB),Release Total Reserved(KB),Device"),
            (Lines{"host,Add,2.0,1000000.000\t,5.000,2.0,4.0,0.0,4.0,NPU:1",
                   "host,Add,-0.5,N/A,N/A,N/A,N/A,0.0,1.0,NPU:1"}));
}

// Two samples of two cores, of which each has 200 busy cycles of 1000 in the second interval.
Trace sampled_trace() {
  Trace trace = device_trace();
  trace.devices[0].aic_mhz = 1000;
  trace.devices[0].aic_metrics = "PipeUtilization";
  trace.devices[0].aic_events.assign({0x416, 0x417, 0x09, 0x302, 0x0c, 0x303, 0x54, 0x55});
  auto& rows = trace.core_samples();
  for (const std::int64_t us : {1, 2}) {
    for (const std::uint8_t core : {0, 1}) {
      rows.time_ns.push_back(kBegin + us * 1000);
      rows.device.push_back(1);
      rows.core_id.push_back(core);
      rows.core.push_back(static_cast<std::uint8_t>(trace::PmuCore::kAic));
      rows.cycles.push_back(us == 1 ? 100 : 200);
      rows.counters.push_back({30, 30, 30, 30, 30, 30, 30, 30});
    }
  }
  return trace;
}

TEST_F(SampleCsv, SampledCoresHaveTheMetricsOfTheirSums) {
  write(sampled_trace());
  // 60 of 300 cycles; misses are 60 of 60 requests.
  EXPECT_EQ(
      lines("ai_core_utilization_1", "Device_id,Core ID,scalar_ratio,mte2_ratio,icache_miss_rate"),
      (Lines{"1,Core0,0.2,0.2,1.0", "1,Core1,0.2,0.2,1.0", "1,Average,0.2,0.2,1.0"}));
}

TEST_F(SampleCsv, SampledCoresAreBoundByMemoryAsFarAsReadingTakesLongerThanComputing) {
  Trace trace = sampled_trace();
  trace.devices[0].aic_events.assign({0x08, 0x0a, 0x09, 0x0b, 0x0c, 0x0d, 0x54, 0x55});
  for (auto& counters : trace.core_samples().counters) counters = {15, 10, 0, 0, 60, 0, 0, 0};
  trace.core_samples().counters[1][0] = 45;  // Core 1 computes twice as long.
  write(trace);
  EXPECT_EQ(lines("ai_core_utilization_1",
                  "Device_id,Core ID,vec_ratio,mac_ratio,scalar_ratio,mte1_ratio,mte2_ratio,"
                  "mte3_ratio,icache_miss_rate,memory_bound"),
            (Lines{"1,Core0,0.1,0.067,0.0,0.0,0.4,0.0,0.0,4.0",
                   "1,Core1,0.2,0.067,0.0,0.0,0.4,0.0,0.0,2.0",
                   "1,Average,0.15,0.067,0.0,0.0,0.4,0.0,0.0,2.667"}));
}

TEST_F(SampleCsv, ChannelsOfTheCommunicationUnit) {
  Trace trace = device_trace(15);
  trace.devices[0].counter_mhz = 1000;
  auto& rows = trace.ccu_channels();
  rows.time_ns = {kBegin};
  rows.device = {1};
  rows.die = {0};
  rows.channel = {7};
  rows.average_delay = {4000};
  rows.min_delay = {2000};
  rows.max_delay = {0};
  write(trace);
  EXPECT_EQ(lines("ccu_channel_1",
                  "Device_id,Channel Id,Timestamp(us),Max Bandwidth(MB/s),Min Bandwidth(MB/s),"
                  "Avg Bandwidth(MB/s)"),
            Lines{"1,7,1000000.000\t,1953.125,0,976.563"});
}

TEST_F(SampleCsv, MemoryOfStaticGraphs) {
  Trace trace;
  auto& memory = trace.static_memory();
  memory.size_bytes = {1024, 4096};
  memory.op_name = {trace.strings.intern("Conv"), trace.strings.intern("")};
  memory.life_start = {1, 4294967295};
  memory.life_end = {2, 4294967295};
  memory.total_bytes = {0, 0};
  memory.dynamic_root = {trace.strings.intern("root"), trace.strings.intern("")};
  memory.graph_id = {6, 6};
  write(trace);
  EXPECT_EQ(lines("static_op_mem_1",
                  "Device_id,Op Name,Model Name,Graph ID,Node Index Start,Node Index End,Size(KB)"),
            (Lines{"host,Conv,root,6,1,2,1.0", "host,TOTAL,N/A,6,4294967295,4294967295,4.0"}));
}

}  // namespace
}  // namespace npuprof::report
