#pragma once

#include <cstdint>

#include "base/result.h"
#include "sim/npu/task_issuer.h"

namespace npuprof::sim {

// An event of the runtime: done when everything before its record is.
struct StreamEvent {
  std::int64_t done_ns = 0;
};

// Streams, events and waiting.
class NpuStreams {
 public:
  NpuStreams(NpuState& npu, TaskIssuer& issuer) : npu_(npu), issuer_(issuer) {}

  Result<StreamNumber> create(std::uint32_t thread, std::int64_t begin_ns,
                              std::int64_t* host_end_ns = nullptr);
  std::int64_t destroy(std::uint32_t thread, StreamNumber stream, std::int64_t begin_ns);
  // All that are left, as when a process ends.
  std::int64_t destroy_all(std::uint32_t thread, std::int64_t begin_ns);

  TaskRun record_event(std::uint32_t thread, StreamNumber stream, StreamEvent& event,
                       std::int64_t begin_ns);
  TaskRun wait_event(std::uint32_t thread, StreamNumber stream, const StreamEvent& event,
                     std::int64_t begin_ns);

  std::int64_t synchronize_event(std::uint32_t thread, const StreamEvent& event,
                                 std::int64_t begin_ns);
  std::int64_t synchronize_stream(std::uint32_t thread, StreamNumber stream, std::int64_t begin_ns);
  std::int64_t synchronize_device(std::uint32_t thread, std::int64_t begin_ns);

  // When the last task ends that was put on the stream, or on any.
  std::int64_t free_ns(StreamNumber stream) { return npu_.streams.at(stream).free_ns; }
  std::int64_t latest_free_ns() const { return npu_.streams.latest_free_ns(); }

 private:
  TaskRun event_task(std::uint32_t thread, StreamNumber stream, const SimpleCall& call,
                     format::host::TaskType type, format::device::SqeKind sqe,
                     std::int64_t wait_until_ns);
  std::int64_t synchronize_until(std::uint32_t thread, SimpleCall call, std::int64_t free_ns);

  NpuState& npu_;
  TaskIssuer& issuer_;
};

}  // namespace npuprof::sim
