#include "analyze/samples.h"

#include <cmath>

#include <gtest/gtest.h>

#include "sample_traces.h"
#include "trace/device/core_samples.h"
#include "trace/device/frequencies.h"
#include "trace/device/link_samples.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/device/module_memory.h"
#include "trace/device/pmu_counters.h"
#include "trace/host/host_usage.h"

namespace npuprof::analyze {
namespace {

using namespace npuprof::testing;  // NOLINT(google-build-using-namespace): makers of traces.
using trace::kNone;
using trace::LinkKind;
using trace::MemoryBandwidthKind;
using trace::Trace;

constexpr double kBinaryMegabyte = 1024 * 1024;

// Samples of one kind; an empty table if there are none.
Samples of_kind(const Trace& trace, SampleKind kind) {
  for (Samples& table : samples(trace)) {
    if (table.kind == kind) return std::move(table);
  }
  return {};
}

TEST(Samples, OfNothingAreNone) { EXPECT_TRUE(samples(Trace{}).empty()); }

TEST(Samples, HbmCountsBecomeRatesPerMemoryAndDirection) {
  Trace trace = device_trace();
  for (const std::int64_t ms : {10, 20, 40}) {
    for (const std::uint32_t event : {0u, 1u}) {
      add_bandwidth(trace, MemoryBandwidthKind::kHbm, ms, 3, event, 32768 * (event + 1));
    }
  }
  const Samples hbm = of_kind(trace, SampleKind::kHbm);
  ASSERT_EQ(hbm.size(), 6u);
  EXPECT_TRUE(std::isnan(hbm.row(0)[0])) << "a rate needs two samples";
  EXPECT_TRUE(std::isnan(hbm.row(1)[0]));
  EXPECT_DOUBLE_EQ(hbm.row(2)[0], 100);  // 1 MB in 10 ms.
  EXPECT_DOUBLE_EQ(hbm.row(3)[0], 200);
  EXPECT_DOUBLE_EQ(hbm.row(4)[0], 50);  // 1 MB in 20 ms.
  EXPECT_EQ(hbm.labels[hbm.label[2]], "Read");
  EXPECT_EQ(hbm.labels[hbm.label[3]], "Write");
  EXPECT_EQ(hbm.unit[2], 3u);
}

TEST(Samples, LlcEventsOfASliceAreOneSample) {
  Trace trace = device_trace();
  trace.devices[0].llc_mode = "write";
  for (const std::int64_t ms : {0, 10}) {
    std::uint64_t count = 16384;
    for (const std::uint32_t event : {0x00u, 0x01u}) {
      add_bandwidth(trace, MemoryBandwidthKind::kLlc, ms, 1, event, count / 2);
    }
    count = 10;
    for (const std::uint32_t event : {0x03u, 0x14u, 0x23u, 0x37u}) {
      add_bandwidth(trace, MemoryBandwidthKind::kLlc, ms, 1, event, count++);
    }
    for (const std::uint32_t event : {0x21u, 0x35u}) {
      add_bandwidth(trace, MemoryBandwidthKind::kLlc, ms, 1, event, 46);
    }
    add_bandwidth(trace, MemoryBandwidthKind::kLlc, ms, 1, 0x99, 1'000'000);  // Not of these.
  }
  const Samples llc = of_kind(trace, SampleKind::kLlc);
  ASSERT_EQ(llc.size(), 2u);
  EXPECT_DOUBLE_EQ(llc.row(0)[0], 0.5);
  EXPECT_TRUE(std::isnan(llc.row(0)[1]));
  EXPECT_DOUBLE_EQ(llc.row(1)[1], 100);  // 64 bytes each, 10 ms.
  EXPECT_EQ(llc.labels[llc.label[1]], "Write");
}

TEST(Samples, DdrAddsChannelsAndKnowsTheBusOfTheChip) {
  for (const auto& [chip, rate] : {std::pair(7u, 100.0), std::pair(1u, 200.0)}) {
    Trace trace = device_trace(chip);
    for (const std::int64_t ms : {0, 10}) {
      add_bandwidth(trace, MemoryBandwidthKind::kDdr, ms, 0, 0, 32768);
      add_bandwidth(trace, MemoryBandwidthKind::kDdr, ms, 1, 0, 32768);
      add_bandwidth(trace, MemoryBandwidthKind::kDdr, ms, 0, 1, 32768);
    }
    const Samples ddr = of_kind(trace, SampleKind::kDdr);
    ASSERT_EQ(ddr.size(), 2u);
    EXPECT_DOUBLE_EQ(ddr.row(1)[0], rate);
    EXPECT_DOUBLE_EQ(ddr.row(1)[1], rate / 2);
  }
}

TEST(Samples, MemoryOfProcessAndDevice) {
  Trace trace = device_trace();
  add_device_memory(trace, 1, 0, 4096);
  add_device_memory(trace, 1, 1, 8192);
  const Samples memory = of_kind(trace, SampleKind::kDeviceMemory);
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory.labels[memory.label[0]], "APP");
  EXPECT_EQ(memory.labels[memory.label[1]], "Device");
  EXPECT_DOUBLE_EQ(memory.row(1)[2], 2048 + 8192);
}

TEST(Samples, ModulesAreOrderedByNumberThenTime) {
  Trace trace = device_trace();
  auto& rows = trace.module_memory();
  for (const auto& [ms, module] :
       {std::pair(5, 33u), std::pair(5, 3u), std::pair(1, 33u), std::pair(2, 9999u)}) {
    rows.time_ns.push_back(kBegin + ms * kMillisecond);
    rows.device.push_back(1);
    rows.module.push_back(module);
    rows.reserved_bytes.push_back(-1);
  }
  const Samples modules = of_kind(trace, SampleKind::kModuleMemory);
  ASSERT_EQ(modules.size(), 4u);
  EXPECT_EQ(modules.labels[modules.label[0]], "HCCL");
  EXPECT_EQ(modules.time_ns[1], kBegin + kMillisecond);
  EXPECT_EQ(modules.labels[modules.label[3]], "Unknown");
  EXPECT_EQ(modules.row(3)[0], -1);
}

TEST(Samples, ModulesGoByTheNamesOfTheirProfile) {
  Trace trace = device_trace();
  trace.session.module_names = {{2, "IDEDH"}};
  auto& rows = trace.module_memory();
  rows.time_ns = {kBegin, kBegin};
  rows.device = {1, 1};
  rows.module = {2, 3};
  rows.reserved_bytes = {1, 1};
  const Samples modules = of_kind(trace, SampleKind::kModuleMemory);
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules.labels[modules.label[0]], "IDEDH");
  EXPECT_EQ(modules.labels[modules.label[1]], "HCCL");
}

TEST(Samples, HccsSkipsAnOverflow) {
  Trace trace = device_trace();
  add_link(trace, LinkKind::kHccs, 0, 0, {0, 0});
  add_link(trace, LinkKind::kHccs, 10, 0, {kBinaryMegabyte, 2 * kBinaryMegabyte});
  add_link(trace, LinkKind::kHccs, 20, 0, {5, 3 * kBinaryMegabyte});  // Sent bytes began anew.
  add_link(trace, LinkKind::kHccs, 30, 0, {5 + kBinaryMegabyte, 3 * kBinaryMegabyte});
  const Samples hccs = of_kind(trace, SampleKind::kHccs);
  ASSERT_EQ(hccs.size(), 2u);
  EXPECT_DOUBLE_EQ(hccs.row(0)[0], 100);
  EXPECT_DOUBLE_EQ(hccs.row(0)[1], 200);
  EXPECT_DOUBLE_EQ(hccs.row(1)[0], 100);
  EXPECT_DOUBLE_EQ(hccs.row(1)[1], 0);
}

TEST(Samples, NetworkRatesAreSharesOfPacketsAndBandwidth) {
  Trace trace = device_trace();
  add_link(trace, LinkKind::kRoce, 1, 2,
           {100, 10, 1.25 * kBinaryMegabyte, 1000, 0, 5, 10, 20, 0, 0, 0, 3, 3});
  const Samples roce = of_kind(trace, SampleKind::kRoce);
  ASSERT_EQ(roce.size(), 1u);
  EXPECT_EQ(roce.unit[0], 2u);
  EXPECT_DOUBLE_EQ(roce.row(0)[kRxErrorRate], 0.005);
  EXPECT_DOUBLE_EQ(roce.row(0)[kRxDroppedRate], 0.01);
  EXPECT_DOUBLE_EQ(roce.row(0)[kRxEfficiency], 0.1);
  EXPECT_DOUBLE_EQ(roce.row(0)[kTxErrorRate], 0) << "no packets, no rate";
  EXPECT_DOUBLE_EQ(roce.row(0)[kTxPacketRate], 20);
}

TEST(Samples, NetdevCountsWhatWasAdded) {
  Trace trace = device_trace();
  add_link(trace, LinkKind::kNetdev, 0, 0, {1, 2, 1000, 0, 0, 0, 9});
  add_link(trace, LinkKind::kNetdev, 500, 0, {4, 2, 3000, 0, 0, 0, 8});
  const Samples netdev = of_kind(trace, SampleKind::kNetdev);
  ASSERT_EQ(netdev.size(), 1u);
  ASSERT_EQ(netdev.width, 19u);
  EXPECT_DOUBLE_EQ(netdev.row(0)[0], 3);
  EXPECT_DOUBLE_EQ(netdev.row(0)[2], 2000);
  EXPECT_DOUBLE_EQ(netdev.row(0)[3], 4000) << "bytes per second";
  EXPECT_DOUBLE_EQ(netdev.row(0)[8], 0) << "a counter that began anew";
}

TEST(Samples, DiesAreNamedByTheChip) {
  for (const auto& [chip, die, name] : {std::tuple(5u, 1u, "die 1"), std::tuple(15u, 0u, "D-DIE0"),
                                        std::tuple(15u, 3u, "U-DIE1")}) {
    Trace trace = device_trace(chip);
    add_link(trace, LinkKind::kSio, 0, die, {1});
    add_link(trace, LinkKind::kSio, 10, die,
             {kBinaryMegabyte, 0, 0, 0, 0, 0, 0, 2 * kBinaryMegabyte});
    const Samples sio = of_kind(trace, SampleKind::kSio);
    ASSERT_EQ(sio.size(), 1u);
    EXPECT_EQ(sio.labels[sio.label[0]], name);
    EXPECT_DOUBLE_EQ(sio.row(0)[0], 100);
    EXPECT_DOUBLE_EQ(sio.row(0)[7], 200);
  }
}

TEST(Samples, QosHasARowForEachStreamThatIsNamed) {
  Trace trace = device_trace();
  trace.devices[0].qos_streams = {"OTHERS", "AI"};
  add_link(trace, LinkKind::kQos, 1, 0, {7, 8, 9});
  const Samples qos = of_kind(trace, SampleKind::kQos);
  ASSERT_EQ(qos.size(), 2u);
  EXPECT_EQ(qos.labels[qos.label[1]], "QoS AI");
  EXPECT_EQ(qos.row(1)[0], 8);
  EXPECT_EQ(qos.unit[1], kNone);
}

TEST(Samples, FrequencyHasBothEndsAndWhatWasBefore) {
  Trace trace = device_trace();
  auto& rows = trace.frequencies();
  for (const auto& [ms, mhz] : {std::pair(-2, 1500u), std::pair(3, 1650u)}) {
    rows.time_ns.push_back(kBegin + ms * kMillisecond);
    rows.device.push_back(1);
    rows.kind.push_back(0);
    rows.value.push_back(mhz);
    rows.die.push_back(0);
  }
  const Samples clock = of_kind(trace, SampleKind::kFrequency);
  ASSERT_EQ(clock.size(), 3u);
  EXPECT_EQ(clock.time_ns.front(), kBegin);
  EXPECT_EQ(clock.row(0)[0], 1500);
  EXPECT_EQ(clock.row(1)[0], 1650);
  EXPECT_EQ(clock.time_ns.back(), trace.session.end_ns);
  EXPECT_EQ(clock.row(2)[0], 1650);
}

TEST(Samples, WithoutChangesTheFrequencyIsNominal) {
  const Samples clock = of_kind(device_trace(), SampleKind::kFrequency);
  ASSERT_EQ(clock.size(), 2u);
  EXPECT_EQ(clock.row(0)[0], 1800);
  EXPECT_EQ(clock.row(1)[0], 1800);
}

TEST(Samples, AverageOfCpusIsAKindOfItsOwn) {
  Trace trace;
  add_host_usage(trace, trace::HostUsageKind::kCpu, 1, 4, 50);
  add_host_usage(trace, trace::HostUsageKind::kCpu, 1, kNone, 12.5);
  add_host_usage(trace, trace::HostUsageKind::kDisk, 1, kNone, 3, 10, 20);
  EXPECT_EQ(of_kind(trace, SampleKind::kCpu).size(), 1u);
  EXPECT_DOUBLE_EQ(of_kind(trace, SampleKind::kCpuAverage).row(0)[0], 12.5);
  EXPECT_DOUBLE_EQ(of_kind(trace, SampleKind::kDisk).row(0)[2], 20);
}

TEST(Samples, UseOfCoresAndTheirMean) {
  Trace trace = device_trace();
  trace.devices[0].aic_mhz = 1000;
  auto& rows = trace.core_samples();
  for (const std::int64_t us : {1, 2}) {
    for (const std::uint8_t core : {0, 1}) {
      rows.time_ns.push_back(kBegin + us * 1000 + core);
      rows.device.push_back(1);
      rows.core_id.push_back(core);
      rows.core.push_back(static_cast<std::uint8_t>(trace::PmuCore::kAiv));
      rows.cycles.push_back(200u + 100u * core);
      rows.counters.emplace_back();
    }
  }
  const Samples usage = of_kind(trace, SampleKind::kCoreUsage);
  ASSERT_EQ(usage.size(), 4u);
  EXPECT_EQ(usage.labels[usage.label[0]], "AIV");
  EXPECT_TRUE(std::isnan(usage.row(0)[1]));
  EXPECT_DOUBLE_EQ(usage.row(2)[1], 20);
  EXPECT_DOUBLE_EQ(usage.row(3)[1], 30);
  const Samples average = of_kind(trace, SampleKind::kCoreAverage);
  ASSERT_EQ(average.size(), 1u);
  EXPECT_EQ(average.time_ns[0], kBegin + 2000);
  EXPECT_DOUBLE_EQ(average.row(0)[0], 25);
}

TEST(Samples, FromBeforeTheCollectionAreLeftOut) {
  Trace trace = device_trace();
  add_device_memory(trace, -1, 0, 1);
  add_device_memory(trace, 0, 0, 2);
  const Samples memory = of_kind(trace, SampleKind::kDeviceMemory);
  ASSERT_EQ(memory.size(), 1u);
  EXPECT_EQ(memory.row(0)[1], 2);
}

}  // namespace
}  // namespace npuprof::analyze
