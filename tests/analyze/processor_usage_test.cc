#include "analyze/processor_usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/cache_310.h"
#include "format/device/perf_text.h"
#include "sample_traces.h"
#include "trace/device/memory_bandwidth.h"
#include "trace/machine/cpu_kind.h"
#include "trace/machine/system_cpu_times.h"

namespace npuprof::analyze {
namespace {

using namespace npuprof::testing;  // NOLINT(google-build-using-namespace): makers of traces.
using format::device::CacheEvent310;
using trace::CpuKind;
using trace::Trace;

void add_cpu(Trace& trace, std::int64_t after_ms, std::uint64_t user, std::uint64_t idle) {
  auto& rows = trace.system_cpu_times();
  rows.time_ns.push_back(kBegin + after_ms * kMillisecond);
  rows.device.push_back(1);
  rows.cpu_kind.push_back(static_cast<std::uint8_t>(CpuKind::kControl));
  rows.user.push_back(user);
  rows.idle.push_back(idle);
  rows.total.push_back(user + idle);
  for (auto* column : {&rows.system, &rows.io_wait, &rows.irq, &rows.soft_irq})
    column->push_back(0);
}

TEST(CpuUse, IsOfTheTimeBetweenSamples) {
  Trace trace = device_trace();
  add_cpu(trace, 1, 1000, 9000);  // Busy before the profile began.
  add_cpu(trace, 2, 1010, 9090);
  const auto uses = cpu_use(trace);
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses[0].kind, CpuKind::kControl);
  EXPECT_DOUBLE_EQ(uses[0].user, 10);
  EXPECT_DOUBLE_EQ(uses[0].idle, 90);
}

TEST(CpuUse, CountsFromTheLastSampleBeforeTheBegin) {
  Trace trace = device_trace();
  add_cpu(trace, 5, 130, 80);
  add_cpu(trace, -9, 0, 0);
  add_cpu(trace, -2, 100, 50);
  const auto uses = cpu_use(trace);
  EXPECT_DOUBLE_EQ(uses.at(0).user, 50) << "30 of 60";
  // If all samples are before it, the clock must be wrong: all of them count.
  trace.session.begin_ns = kBegin + 9 * kMillisecond;
  EXPECT_DOUBLE_EQ(cpu_use(trace).at(0).idle, 80 * 100 / 210.0);
}

TEST(CpuUse, OfOneSampleIsSinceTheStart) {
  Trace trace = device_trace();
  add_cpu(trace, 1, 25, 75);
  EXPECT_DOUBLE_EQ(cpu_use(trace).at(0).user, 25);
  Trace empty = device_trace();
  add_cpu(empty, 1, 0, 0);
  EXPECT_DOUBLE_EQ(cpu_use(empty).at(0).user, 0);
}

void add_count(Trace& trace, std::int64_t after_ms, CacheEvent310 event, std::uint64_t count) {
  add_bandwidth(trace, trace::MemoryBandwidthKind::kLlc310, after_ms, 0,
                static_cast<std::uint32_t>(event), count);
}

TEST(Cache310, RatesAreOfTheTimeThatIsKnown) {
  Trace trace = device_trace(0);
  trace.devices[0].counter_begin_ns = kBegin;
  add_count(trace, 500, CacheEvent310::kReadAllocate, 16384);
  add_count(trace, 500, CacheEvent310::kReadHit, 8192);
  // A single count is of the time since collecting began: 1 MiB in half a second.
  EXPECT_DOUBLE_EQ(cache_bandwidth_310(trace).at(0).read.mb_s, 2);
  EXPECT_DOUBLE_EQ(cache_bandwidth_310(trace).at(0).read.hit_percent, 50);
  add_count(trace, 750, CacheEvent310::kReadAllocate, 8192);
  add_count(trace, 750, CacheEvent310::kReadNoAllocate, 8192);
  const auto both = cache_bandwidth_310(trace);
  ASSERT_EQ(both.size(), 1u);
  EXPECT_DOUBLE_EQ(both[0].read.mb_s, 4) << "1 MiB in a quarter of a second";
  EXPECT_DOUBLE_EQ(both[0].read.hit_percent, 25);
  EXPECT_DOUBLE_EQ(both[0].read.hit_mb_s, 0);
  EXPECT_DOUBLE_EQ(both[0].write.mb_s, 0);
  EXPECT_TRUE(cache_capacity_310(trace).empty());
}

TEST(Cache310, LinesOfCpus) {
  Trace trace = device_trace(0);
  const auto first = static_cast<std::uint32_t>(CacheEvent310::kLinesOfCpu0);
  add_count(trace, 1, static_cast<CacheEvent310>(first + 1), 16);
  add_count(trace, 2, static_cast<CacheEvent310>(first + 1), 16);
  add_count(trace, 2, static_cast<CacheEvent310>(first + 7), 32);
  EXPECT_TRUE(cache_bandwidth_310(trace).empty());
  EXPECT_THAT(cache_capacity_310(trace).at(0).control_cpu_kb, ::testing::ElementsAre(0, 2, 0, 0));
  EXPECT_THAT(cache_capacity_310(trace).at(0).ai_cpu_kb, ::testing::ElementsAre(0, 0, 0, 2));
  trace.devices[0].ai_cpus = {1, 9};
  EXPECT_THAT(cache_capacity_310(trace).at(0).ai_cpu_kb, ::testing::ElementsAre(2))
      << "the cache counts eight CPUs";
  EXPECT_TRUE(cache_capacity_310(trace).at(0).control_cpu_kb.empty());
}

}  // namespace
}  // namespace npuprof::analyze
