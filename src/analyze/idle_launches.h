#pragma once

// Who launched the task that ends a gap: thread and end of the launch, and, where the task came
// through the queue, the thread that put it there.

#include <cstdint>
#include <vector>

#include "link/time_order.h"
#include "trace/trace.h"

namespace npuprof::analyze {

struct IdleLaunch {
  bool is_known = false;  // Without it nothing below holds.
  bool is_guess = false;  // The launching call was not recorded.
  std::uint32_t task = trace::kNone;
  std::uint32_t tid = trace::kNone;      // The thread that launched it.
  std::int64_t end_ns = 0;               // When the launch was done.
  std::uint32_t enqueue = trace::kNone;  // Row in Enqueues.
  // The thread that asked for the task, and when it had: from then on it is up to `tid`. Without a
  // queue that is the same thread, to the end of the launch.
  std::uint32_t producer = trace::kNone;
  std::int64_t asked_ns = 0;
  std::uint32_t op = trace::kNone;  // Row in FrameworkOps.
};

class IdleLaunchFinder {
 public:
  explicit IdleLaunchFinder(const trace::Trace& trace);

  IdleLaunch of_task(std::uint32_t task);
  // Of a collective that has no task of its own.
  IdleLaunch of_collective(std::uint32_t collective);

 private:
  IdleLaunch of_call(std::uint32_t api, std::int64_t launch_ns);
  void find_producer(IdleLaunch& launch, std::int64_t launch_ns, std::uint32_t op);
  bool has_framework_rows(std::uint32_t tid) const;
  std::uint32_t op_of(std::uint32_t task) const;

  const trace::Trace& trace_;
  link::ThreadOrder dequeue_rows_;
  link::LastStarted last_dequeue_;
  std::vector<std::uint32_t> op_of_task_;
  std::vector<std::uint32_t> framework_threads_;  // Sorted.
};

}  // namespace npuprof::analyze
