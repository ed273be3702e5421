#pragma once

#include <cstdint>

#include "trace/table.h"

namespace npuprof::trace {

struct FrameworkOps;

// Where MindSpore handed work on to another thread; the operator of the same flow took it up.
struct FlowMarks {
  NPUPROF_TABLE(FlowMarks);
  NPUPROF_COLUMN(Time, start_ns);
  NPUPROF_COLUMN(Time, end_ns);
  NPUPROF_COLUMN(std::uint32_t, tid);
  NPUPROF_COLUMN(std::uint32_t, pid);
  NPUPROF_COLUMN(std::uint64_t, flow);
  // Set by link: the innermost operator around the mark, and the one that took the work up; kNone
  // where there is none, or more than one.
  NPUPROF_COLUMN(RowOf<FrameworkOps>, from);
  NPUPROF_COLUMN(RowOf<FrameworkOps>, to);
  NPUPROF_TABLE_END();
};

}  // namespace npuprof::trace
