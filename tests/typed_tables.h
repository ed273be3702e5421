#pragma once

#include "trace/all_tables.h"
#include "trace/table_list.h"

namespace npuprof::testing {

// Calls visit(facts, table) for each table of the trace, by its type.
template <typename Visit, typename Trace>
void for_each_table(const Visit& visit, Trace& trace) {
#define NPUPROF_VISIT(Table, name, kind) \
  visit(trace::TableFacts{#name, trace::TableKind::kind}, trace.name());
  NPUPROF_TRACE_TABLES(NPUPROF_VISIT)
#undef NPUPROF_VISIT
}

}  // namespace npuprof::testing
