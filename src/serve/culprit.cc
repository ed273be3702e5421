#include "serve/culprit.h"

#include "format/results/timeline_names.h"
#include "report/timeline/cann_layers.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/queue_ranges.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::serve {
namespace {

constexpr std::string_view kAnyLayer;

template <typename Table>
std::optional<SliceId> slice_of_row(const LaneIndex& index, const Table& table,
                                    std::string_view layer, std::uint32_t tid, std::uint32_t row) {
  return index.find_slice(layer, tid, table.start_ns[row], table.end_ns[row]);
}

template <typename Table>
std::optional<SliceId> slice_of_thread(const LaneIndex& index, const Table& table,
                                       std::string_view layer, std::uint32_t row) {
  return slice_of_row(index, table, layer, table.tid[row], row);
}

}  // namespace

std::optional<SliceId> task_slice(const trace::Trace& trace, const LaneIndex& index,
                                  std::uint32_t task) {
  if (task == trace::kNone) return std::nullopt;
  return slice_of_row(index, trace.tasks(), report::kHardwareLayer.name, trace::kNone, task);
}

std::optional<SliceId> culprit_of(const trace::Trace& trace, const LaneIndex& index,
                                  const analyze::IdleRow& row) {
  using analyze::IdleEvidence;
  const std::uint32_t evidence = row.evidence_row;
  if (evidence == trace::kNone) return std::nullopt;
  switch (row.evidence) {
    case IdleEvidence::kNothing:
      return std::nullopt;
    case IdleEvidence::kTask:
      return task_slice(trace, index, row.waited_for == trace::kNone ? evidence : row.waited_for);
    case IdleEvidence::kCollective:
      return slice_of_row(index, trace.collective_ops(), report::kCommunicationLayer.name,
                          trace::kNone, evidence);
    case IdleEvidence::kApiCall:
      return slice_of_thread(index, trace.api_calls(), report::kCannLayer.name, evidence);
    case IdleEvidence::kOperator:
      return slice_of_thread(index, trace.framework_ops(), kAnyLayer, evidence);
    case IdleEvidence::kPythonCall:
      return slice_of_thread(index, trace.python_calls(), kAnyLayer, evidence);
    case IdleEvidence::kMark:
      return slice_of_thread(index, trace.marks(), kAnyLayer, evidence);
    case IdleEvidence::kGarbageCollection:
      return slice_of_row(index, trace.garbage_collections(),
                          format::results::layer::kGarbageCollections, trace::kNone, evidence);
    case IdleEvidence::kEnqueue:
      return slice_of_thread(index, trace.enqueues(), kAnyLayer, evidence);
    case IdleEvidence::kStep:
      return slice_of_thread(index, trace.framework_ops(), kAnyLayer,
                             trace.steps().op[evidence].number());
  }
  return std::nullopt;
}

}  // namespace npuprof::serve
