#include "link/device/kernel_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "link/device/launches_to_tasks.h"
#include "link/device_trace.h"
#include "trace/device/aicpu_nodes.h"
#include "trace/device/cache_counters.h"

namespace npuprof::link {
namespace {

using testing::DeviceTrace;
using ::testing::ElementsAre;
using trace::kNone;

// Task 1 runs twice, in different batches; task 2 once.
DeviceTrace three_kernels() {
  DeviceTrace host;
  host.launch(10, 1);
  host.op("a");
  host.launch(11, 2);
  host.op("b");
  host.batch = 1;
  host.launch(12, 1);
  host.op("c");
  host.task(300, 400, 1);
  host.batch = 0;
  host.task(100, 200, 1);
  host.task(200, 250, 2);
  link_tasks(host.trace());
  return host;
}

TEST(KernelRecordsTest, CacheCountersGoByOrderOfAppearance) {
  DeviceTrace host = three_kernels();
  trace::Trace& trace = host.trace();
  const auto add = [&](std::uint32_t task, trace::CacheCounterKind kind) {
    trace::CacheCounters& table = trace.cache_counters();
    DeviceTrace::add_row(table);
    table.stream.back() = 1;
    table.task.back() = task;
    table.kind.back() = static_cast<std::uint8_t>(kind);
  };
  using trace::CacheCounterKind;
  add(1, CacheCounterKind::kL2);
  add(1, CacheCounterKind::kSmmu);
  add(2, CacheCounterKind::kL2);
  add(1, CacheCounterKind::kL2);
  add(1, CacheCounterKind::kL2);  // One too many.
  add(9, CacheCounterKind::kL2);
  link_kernel_records(trace);
  EXPECT_THAT(trace.cache_counters().kernel, ElementsAre(0, 0, 1, 2, kNone, kNone));
}

TEST(KernelRecordsTest, AiCpuRecordsLieWithinTheirKernel) {
  DeviceTrace host = three_kernels();
  trace::Trace& trace = host.trace();
  for (const std::int64_t start : {310, 110, 260}) {
    DeviceTrace::add_row(trace.aicpu_nodes());
    trace.aicpu_nodes().start_ns.back() = start;
    trace.aicpu_nodes().stream.back() = 1;
    trace.aicpu_nodes().task.back() = 1;
  }
  link_kernel_records(trace);
  EXPECT_THAT(trace.aicpu_nodes().kernel, ElementsAre(2, 0, kNone));
}

}  // namespace
}  // namespace npuprof::link
