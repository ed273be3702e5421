#include "format/device/ts_track.h"
#include "format/host/additional_memory.h"
#include "format/host/msproftx.h"
#include "sim/npu/npu.h"

// Marks of the user and of the framework, and memory of operators.

namespace npuprof::sim {

namespace device = format::device;
namespace host = format::host;
using host::Age;

namespace {

constexpr std::uint64_t kNoModel = 0xFFFFFFFF;
constexpr std::int64_t kTraceTaskNs = 200;
constexpr std::uint32_t kNpuDeviceType = 20;

}  // namespace

void Npu::trace_on_stream(std::uint32_t thread, StreamId stream_id, std::uint64_t index,
                          std::uint64_t model_id, std::uint16_t tag, std::int64_t time_ns) {
  StreamState& stream = streams_.at(stream_id);
  const std::uint32_t task =
      submit(thread, stream, host_.ticks(time_ns) + 1, host::TaskType::kProfilerTraceEx);
  const Interval run = run_simple(stream, task, device::SqeKind::kPlaceHolder,
                                  time_ns + chip().launch_latency_ns, kTraceTaskNs);
  device_.trace({stream.id, task}, tag, index, model_id, run.end);
}

void Npu::report_mark(std::uint32_t thread, std::uint64_t id, std::uint32_t event_type,
                      std::string_view message, std::uint64_t domain, std::int64_t begin_ns,
                      std::int64_t end_ns) {
  if (!host_.running_at(end_ns)) return;
  host::Msproftx mark{};
  mark.info_type = host::Msproftx::kMstx;
  mark.process_id = options_.process_id;
  mark.thread_id = thread;
  mark.event_type = event_type;
  mark.start = host_.ticks(begin_ns);
  mark.end = host_.ticks(end_ns);
  mark.mark_id = id;
  mark.domain = domain;
  host_.reporter()->mark(Age::kAging, mark, message);
  truth_.count(TruthCount::kMarks);
}

std::uint64_t Npu::mark(std::uint32_t thread, std::string_view message, std::string_view domain,
                        std::int64_t begin_ns, std::optional<StreamId> stream) {
  if (!host_.marks()) return 0;
  const std::uint64_t id = ++last_mark_id_;
  report_mark(thread, id, host::Msproftx::kMark, message, host_.hash(domain), begin_ns, begin_ns);
  if (stream) trace_on_stream(thread, *stream, id, kNoModel, device::StepTag::kMark, begin_ns);
  return id;
}

std::uint64_t Npu::range_start(std::uint32_t thread, std::string_view message,
                               std::string_view domain, std::int64_t begin_ns,
                               std::optional<StreamId> stream) {
  if (!host_.marks()) return 0;
  const std::uint64_t id = ++last_mark_id_;
  open_ranges_[id] = {std::string(message), host_.hash(domain), begin_ns, stream};
  if (stream) trace_on_stream(thread, *stream, id, kNoModel, device::StepTag::kMark, begin_ns);
  return id;
}

void Npu::range_end(std::uint32_t thread, std::uint64_t id, std::int64_t begin_ns) {
  const auto found = open_ranges_.find(id);
  if (found == open_ranges_.end()) return;
  const OpenRange range = std::move(found->second);
  open_ranges_.erase(found);
  if (!host_.marks()) return;
  report_mark(thread, id, host::Msproftx::kStartEnd, range.message, range.domain, range.begin_ns,
              begin_ns);
  if (range.stream) {
    trace_on_stream(thread, *range.stream, id, kNoModel, device::StepTag::kMark, begin_ns);
  }
}

void Npu::mark_stream(std::uint32_t thread, StreamId stream, std::uint64_t id,
                      std::int64_t begin_ns) {
  trace_on_stream(thread, stream, id, kNoModel, device::StepTag::kMark, begin_ns);
}

std::int64_t Npu::step_mark(std::uint32_t thread, StreamId stream, std::uint64_t step,
                            bool is_begin, std::int64_t begin_ns) {
  const std::uint16_t tag = is_begin ? device::StepTag::kStepStart : device::StepTag::kStepEnd;
  const std::int64_t end_ns = begin_ns + costs_.node_head + costs_.runtime;
  // The step's interval is a plain number at the node level, not an operator.
  host_.api(host::kLevelNode, host::kTypeNodeStepInfo, thread, begin_ns, end_ns, tag);
  trace_on_stream(thread, stream, step, kNoModel, tag, begin_ns + costs_.node_head);
  return end_ns;
}

void Npu::memory_event(std::uint32_t thread, std::uint64_t address, std::int64_t bytes,
                       std::string_view operator_name, std::uint64_t total_allocated,
                       std::uint64_t total_reserved, std::int64_t time_ns) {
  if (!host_.tasks() || !options_.collection.memory) return;
  host::TaskMemoryInfo info{};
  info.header = host::header_of<host::TaskMemoryInfo>(thread, host_.ticks(time_ns));
  info.address = address;
  info.size = bytes;
  info.op_name = host_.hash(operator_name);
  info.total_allocated = total_allocated;
  info.total_reserved = total_reserved;
  info.device = options_.device;
  info.device_type = kNpuDeviceType;
  host_.record(Age::kAging, info);
}

}  // namespace npuprof::sim
