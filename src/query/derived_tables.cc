#include "query/derived_tables.h"

#include <utility>

#include "analyze/idle_causes.h"
#include "analyze/idle_sums.h"
#include "analyze/module_calls.h"
#include "analyze/operator_times.h"
#include "analyze/operator_work.h"
#include "analyze/step_finder.h"
#include "base/saturated.h"
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

// Calls of modules, outer ones first. Self is without modules called inside.
struct ModuleCallRows {
  NPUPROF_TABLE(ModuleCallRows);
  NPUPROF_COLUMN(trace::Text, name);
  NPUPROF_COLUMN(trace::Time, start_ns);
  NPUPROF_COLUMN(trace::Time, end_ns);
  NPUPROF_COLUMN(std::uint32_t, parent);
  NPUPROF_COLUMN(std::uint32_t, depth);
  NPUPROF_COLUMN(trace::RowOf<trace::Steps>, step);
  NPUPROF_COLUMN(std::int64_t, forward_self_ns);
  NPUPROF_COLUMN(std::int64_t, backward_self_ns);
  NPUPROF_COLUMN(std::int64_t, forward_ns);
  NPUPROF_COLUMN(std::int64_t, backward_ns);
  NPUPROF_TABLE_END();
};

// The pieces of idle time, each with its cause.
struct IdlePieceRows {
  NPUPROF_TABLE(IdlePieceRows);
  NPUPROF_COLUMN(trace::Time, start_ns);
  NPUPROF_COLUMN(trace::Time, end_ns);
  NPUPROF_COLUMN(std::uint16_t, device);
  NPUPROF_COLUMN(trace::RowOf<trace::Steps>, step);
  NPUPROF_COLUMN(trace::Text, cause);
  NPUPROF_COLUMN(trace::Text, detail);
  NPUPROF_COLUMN(std::uint32_t, thread);
  NPUPROF_COLUMN(trace::Text, evidence);
  NPUPROF_COLUMN(std::uint32_t, evidence_row);
  NPUPROF_COLUMN(trace::RowOf<trace::Tasks>, task);
  NPUPROF_COLUMN(std::uint8_t, is_guess);
  NPUPROF_TABLE_END();
};

// Names of causes are not in the pool of the trace.
struct IdlePieces {
  IdlePieceRows rows;
  StringPool strings;
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

// Schedules run beside their collective, which counts.
void add_module_work(const analyze::OperatorWork& work, const analyze::ModuleMembership& membership,
                     ModuleCallRows& rows) {
  for (std::size_t i = 0; i < work.size(); ++i) {
    const bool counts = !work.is_again[i] &&
                        work.kind[i] != static_cast<std::uint8_t>(analyze::WorkKind::kSchedule);
    if (!counts || work.op[i] >= membership.call_of_op.size()) continue;
    const std::uint32_t op = work.op[i].number();
    const std::uint32_t call = membership.call_of_op[op];
    if (call >= rows.name.size()) continue;
    auto& self_ns = membership.is_backward[op] ? rows.backward_self_ns : rows.forward_self_ns;
    add_saturated(self_ns[call], work.duration_ns[i]);
  }
}

// A parent stands before what it calls.
void add_inner_modules(ModuleCallRows& rows) {
  rows.forward_ns = rows.forward_self_ns;
  rows.backward_ns = rows.backward_self_ns;
  for (std::size_t i = rows.parent.size(); i-- > 0;) {
    const std::uint32_t parent = rows.parent[i];
    if (parent >= i) continue;
    add_saturated(rows.forward_ns[parent], rows.forward_ns[i]);
    add_saturated(rows.backward_ns[parent], rows.backward_ns[i]);
  }
}

ModuleCallRows make_module_calls(const trace::Trace& trace) {
  const analyze::OperatorWork work = analyze::operator_work(trace);
  const analyze::ModuleMembership membership = analyze::module_membership(trace, work);
  ModuleCallRows rows;
  rows.name = membership.calls.name;
  rows.start_ns = membership.calls.start_ns;
  rows.end_ns = membership.calls.end_ns;
  rows.parent = membership.calls.parent;
  rows.depth = membership.calls.depth;
  rows.step = steps_at(trace, membership.calls);
  rows.forward_self_ns.resize(rows.name.size());
  rows.backward_self_ns.resize(rows.name.size());
  add_module_work(work, membership, rows);
  add_inner_modules(rows);
  return rows;
}

std::shared_ptr<const IdlePieces> make_idle_pieces(const trace::Trace& trace) {
  auto pieces = std::make_shared<IdlePieces>();
  IdlePieceRows& rows = pieces->rows;
  const auto text = [&](std::string_view value) { return pieces->strings.intern(value); };
  for (const analyze::IdleRow& row : analyze::idle_causes(trace)) {
    rows.start_ns.push_back(row.start_ns);
    rows.end_ns.push_back(row.end_ns);
    rows.device.push_back(row.device);
    rows.step.emplace_back(row.step);
    rows.cause.push_back(text(analyze::idle_cause_name(row.cause)));
    rows.detail.push_back(text(analyze::idle_detail(trace, row)));
    rows.thread.push_back(row.thread);
    rows.evidence.push_back(text(analyze::idle_evidence_name(row.evidence)));
    rows.evidence_row.push_back(row.evidence_row);
    rows.task.emplace_back(row.task);
    rows.is_guess.push_back(row.is_guess ? 1 : 0);
  }
  return pieces;
}

template <typename Table>
void add_derived(std::deque<ShownTable>& tables, const trace::Trace& trace, const char* name,
                 const char* about, Table (*make)(const trace::Trace&)) {
  ShownTable& added = tables.emplace_back();
  added.name = name;
  added.about = about;
  added.make = [&trace, make](ShownTable& shown) {
    auto rows = std::make_shared<const Table>(make(trace));
    show_columns(*rows, trace.strings, shown);
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
  add_derived(tables, trace, "module_calls",
              "Calls of modules with the time of what they launched on the device, outer calls "
              "first; self is without inner modules.",
              make_module_calls);
  ShownTable& idle = tables.emplace_back();
  idle.name = "idle_pieces";
  idle.about = "Idle time of devices, cut where its cause changes; evidence is a table.";
  idle.make = [&trace](ShownTable& shown) {
    auto pieces = make_idle_pieces(trace);
    show_columns(pieces->rows, pieces->strings, shown);
    return pieces;
  };
  return tables;
}

}  // namespace npuprof::query
