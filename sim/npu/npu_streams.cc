#include "sim/npu/npu.h"
#include "sim/npu/runtime_calls.h"

// Streams, events and waiting.

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

namespace {

// Chip 15 has event tasks of its own.
constexpr auto kTaskEventRecordV6 = static_cast<host::TaskType>(110);
constexpr auto kTaskEventWaitV6 = static_cast<host::TaskType>(111);

}  // namespace

Result<StreamId> Npu::create_stream(std::uint32_t thread, std::int64_t begin_ns,
                                    std::int64_t* host_end_ns) {
  NPUPROF_ASSIGN_OR_RETURN(const StreamId stream, streams_.create());
  const SimpleCall call =
      begin_simple(acl_call("aclrtCreateStream"), runtime_call::kStreamCreate, begin_ns);
  report_simple(thread, call);
  // The next call must not begin at the same tick.
  if (host_end_ns != nullptr) *host_end_ns = call.end_ns + costs_.call_tail;
  return stream;
}

std::int64_t Npu::destroy_stream(std::uint32_t thread, StreamId stream_id, std::int64_t begin_ns) {
  const SimpleCall call =
      begin_simple(acl_call("aclrtDestroyStream"), runtime_call::kStreamDestroy, begin_ns);
  if (!streams_.is_open(stream_id)) return call.end_ns;
  StreamState& stream = streams_.at(stream_id);
  if (host_.tasks() && !streams_.has_wide_ids()) {
    // Its id may be used again: a last flip tells later tasks from these.
    host::TaskTrack last{};
    last.header = host::header_of<host::TaskTrack>(thread, host_.ticks(call.runtime_begin_ns) + 1);
    last.device = static_cast<std::uint16_t>(options_.device);
    last.stream = stream.id;
    last.task_id = host::TaskTrack::kStreamDestroyed;
    last.task_type = static_cast<std::uint64_t>(host::TaskType::kFlip);
    host_.record(Age::kAging, last);
    const std::int64_t done_ns = std::max(stream.free_ns, call.runtime_end_ns);
    device_.flip(stream.id, 0xFFFF, 0xFFFF, done_ns + chip().task_gap_ns / 2);
    stream.free_ns = done_ns + chip().task_gap_ns;
  }
  streams_.destroy(stream_id);
  report_simple(thread, call);
  return call.end_ns;
}

TaskRun Npu::event_task(std::uint32_t thread, StreamId stream_id, const char* call_name,
                        std::uint32_t runtime_api, host::TaskType type, device::SqeKind sqe,
                        std::int64_t wait_until_ns, std::int64_t begin_ns) {
  StreamState& stream = streams_.at(stream_id);
  const SimpleCall call = begin_simple(acl_call(call_name), runtime_api, begin_ns);
  const std::uint32_t task = submit(thread, stream, host_.ticks(call.runtime_begin_ns) + 1, type);
  // A wait begins at once and lasts until what it waits for has happened.
  const std::int64_t start_ns = begin_on(stream, call.runtime_end_ns + chip().launch_latency_ns);
  const std::int64_t duration_ns = std::max(chip().event_ns, wait_until_ns - start_ns);
  const Interval run = run_simple(stream, task, sqe, start_ns, duration_ns);
  if (device_.shows(run)) truth_.count(TruthCount::kEvents);
  report_simple(thread, call);
  return {call.end_ns, run.begin, run.end};
}

std::int64_t Npu::destroy_streams(std::uint32_t thread, std::int64_t begin_ns) {
  for (StreamId stream = 0; stream < streams_.end_id(); ++stream) {
    if (streams_.is_open(stream)) begin_ns = destroy_stream(thread, stream, begin_ns);
  }
  return begin_ns;
}

TaskRun Npu::record_event(std::uint32_t thread, StreamId stream, Event& event,
                          std::int64_t begin_ns) {
  const bool v6 = chip().is_v6();
  const TaskRun run =
      event_task(thread, stream, "aclrtRecordEvent", runtime_call::kEventRecord,
                 v6 ? kTaskEventRecordV6 : host::TaskType::kEventRecord,
                 v6 ? device::SqeKind::kNotifyRecord : device::SqeKind::kEventRecord, 0, begin_ns);
  event.done_ns = run.device_end_ns;
  return run;
}

TaskRun Npu::wait_event(std::uint32_t thread, StreamId stream, const Event& event,
                        std::int64_t begin_ns) {
  const bool v6 = chip().is_v6();
  return event_task(thread, stream, "aclrtStreamWaitEvent", runtime_call::kStreamWaitEvent,
                    v6 ? kTaskEventWaitV6 : host::TaskType::kEventWait,
                    v6 ? device::SqeKind::kNotifyWait : device::SqeKind::kEventWait,
                    event.done_ns + chip().event_ns, begin_ns);
}

TaskRun Npu::record_notify(std::uint32_t thread, StreamId stream, Event& notify,
                           std::int64_t begin_ns) {
  const TaskRun run =
      event_task(thread, stream, "aclrtRecordNotify", runtime_call::kNotifyRecord,
                 host::TaskType::kNotifyRecord, device::SqeKind::kNotifyRecord, 0, begin_ns);
  notify.done_ns = run.device_end_ns;
  return run;
}

TaskRun Npu::wait_notify(std::uint32_t thread, StreamId stream, const Event& notify,
                         std::int64_t begin_ns) {
  return event_task(thread, stream, "aclrtWaitAndResetNotify", runtime_call::kNotifyWait,
                    host::TaskType::kNotifyWait, device::SqeKind::kNotifyWait,
                    notify.done_ns + chip().event_ns, begin_ns);
}

std::int64_t Npu::synchronize_until(std::uint32_t thread, const char* call_name,
                                    std::uint32_t runtime_api, std::int64_t free_ns,
                                    std::int64_t begin_ns) {
  SimpleCall call = begin_simple(acl_call(call_name), runtime_api, begin_ns);
  call.runtime_end_ns = std::max(call.runtime_begin_ns, free_ns) + costs_.synchronize;
  call.end_ns = call.runtime_end_ns + costs_.call_tail;
  report_simple(thread, call);
  return call.end_ns;
}

std::int64_t Npu::synchronize_event(std::uint32_t thread, const Event& event,
                                    std::int64_t begin_ns) {
  return synchronize_until(thread, "aclrtSynchronizeEvent", runtime_call::kEventSynchronize,
                           event.done_ns, begin_ns);
}

std::int64_t Npu::synchronize_stream(std::uint32_t thread, StreamId stream, std::int64_t begin_ns) {
  return synchronize_until(thread, "aclrtSynchronizeStream", runtime_call::kStreamSynchronize,
                           streams_.at(stream).free_ns, begin_ns);
}

std::int64_t Npu::synchronize_device(std::uint32_t thread, std::int64_t begin_ns) {
  return synchronize_until(thread, "aclrtSynchronizeDevice", runtime_call::kDeviceSynchronize,
                           streams_.latest_free_ns(), begin_ns);
}

}  // namespace npuprof::sim
