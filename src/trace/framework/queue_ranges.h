#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct FrameworkOps;

// Enqueues of the task queue, and dequeues, in order of their end. An enqueue and a dequeue with
// equal correlation are two ends of one task.
template <typename Own, typename Other>
struct QueueRanges {
  NPUPROF_TABLE(Own);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint64_t, correlation);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(Text, name);
  NPUPROF_COLUMN(RowOf<Other>, partner);    // Row of the task's other end, kNone = not recorded.
  NPUPROF_COLUMN(RowOf<FrameworkOps>, op);  // Innermost operator around the enqueue, kNone = none.
  NPUPROF_TABLE_END();
};

struct Dequeues;
struct Enqueues : QueueRanges<Enqueues, Dequeues> {};
struct Dequeues : QueueRanges<Dequeues, Enqueues> {};

}  // namespace npuprof::trace
