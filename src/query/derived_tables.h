#pragma once

#include <deque>

#include "query/shown_table.h"
#include "trace/trace.h"

namespace npuprof::query {

// Tables that are computed from the model when a statement first uses them:
//   task_places      for each row of tasks the step it lies in and the operator that launched it
//   collective_places  for each row of collective_ops the step it lies in
//   operator_times   for each row of framework_ops its time on the host and on the device
//   module_calls     calls of modules, with the time of what they launched on the device
//   idle_pieces      idle time, cut where its cause changes
// The trace must live as long.
std::deque<ShownTable> derived_tables(const trace::Trace& trace);

}  // namespace npuprof::query
