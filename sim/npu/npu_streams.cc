#include "sim/npu/npu_streams.h"

#include <algorithm>

#include "sim/npu/runtime_calls.h"

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

namespace {

// Chip 15 has event tasks of its own.
constexpr auto kTaskEventRecordV6 = static_cast<host::TaskType>(110);
constexpr auto kTaskEventWaitV6 = static_cast<host::TaskType>(111);

}  // namespace

Result<StreamNumber> NpuStreams::create(std::uint32_t thread, std::int64_t begin_ns,
                                        std::int64_t* host_end_ns) {
  NPUPROF_ASSIGN_OR_RETURN(const StreamNumber stream, npu_.streams.create());
  const SimpleCall call =
      issuer_.begin_call("aclrtCreateStream", runtime_call::kStreamCreate, begin_ns);
  issuer_.report_call(thread, call);
  // The next call must not begin at the same tick.
  if (host_end_ns != nullptr) *host_end_ns = call.end_ns + npu_.costs.call_tail;
  return stream;
}

std::int64_t NpuStreams::destroy(std::uint32_t thread, StreamNumber stream_id,
                                 std::int64_t begin_ns) {
  const SimpleCall call =
      issuer_.begin_call("aclrtDestroyStream", runtime_call::kStreamDestroy, begin_ns);
  if (!npu_.streams.is_open(stream_id)) return call.end_ns;
  StreamState& stream = npu_.streams.at(stream_id);
  if (npu_.host_log.tasks() && !npu_.streams.has_wide_ids()) {
    // Its id may be used again: a last flip tells later tasks from these.
    host::TaskTrack last{};
    last.header =
        host::header_of<host::TaskTrack>(thread, npu_.host_log.ticks(call.runtime_begin_ns) + 1);
    last.device = static_cast<std::uint16_t>(npu_.options.device);
    last.stream = stream.id;
    last.task_id = host::TaskTrack::kStreamDestroyed;
    last.task_type = static_cast<std::uint64_t>(host::TaskType::kFlip);
    npu_.host_log.record(Age::kAging, last);
    const std::int64_t done_ns = std::max(stream.free_ns, call.runtime_end_ns);
    npu_.device_log.flip(stream.id, 0xFFFF, 0xFFFF, done_ns + npu_.chip().task_gap_ns / 2);
    stream.free_ns = done_ns + npu_.chip().task_gap_ns;
  }
  npu_.streams.destroy(stream_id);
  issuer_.report_call(thread, call);
  return call.end_ns;
}

TaskRun NpuStreams::event_task(std::uint32_t thread, StreamNumber stream_id, const SimpleCall& call,
                               host::TaskType type, device::SqeKind sqe,
                               std::int64_t wait_until_ns) {
  StreamState& stream = npu_.streams.at(stream_id);
  const std::uint32_t task =
      issuer_.submit(thread, stream, npu_.host_log.ticks(call.runtime_begin_ns) + 1, type);
  // A wait begins at once and lasts until what it waits for has happened.
  const std::int64_t start_ns =
      issuer_.begin_on(stream, call.runtime_end_ns + npu_.chip().launch_latency_ns);
  const std::int64_t duration_ns = std::max(npu_.chip().event_ns, wait_until_ns - start_ns);
  const Interval run = issuer_.run(stream, task, sqe, start_ns, duration_ns);
  if (npu_.device_log.shows(run)) npu_.truth.count(TruthCount::kEvents);
  issuer_.report_call(thread, call);
  return {call.end_ns, run.begin, run.end};
}

std::int64_t NpuStreams::destroy_all(std::uint32_t thread, std::int64_t begin_ns) {
  for (StreamNumber stream = 0; stream < npu_.streams.end_id(); ++stream) {
    if (npu_.streams.is_open(stream)) begin_ns = destroy(thread, stream, begin_ns);
  }
  return begin_ns;
}

TaskRun NpuStreams::record_event(std::uint32_t thread, StreamNumber stream, StreamEvent& event,
                                 std::int64_t begin_ns) {
  const bool v6 = npu_.chip().is_v6();
  const TaskRun run = event_task(
      thread, stream, issuer_.begin_call("aclrtRecordEvent", runtime_call::kEventRecord, begin_ns),
      v6 ? kTaskEventRecordV6 : host::TaskType::kEventRecord,
      v6 ? device::SqeKind::kNotifyRecord : device::SqeKind::kEventRecord, 0);
  event.done_ns = run.device_end_ns;
  return run;
}

TaskRun NpuStreams::wait_event(std::uint32_t thread, StreamNumber stream, const StreamEvent& event,
                               std::int64_t begin_ns) {
  const bool v6 = npu_.chip().is_v6();
  return event_task(
      thread, stream,
      issuer_.begin_call("aclrtStreamWaitEvent", runtime_call::kStreamWaitEvent, begin_ns),
      v6 ? kTaskEventWaitV6 : host::TaskType::kEventWait,
      v6 ? device::SqeKind::kNotifyWait : device::SqeKind::kEventWait,
      event.done_ns + npu_.chip().event_ns);
}

std::int64_t NpuStreams::synchronize_until(std::uint32_t thread, SimpleCall call,
                                           std::int64_t free_ns) {
  call.runtime_end_ns = std::max(call.runtime_begin_ns, free_ns) + npu_.costs.synchronize;
  call.end_ns = call.runtime_end_ns + npu_.costs.call_tail;
  issuer_.report_call(thread, call);
  return call.end_ns;
}

std::int64_t NpuStreams::synchronize_event(std::uint32_t thread, const StreamEvent& event,
                                           std::int64_t begin_ns) {
  return synchronize_until(
      thread,
      issuer_.begin_call("aclrtSynchronizeEvent", runtime_call::kEventSynchronize, begin_ns),
      event.done_ns);
}

std::int64_t NpuStreams::synchronize_stream(std::uint32_t thread, StreamNumber stream,
                                            std::int64_t begin_ns) {
  return synchronize_until(
      thread,
      issuer_.begin_call("aclrtSynchronizeStream", runtime_call::kStreamSynchronize, begin_ns),
      npu_.streams.at(stream).free_ns);
}

std::int64_t NpuStreams::synchronize_device(std::uint32_t thread, std::int64_t begin_ns) {
  return synchronize_until(
      thread,
      issuer_.begin_call("aclrtSynchronizeDevice", runtime_call::kDeviceSynchronize, begin_ns),
      npu_.streams.latest_free_ns());
}

}  // namespace npuprof::sim
