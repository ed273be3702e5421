#pragma once

#include <cstdint>
#include <string_view>

#include "base/interval_sweep.h"
#include "format/device/task_types.h"
#include "format/host/compact_task.h"
#include "format/host/enumerations.h"
#include "sim/npu/npu_state.h"

namespace npuprof::sim {

// When a call came back and when its task runs on the device.
struct TaskRun {
  std::int64_t host_end_ns = 0;
  std::int64_t device_begin_ns = 0;
  std::int64_t device_end_ns = 0;
};

// An ACL call with one call of the runtime inside; nothing but its records and times.
struct SimpleCall {
  AclCall call;
  std::uint32_t runtime_api = 0;
  std::int64_t begin_ns = 0;
  std::int64_t runtime_begin_ns = 0;
  std::int64_t runtime_end_ns = 0;
  std::int64_t end_ns = 0;
};

// Puts tasks on streams: numbers them, reports them on the host, and runs those of which nothing is
// known but their time.
class TaskIssuer {
 public:
  explicit TaskIssuer(NpuState& npu) : npu_(npu) {}

  // Takes the stream's next task id and reports the task.
  std::uint32_t submit(std::uint32_t thread, StreamState& stream, std::uint64_t track_ticks,
                       const format::host::TaskTrack& prototype, format::host::Age age);
  std::uint32_t submit(std::uint32_t thread, StreamState& stream, std::uint64_t track_ticks,
                       format::host::TaskType type);

  // When a task that is ready at `ready_ns` begins on the stream.
  std::int64_t begin_on(const StreamState& stream, std::int64_t ready_ns) const;
  Interval run(StreamState& stream, std::uint32_t task, format::device::SqeKind sqe,
               std::int64_t ready_ns, std::int64_t duration_ns);

  SimpleCall begin_call(std::string_view name, std::uint32_t runtime_api, std::int64_t begin_ns);
  void report_call(std::uint32_t thread, const SimpleCall& call);

 private:
  // A wrap of the numbers is reported on both sides first.
  std::uint32_t next_task(std::uint32_t thread, StreamState& stream, std::uint64_t track_ticks);

  NpuState& npu_;
};

}  // namespace npuprof::sim
