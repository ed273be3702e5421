#include "query/derived_tables.h"

#include <utility>

#include "analyze/operator_times.h"
#include "analyze/step_finder.h"
#include "query/column_cells.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::query {
namespace {

// One row for each row of Tasks.
struct TaskPlaces {
  NPUPROF_TABLE(TaskPlaces);
  NPUPROF_COLUMN(trace::RowOf<trace::Steps>, step);
  NPUPROF_COLUMN(trace::RowOf<trace::FrameworkOps>, op);
  NPUPROF_TABLE_END();
};

// One row for each row of CollectiveOps.
struct CollectivePlaces {
  NPUPROF_TABLE(CollectivePlaces);
  NPUPROF_COLUMN(trace::RowOf<trace::Steps>, step);
  NPUPROF_TABLE_END();
};

// One row for each row of FrameworkOps.
struct OperatorTimeRows {
  NPUPROF_TABLE(OperatorTimeRows);
  NPUPROF_COLUMN(std::int64_t, host_self_ns);
  NPUPROF_COLUMN(std::int64_t, device_self_ns);
  NPUPROF_COLUMN(std::int64_t, device_total_ns);
  NPUPROF_COLUMN(std::int64_t, ai_core_self_ns);
  NPUPROF_COLUMN(std::int64_t, ai_core_total_ns);
  NPUPROF_TABLE_END();
};

// As kernel_details says it.
template <typename Table>
auto steps_at(const trace::Trace& trace, const Table& table) {
  const analyze::StepFinder finder(trace.steps(), analyze::StepFinder::End::kIncluded);
  std::vector<trace::Row<trace::Steps>> steps;
  steps.reserve(table.start_ns.size());
  for (const std::int64_t start_ns : table.start_ns) steps.emplace_back(finder.find(start_ns));
  return steps;
}

TaskPlaces make_task_places(const trace::Trace& trace) {
  TaskPlaces places;
  places.step = steps_at(trace, trace.tasks());
  places.op.resize(places.step.size());
  const auto& ops = trace.framework_ops();
  const auto& pairs = trace.kernel_ops();
  // Of nested operators the inner one, which began last.
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs.task[i] >= places.op.size() || pairs.op[i] >= ops.size()) continue;
    auto& op = places.op[pairs.task[i].number()];
    if (op == trace::kNone || ops.start_ns[pairs.op[i]] >= ops.start_ns[op]) op = pairs.op[i];
  }
  return places;
}

CollectivePlaces make_collective_places(const trace::Trace& trace) {
  CollectivePlaces places;
  places.step = steps_at(trace, trace.collective_ops());
  return places;
}

OperatorTimeRows make_operator_times(const trace::Trace& trace) {
  analyze::OperatorTimes times = analyze::operator_times(trace);
  OperatorTimeRows rows;
  rows.host_self_ns = std::move(times.host_self_ns);
  rows.device_self_ns = std::move(times.device_self_ns);
  rows.device_total_ns = std::move(times.device_total_ns);
  rows.ai_core_self_ns = std::move(times.ai_core_self_ns);
  rows.ai_core_total_ns = std::move(times.ai_core_total_ns);
  return rows;
}

struct DerivedTargetName {
  const char* operator()(const trace::Steps*) const { return "steps"; }
  const char* operator()(const trace::FrameworkOps*) const { return "framework_ops"; }
};

template <typename Table>
void add_derived(std::deque<ShownTable>& tables, const trace::Trace& trace, const char* name,
                 const char* about, Table (*make)(const trace::Trace&)) {
  ShownTable& added = tables.emplace_back();
  added.name = name;
  added.about = about;
  added.make = [&trace, make](ShownTable& shown) {
    auto rows = std::make_shared<const Table>(make(trace));
    show_columns(*rows, trace.strings, DerivedTargetName{}, shown);
    return rows;
  };
}

}  // namespace

std::deque<ShownTable> derived_tables(const trace::Trace& trace) {
  std::deque<ShownTable> tables;
  add_derived(tables, trace, "task_places",
              "The step that each row of tasks lies in, and the operator that launched it.",
              make_task_places);
  add_derived(tables, trace, "collective_places",
              "The step that each row of collective_ops lies in.", make_collective_places);
  add_derived(tables, trace, "operator_times",
              "Time of each row of framework_ops on the host and on the device; self is without "
              "nested operators.",
              make_operator_times);
  return tables;
}

}  // namespace npuprof::query
