#pragma once

// All tables of a Trace, whatever their types: for what is done with every one of them.

#include <cstddef>
#include <string_view>
#include <vector>

#include "trace/any_table.h"
#include "trace/tables.h"
#include "trace/trace.h"

namespace npuprof::trace {

// Numbers of tables, in the order of the list.
enum class TableNumber : std::size_t {
#define NPUPROF_NUMBER(Table, name, kind) name,
  NPUPROF_TRACE_TABLES(NPUPROF_NUMBER)
#undef NPUPROF_NUMBER
      kCount
};
inline constexpr std::size_t kTableCount = static_cast<std::size_t>(TableNumber::kCount);
template <typename Table>
inline constexpr std::size_t kTableNumber = kTableCount;
#define NPUPROF_NUMBER(Table, name, kind) \
  template <>                             \
  inline constexpr std::size_t kTableNumber<Table> = static_cast<std::size_t>(TableNumber::name);
NPUPROF_TRACE_TABLES(NPUPROF_NUMBER)
#undef NPUPROF_NUMBER

struct TableFacts {
  std::string_view name;
  TableKind kind;
  Room room;
};
const TableFacts& table_facts(std::size_t number);

// Of the table with that mark; kTableCount if it is none of a Trace.
std::size_t table_number(const char* mark);

// By number.
std::vector<AnyTable> tables_of(Trace& trace);
std::vector<AnyConstTable> tables_of(const Trace& trace);

// Bytes of memory that the columns of all tables have, used or not.
std::size_t memory_bytes(const Trace& trace);

}  // namespace npuprof::trace
