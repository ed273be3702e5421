#include "sim/npu/npu_copies.h"

#include <algorithm>
#include <cmath>

#include "format/host/compact_memory.h"
#include "sim/npu/runtime_calls.h"

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

TaskRun NpuCopies::copy(std::uint32_t thread, StreamNumber stream_id,
                        host::MemcpyDirection direction, std::uint64_t bytes,
                        std::int64_t begin_ns) {
  StreamState& stream = npu_.streams.at(stream_id);
  const SimpleCall call =
      issuer_.begin_call("aclrtMemcpyAsync", runtime_call::kMemcpyAsync, begin_ns);
  // The time by which readers find the size of each task.
  const std::uint64_t ticks = npu_.host_log.ticks(call.runtime_begin_ns) + 1;
  if (npu_.host_log.tasks()) {
    host::MemcpyInfo info{};
    info.header = host::header_of<host::MemcpyInfo>(thread, ticks);
    info.data_size = bytes;
    info.max_size = kMostTaskBytes;
    info.direction = static_cast<std::uint16_t>(direction);
    npu_.host_log.record(Age::kAging, info);
  }
  const bool on_device = direction == host::MemcpyDirection::kDeviceToDevice;
  const double gb_per_s =
      on_device ? npu_.chip().link(Link::kOnChip).gb_per_s : npu_.chip().host_copy_gb_per_s;
  const device::SqeKind sqe = on_device             ? device::SqeKind::kSdma
                              : npu_.chip().is_v6() ? device::SqeKind::kAsyncDma
                                                    : device::SqeKind::kPcieDma;
  TaskRun result{.host_end_ns = call.end_ns};
  npu_.streams.keep_together(
      stream, std::max<std::uint64_t>((bytes + kMostTaskBytes - 1) / kMostTaskBytes, 1));
  std::uint64_t left = bytes;
  do {
    const std::uint64_t part = std::min(left, kMostTaskBytes);
    left -= part;
    const std::uint32_t task = issuer_.submit(thread, stream, ticks, host::TaskType::kMemcpyAsync);
    const std::int64_t duration_ns =
        npu_.chip().copy_overhead_ns + std::llround(static_cast<double>(part) / gb_per_s);
    const Interval run = issuer_.run(
        stream, task, sqe, call.runtime_end_ns + npu_.chip().launch_latency_ns, duration_ns);
    if (result.device_end_ns == 0) result.device_begin_ns = run.begin;
    result.device_end_ns = run.end;
    if (npu_.device_log.shows(run)) {
      const Interval wall = npu_.wall_of(run);
      npu_.truth.add_copy(static_cast<std::uint16_t>(direction), part, wall.end - wall.begin);
      samples_.add_copy(direction, run, part);
    }
  } while (left > 0);
  issuer_.report_call(thread, call);
  return result;
}

TaskRun NpuCopies::fill(std::uint32_t thread, StreamNumber stream_id, std::uint64_t bytes,
                        std::int64_t begin_ns) {
  StreamState& stream = npu_.streams.at(stream_id);
  const SimpleCall call =
      issuer_.begin_call("aclrtMemsetAsync", runtime_call::kMemsetAsync, begin_ns);
  const std::uint64_t ticks = npu_.host_log.ticks(call.runtime_begin_ns) + 1;
  const std::uint32_t task = issuer_.submit(thread, stream, ticks, host::TaskType::kMemsetAsync);
  if (npu_.host_log.tasks()) {
    host::MemsetInfo info{};
    info.header = host::header_of<host::MemsetInfo>(thread, ticks);
    info.data_size = bytes;
    info.stream = stream.id;
    info.device = static_cast<std::uint16_t>(npu_.options.device);
    npu_.host_log.record(Age::kAging, info);
  }
  const std::int64_t duration_ns =
      npu_.chip().copy_overhead_ns +
      std::llround(static_cast<double>(bytes) / npu_.chip().hbm_gb_per_s);
  const Interval run =
      issuer_.run(stream, task, device::SqeKind::kSdma,
                  call.runtime_end_ns + npu_.chip().launch_latency_ns, duration_ns);
  if (npu_.device_log.shows(run)) npu_.truth.count(TruthCount::kFills);
  issuer_.report_call(thread, call);
  return {call.end_ns, run.begin, run.end};
}

}  // namespace npuprof::sim
