#include <gtest/gtest.h>

#include "report/samples/sample_kinds.h"
#include "report/sqlite/database.h"
#include "report/sqlite/sqlite_query.h"
#include "sample_traces.h"
#include "temporary_directory.h"
#include "trace/device/core_samples.h"
#include "trace/device/link_samples.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/device/module_memory.h"
#include "trace/device/pmu_counters.h"
#include "trace/host/host_usage.h"
#include "trace/host/os_calls.h"

namespace npuprof::report::sqlite {
namespace {

using namespace npuprof::testing;  // NOLINT(google-build-using-namespace): makers of traces.
using trace::LinkKind;
using trace::MemoryBandwidthKind;
using trace::Trace;
using Rows = std::vector<std::string>;

class SampleTables : public ::testing::Test {
 protected:
  void write(const Trace& trace) {
    ThreadPool pool(1);
    ASSERT_TRUE(write_database(trace, path_, pool).ok());
  }
  Rows rows(const std::string& sql) const { return query(path_, sql); }

  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "test.db";
};

// A trace that has something of every kind.
Trace trace_of_everything() {
  Trace trace = device_trace();
  trace.devices[0].qos_streams = {"OTHERS"};
  for (const std::int64_t ms : {10, 20}) {
    for (const LinkKind kind :
         {LinkKind::kPcie, LinkKind::kHccs, LinkKind::kNic, LinkKind::kRoce, LinkKind::kNetdev,
          LinkKind::kUb, LinkKind::kSio, LinkKind::kQos, LinkKind::kAccPmu, LinkKind::kSocLevel}) {
      add_link(trace, kind, ms, 0, {1, 2, 3, 4});
    }
    for (const MemoryBandwidthKind kind :
         {MemoryBandwidthKind::kHbm, MemoryBandwidthKind::kDdr, MemoryBandwidthKind::kLlc}) {
      add_bandwidth(trace, kind, ms, 0, 0, 32768);
    }
    add_device_memory(trace, ms, 0, 4096);
    for (const auto kind : {trace::HostUsageKind::kCpu, trace::HostUsageKind::kMemory,
                            trace::HostUsageKind::kDisk, trace::HostUsageKind::kNetwork}) {
      add_host_usage(trace, kind, ms, 0, 12.5, 3, 4);
    }
  }
  trace.devices[0].aic_metrics = "PipeUtilization";
  trace.devices[0].aic_events.assign({0x416, 0x417, 0x09, 0x302, 0x0c, 0x303, 0x54, 0x55});
  auto& cores = trace.core_samples();
  cores.time_ns.push_back(kBegin);
  cores.device.push_back(1);
  cores.core_id.push_back(4);
  cores.core.push_back(static_cast<std::uint8_t>(trace::PmuCore::kAic));
  cores.cycles.push_back(3600);
  cores.counters.push_back({900, 900, 900, 900, 900, 900, 900, 900});
  auto& modules = trace.module_memory();
  modules.time_ns.push_back(kBegin);
  modules.device.push_back(1);
  modules.module.push_back(7);
  modules.reserved_bytes.push_back(-1);
  auto& calls = trace.os_calls();
  calls.start_ns.push_back(kBegin);
  calls.end_ns.push_back(kBegin + 5);
  calls.pid.push_back(77);
  calls.tid.push_back(78);
  calls.name.push_back(trace.strings.intern("read"));
  return trace;
}

TEST_F(SampleTables, EveryKindHasItsTableWithItsColumns) {
  write(trace_of_everything());
  for (const SampleDescription& description : sample_descriptions()) {
    if (description.table.name.empty()) continue;
    const std::string table(description.table.name);
    SCOPED_TRACE(table);
    Rows expected;
    for (const format::results::SampledColumn& column : description.table.columns) {
      const char* types[] = {"INTEGER", "NUMERIC", "REAL", "TEXT"};
      expected.push_back(std::string(column.name) + "|" +
                         types[static_cast<std::size_t>(column.affinity)]);
    }
    EXPECT_EQ(rows("SELECT name, type FROM pragma_table_info('" + table + "')"), expected);
    EXPECT_NE(rows("SELECT count(*) FROM " + table), Rows{"0"});
  }
  EXPECT_EQ(rows("SELECT count(*) FROM OSRT_API"), Rows{"1"});
}

TEST_F(SampleTables, NumbersAreInBytesAndTextsInStringIds) {
  write(trace_of_everything());
  EXPECT_EQ(rows("SELECT deviceId, timestampNs, bandwidth, hbmId, value FROM HBM "
                 "JOIN STRING_IDS ON type = id ORDER BY timestampNs"),
            (Rows{"1|1010000000|0|0|read", "1|1020000000|104857600|0|read"}));
  EXPECT_EQ(rows("SELECT value, ddr, hbm FROM NPU_MEM JOIN STRING_IDS ON type = id LIMIT 1"),
            Rows{"app|2048|4096"});
  EXPECT_EQ(rows("SELECT value, bandwidth, dieId FROM QOS JOIN STRING_IDS ON eventName = id "
                 "LIMIT 1"),
            Rows{"QoS OTHERS|1048576|-1"});
  EXPECT_EQ(rows("SELECT txPostMin, txNonpostMin, txNonpostLatencyMin FROM PCIE LIMIT 1"),
            Rows{"1000000|4000000|0"});
  EXPECT_EQ(rows("SELECT moduleId, totalReserved FROM NPU_MODULE_MEM"), Rows{"7|-1"});
  EXPECT_EQ(rows("SELECT freq, dieId FROM AICORE_FREQ"), (Rows{"1800|-1", "1800|-1"}));
  EXPECT_EQ(rows("SELECT readRate, writeRate, usage FROM HOST_DISK_USAGE LIMIT 1"),
            Rows{"3|4|12.5"});
  EXPECT_EQ(rows("SELECT value, globalTid, endNs - startNs FROM OSRT_API "
                 "JOIN STRING_IDS ON name = id"),
            Rows{"read|" + std::to_string((77ll << 32) + 78) + "|5"});
}

TEST_F(SampleTables, SampledCoresHaveTheirMetrics) {
  write(trace_of_everything());
  EXPECT_EQ(rows("SELECT totalCycle, usage, freq, coreId, value FROM SAMPLE_PMU_TIMELINE "
                 "JOIN STRING_IDS ON coreType = id"),
            Rows{"3600|0|1800|4|AIC"});
  EXPECT_EQ(rows("SELECT n.value, s.value, coreId, t.value FROM SAMPLE_PMU_SUMMARY s "
                 "JOIN STRING_IDS n ON metric = n.id JOIN STRING_IDS t ON coreType = t.id "
                 "WHERE n.value IN ('total_time', 'scalar_ratio') ORDER BY 1"),
            (Rows{"scalar_ratio|0.25|4|AIC", "total_time|2000|4|AIC"}));
}

TEST_F(SampleTables, OfWhatWasNotCollectedThereIsNoTable) {
  write(device_trace(1));
  EXPECT_EQ(rows("SELECT name FROM sqlite_master WHERE name IN ('HBM','NPU_MEM','NIC','OSRT_API',"
                 "'AICORE_FREQ')"),
            Rows{});
}

}  // namespace
}  // namespace npuprof::report::sqlite
