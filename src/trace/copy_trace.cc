#include "trace/copy_trace.h"

#include "trace/all_tables.h"

namespace npuprof::trace {

Trace copy_of(const Trace& trace) {
  Trace copy;
  // Ids count up, so equal strings in equal order have equal ids.
  for (std::uint32_t id = 1; id < trace.strings.size(); ++id) {
    copy.strings.intern(trace.strings.view(StringId{id}));
  }
  copy.session = trace.session;
  copy.devices = trace.devices;
  copy.result_metrics = trace.result_metrics;
#define NPUPROF_COPY(Table, name, kind) copy.name() = trace.name();
  NPUPROF_TRACE_TABLES(NPUPROF_COPY)
#undef NPUPROF_COPY
  return copy;
}

}  // namespace npuprof::trace
