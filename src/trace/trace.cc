#include "trace/trace.h"

#include "trace/all_tables.h"

namespace npuprof::trace {

Trace::Trace() {
#define NPUPROF_MAKE(Table, name, kind) name##_table_ = std::make_unique<Table>();
  NPUPROF_TRACE_TABLES(NPUPROF_MAKE)
#undef NPUPROF_MAKE
}

Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;
Trace::~Trace() = default;

}  // namespace npuprof::trace
