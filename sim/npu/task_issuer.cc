#include "sim/npu/task_issuer.h"

#include <algorithm>

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

std::uint32_t TaskIssuer::next_task(std::uint32_t thread, StreamState& stream,
                                    std::uint64_t track_ticks) {
  if (!npu_.streams.must_flip(stream)) return npu_.streams.take_task(stream);
  npu_.streams.flip(stream);
  if (npu_.host_log.tasks()) {
    host::TaskTrack flip{};
    // One tick before the task that needs it, so that readers count it in.
    flip.header = host::header_of<host::TaskTrack>(thread, track_ticks - 1);
    flip.device = static_cast<std::uint16_t>(npu_.options.device);
    flip.stream = stream.id;
    flip.task_id = host::TaskTrack::encode_task_id(0, stream.flips);
    flip.task_type = static_cast<std::uint64_t>(host::TaskType::kFlip);
    npu_.host_log.record(Age::kAging, flip);
    // Between the last task of the old count and the first of the new one.
    const std::int64_t time_ns = stream.free_ns + npu_.chip().task_gap_ns / 2;
    npu_.device_log.flip(stream.id, stream.flips, 0, time_ns);
    if (npu_.device_log.shows({time_ns, time_ns})) npu_.truth.count(TruthCount::kFlips);
  }
  return npu_.streams.take_task(stream);
}

std::uint32_t TaskIssuer::submit(std::uint32_t thread, StreamState& stream,
                                 std::uint64_t track_ticks, const host::TaskTrack& prototype,
                                 Age age) {
  const std::uint32_t task = next_task(thread, stream, track_ticks);
  if (!npu_.host_log.tasks()) return task;
  host::TaskTrack track = prototype;
  track.header.thread_id = thread;
  track.header.timestamp = track_ticks;
  track.device = static_cast<std::uint16_t>(npu_.options.device);
  track.stream = stream.id;
  track.task_id = npu_.streams.has_wide_ids() ? task
                                              : host::TaskTrack::encode_task_id(
                                                    static_cast<std::uint16_t>(task), stream.flips);
  npu_.host_log.record(age, track);
  return task;
}

std::uint32_t TaskIssuer::submit(std::uint32_t thread, StreamState& stream,
                                 std::uint64_t track_ticks, host::TaskType type) {
  host::TaskTrack track{};
  track.header = host::header_of<host::TaskTrack>(thread, track_ticks);
  track.task_type = static_cast<std::uint64_t>(type);
  return submit(thread, stream, track_ticks, track, Age::kAging);
}

std::int64_t TaskIssuer::begin_on(const StreamState& stream, std::int64_t ready_ns) const {
  return std::max(ready_ns, stream.free_ns + npu_.chip().task_gap_ns);
}

SimpleCall TaskIssuer::begin_call(std::string_view name, std::uint32_t runtime_api,
                                  std::int64_t begin_ns) {
  SimpleCall result{
      .call = npu_.calls.named(name), .runtime_api = runtime_api, .begin_ns = begin_ns};
  result.runtime_begin_ns = begin_ns + npu_.costs.call_head;
  result.runtime_end_ns = result.runtime_begin_ns + npu_.costs.runtime;
  result.end_ns = result.runtime_end_ns + npu_.costs.call_tail;
  return result;
}

void TaskIssuer::report_call(std::uint32_t thread, const SimpleCall& call) {
  npu_.host_log.runtime_api(call.runtime_api, thread, call.runtime_begin_ns, call.runtime_end_ns);
  npu_.calls.report(thread, call.call, call.begin_ns, call.end_ns);
}

Interval TaskIssuer::run(StreamState& stream, std::uint32_t task, device::SqeKind sqe,
                         std::int64_t ready_ns, std::int64_t duration_ns) {
  const std::int64_t begin_ns = begin_on(stream, ready_ns);
  const Interval times{begin_ns, begin_ns + duration_ns};
  stream.free_ns = times.end;
  if (npu_.device_log.on()) npu_.device_log.task({stream.id, task}, sqe, times);
  if (npu_.device_log.shows(times)) npu_.truth.count(TruthCount::kDeviceTasks);
  return times;
}

}  // namespace npuprof::sim
