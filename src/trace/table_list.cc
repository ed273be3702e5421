#include "trace/table_list.h"

#include <algorithm>
#include <array>

#include "trace/all_tables.h"

namespace npuprof::trace {
namespace {

// clang-format off
constexpr std::array<TableFacts, kTableCount> kTableFacts{{
#define NPUPROF_FACTS(Table, name, kind) {#name, TableKind::kind, Room::kFramework},
    NPUPROF_FRAMEWORK_TABLES(NPUPROF_FACTS)
#undef NPUPROF_FACTS
#define NPUPROF_FACTS(Table, name, kind) {#name, TableKind::kind, Room::kHost},
    NPUPROF_HOST_TABLES(NPUPROF_FACTS)
#undef NPUPROF_FACTS
#define NPUPROF_FACTS(Table, name, kind) {#name, TableKind::kind, Room::kDevice},
    NPUPROF_DEVICE_TABLES(NPUPROF_FACTS)
#undef NPUPROF_FACTS
#define NPUPROF_FACTS(Table, name, kind) {#name, TableKind::kind, Room::kMachine},
    NPUPROF_MACHINE_TABLES(NPUPROF_FACTS)
#undef NPUPROF_FACTS
#define NPUPROF_FACTS(Table, name, kind) {#name, TableKind::kind, Room::kLaunched},
    NPUPROF_LAUNCHED_TABLES(NPUPROF_FACTS)
#undef NPUPROF_FACTS
#define NPUPROF_FACTS(Table, name, kind) {#name, TableKind::kind, Room::kLinked},
    NPUPROF_LINKED_TABLES(NPUPROF_FACTS)
#undef NPUPROF_FACTS
}};
// clang-format on

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

std::size_t memory_bytes(const Trace& trace) {
  std::size_t bytes = 0;
  for (const AnyConstTable& table : tables_of(trace)) bytes += memory_bytes(table);
  return bytes;
}

}  // namespace npuprof::trace
