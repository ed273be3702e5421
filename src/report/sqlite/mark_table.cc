#include "report/sqlite/cann_tables.h"
#include "trace/host/marks.h"

namespace npuprof::report::sqlite {
std::int64_t mark_connection_id(std::uint64_t mark_id) {
  return kNoMarkConnection + 1 + static_cast<std::int64_t>(mark_id);
}

void write_mark_table(const trace::Trace& trace, DatabaseStrings& strings, BulkDatabase& database) {
  const auto& marks = trace.marks();
  if (marks.size() == 0) return;
  strings.use(marks.message);
  strings.use(marks.domain);
  database.table(
      {"MSTX_EVENTS",
       {{"startNs", kI},
        {"endNs", kI},
        {"eventType", kI},
        {"rangeId", kI},
        {"category", kI},
        {"message", kI},
        {"globalTid", kI},
        {"endGlobalTid", kI},
        {"domainId", kI},
        {"connectionId", kI}}},
      marks.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const bool is_mstx = marks.is_mstx[i] != 0;
          const std::int64_t thread = global_tid(trace.session.pid, marks.tid[i]);
          auto& row = sink.row();
          row.integer(marks.start_ns[i]);
          row.integer(marks.end_ns[i]);
          row.integer(marks.event_type[i]);
          row.integer(trace::kNone);
          row.integer(is_mstx ? trace::kNone : marks.category[i]);
          row.integer(strings.id(marks.message[i]));
          row.integer(thread);
          row.integer(thread);
          row.integer(strings.id(marks.domain[i]));
          row.integer(is_mstx ? mark_connection_id(marks.mark_id[i]) : kNoMarkConnection);
          row.end_row();
        }
      });
}

}  // namespace npuprof::report::sqlite
