#pragma once

// What a device did, with the operator of the framework that asked for it: kernels, collectives and
// the kernels that drive collectives. The first step of all that speaks of modules.

#include <cstdint>
#include <vector>

#include "trace/table.h"
#include "trace/trace.h"

namespace npuprof::analyze {

enum class WorkKind : std::uint8_t {
  kKernel,      // `row` is one of Kernels, of kind kCompute.
  kCollective,  // Of CollectiveOps.
  kSchedule,    // Of Kernels, of kind kSchedule: runs beside its collective.
};

struct OperatorWork {
  NPUPROF_TABLE(OperatorWork);
  NPUPROF_COLUMN(trace::RowOf<trace::FrameworkOps>, op);  // The innermost one; kNone = not known.
  NPUPROF_COLUMN(std::uint8_t, kind);                     // WorkKind.
  NPUPROF_COLUMN(std::uint32_t, row);
  NPUPROF_COLUMN(trace::Text, name);  // Of a collective its type, if that is known.
  NPUPROF_COLUMN(trace::Time, start_ns);
  NPUPROF_COLUMN(std::int64_t, duration_ns);  // Not negative.
  NPUPROF_COLUMN(std::uint16_t, device);
  // Of each piece of work one row is the first; a database may give it to several operators.
  NPUPROF_COLUMN(std::uint8_t, is_again);
  NPUPROF_TABLE_END();
};

// By operator, in it by kind and then in order of device and start. What no operator is known of
// comes last.
OperatorWork operator_work(const trace::Trace& trace);

// By row of FrameworkOps and one more: where its rows of `work` begin.
std::vector<std::uint32_t> work_begins(const OperatorWork& work, std::size_t op_count);

}  // namespace npuprof::analyze
