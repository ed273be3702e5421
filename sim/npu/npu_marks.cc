#include "sim/npu/npu_marks.h"

#include "format/device/ts_track.h"
#include "format/host/msproftx.h"

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

namespace {

constexpr std::uint64_t kNoModel = 0xFFFFFFFF;
constexpr std::int64_t kTraceTaskNs = 200;

}  // namespace

void NpuMarks::trace_on_stream(std::uint32_t thread, StreamNumber stream_id, std::uint64_t index,
                               std::uint16_t tag, std::int64_t time_ns) {
  StreamState& stream = npu_.streams.at(stream_id);
  const std::uint32_t task = issuer_.submit(thread, stream, npu_.host_log.ticks(time_ns) + 1,
                                            host::TaskType::kProfilerTraceEx);
  const Interval run = issuer_.run(stream, task, device::SqeKind::kPlaceHolder,
                                   time_ns + npu_.chip().launch_latency_ns, kTraceTaskNs);
  npu_.device_log.trace({stream.id, task}, tag, index, kNoModel, run.end);
}

void NpuMarks::report(std::uint32_t thread, std::uint64_t id, std::uint32_t event_type,
                      std::string_view message, std::uint64_t domain, std::int64_t begin_ns,
                      std::int64_t end_ns) {
  if (!npu_.host_log.running_at(end_ns)) return;
  host::Msproftx mark{};
  mark.info_type = host::Msproftx::kMstx;
  mark.process_id = npu_.options.process_id;
  mark.thread_id = thread;
  mark.event_type = event_type;
  mark.start = npu_.host_log.ticks(begin_ns);
  mark.end = npu_.host_log.ticks(end_ns);
  mark.mark_id = id;
  mark.domain = domain;
  npu_.host_log.reporter()->mark(Age::kAging, mark, message);
  npu_.truth.count(TruthCount::kMarks);
}

std::uint64_t NpuMarks::mark(std::uint32_t thread, std::string_view message,
                             std::string_view domain, std::int64_t begin_ns,
                             std::optional<StreamNumber> stream) {
  if (!npu_.host_log.marks()) return 0;
  const std::uint64_t id = ++last_id_;
  report(thread, id, host::Msproftx::kMark, message, npu_.host_log.hash(domain), begin_ns,
         begin_ns);
  if (stream) trace_on_stream(thread, *stream, id, device::StepTag::kMark, begin_ns);
  return id;
}

std::uint64_t NpuMarks::range_start(std::uint32_t thread, std::string_view message,
                                    std::string_view domain, std::int64_t begin_ns,
                                    std::optional<StreamNumber> stream) {
  if (!npu_.host_log.marks()) return 0;
  const std::uint64_t id = ++last_id_;
  open_ranges_[id] = {std::string(message), npu_.host_log.hash(domain), begin_ns, stream};
  if (stream) trace_on_stream(thread, *stream, id, device::StepTag::kMark, begin_ns);
  return id;
}

void NpuMarks::range_end(std::uint32_t thread, std::uint64_t id, std::int64_t begin_ns) {
  const auto found = open_ranges_.find(id);
  if (found == open_ranges_.end()) return;
  const OpenRange range = std::move(found->second);
  open_ranges_.erase(found);
  if (!npu_.host_log.marks()) return;
  report(thread, id, host::Msproftx::kStartEnd, range.message, range.domain, range.begin_ns,
         begin_ns);
  if (range.stream) {
    trace_on_stream(thread, *range.stream, id, device::StepTag::kMark, begin_ns);
  }
}

void NpuMarks::mark_stream(std::uint32_t thread, StreamNumber stream, std::uint64_t id,
                           std::int64_t begin_ns) {
  trace_on_stream(thread, stream, id, device::StepTag::kMark, begin_ns);
}

std::int64_t NpuMarks::step(std::uint32_t thread, StreamNumber stream, std::uint64_t number,
                            bool is_begin, std::int64_t begin_ns) {
  const std::uint16_t tag = is_begin ? device::StepTag::kStepStart : device::StepTag::kStepEnd;
  const std::int64_t end_ns = begin_ns + npu_.costs.node_head + npu_.costs.runtime;
  // The step's interval is a plain number at the node level, not an operator.
  npu_.host_log.api(host::kLevelNode, host::kTypeNodeStepInfo, thread, begin_ns, end_ns, tag);
  trace_on_stream(thread, stream, number, tag, begin_ns + npu_.costs.node_head);
  return end_ns;
}

}  // namespace npuprof::sim
