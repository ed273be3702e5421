#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "link/time_order.h"
#include "trace/trace.h"

namespace npuprof::analyze {

struct ThreadRange {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t tid = 0;
};

// Where in the program a mark was made. Marks on a stream go through the task queue and are
// recorded by the thread that empties it, later than the program asked for them: those are moved
// back to when and where they were put on the queue. Without records of the queue, marks of a
// thread that has no operators count to the one with most of them. Keeps a reference to the trace.
class MarkPlaces {
 public:
  explicit MarkPlaces(const trace::Trace& trace);

  ThreadRange of(std::size_t mark);

 private:
  std::uint32_t enqueue_at(std::uint32_t tid, std::int64_t time_ns);

  const trace::Trace& trace_;
  link::ThreadOrder dequeue_rows_;
  link::LastStarted last_dequeue_;
  std::vector<std::uint32_t> op_threads_;  // Ascending.
  std::uint32_t main_thread_ = trace::kNone;
};

}  // namespace npuprof::analyze
