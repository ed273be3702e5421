#include "trace/table_list.h"

#include <algorithm>
#include <array>

#include "trace/all_tables.h"

namespace npuprof::trace {
namespace {

constexpr std::array<TableFacts, kTableCount> kTableFacts{{
#define NPUPROF_FACTS(Table, name, kind) {#name, TableKind::kind},
    NPUPROF_TRACE_TABLES(NPUPROF_FACTS)
#undef NPUPROF_FACTS
}};

constexpr std::array<const char*, kTableCount> kMarks{{
#define NPUPROF_MARK(Table, name, kind) &kTableMark<Table>,
    NPUPROF_TRACE_TABLES(NPUPROF_MARK)
#undef NPUPROF_MARK
}};

}  // namespace

const TableFacts& table_facts(std::size_t number) { return kTableFacts[number]; }

std::size_t table_number(const char* mark) {
  return static_cast<std::size_t>(std::find(kMarks.begin(), kMarks.end(), mark) - kMarks.begin());
}

#define NPUPROF_TABLE_OF_TRACE(Table, name, kind) trace.name(),
std::vector<AnyTable> tables_of(Trace& trace) {
  return {NPUPROF_TRACE_TABLES(NPUPROF_TABLE_OF_TRACE)};
}
std::vector<AnyConstTable> tables_of(const Trace& trace) {
  return {NPUPROF_TRACE_TABLES(NPUPROF_TABLE_OF_TRACE)};
}
#undef NPUPROF_TABLE_OF_TRACE

}  // namespace npuprof::trace
