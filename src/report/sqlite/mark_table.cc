#include "format/results/host_columns.h"
#include "report/sqlite/cann_tables.h"
#include "report/tables/stored_table.h"
#include "trace/host/marks.h"

namespace npuprof::report::sqlite {
namespace {

using trace::Marks;

namespace mark = format::results::mstx_events;

class MarkRows {
 public:
  explicit MarkRows(const trace::Trace& trace) : marks_(trace.marks()), pid_(trace.session.pid) {}

  struct Row {
    const Marks& marks;
    std::size_t i;
    std::int64_t thread;

    bool is_mstx() const { return marks.is_mstx[i] != 0; }
    std::uint32_t range() const { return trace::kNone; }
    std::uint32_t category() const { return is_mstx() ? trace::kNone : marks.category[i]; }
    std::int64_t connection() const {
      return is_mstx() ? mark_connection_id(marks.mark_id[i]) : mark::kNoConnection;
    }
  };
  std::size_t size() const { return marks_.size(); }
  Row operator[](std::size_t i) const { return {marks_, i, global_tid(pid_, marks_.tid[i])}; }

 private:
  const Marks& marks_;
  std::uint32_t pid_;
};

template <typename Column>
constexpr auto of_mark(Column Marks::*column) {
  return [column](const MarkRows::Row& row) { return (row.marks.*column)[row.i]; };
}

constexpr auto kMarkTable = stored_table(
    mark::kTable,  //
    column(mark::kStart, of_mark(&Marks::start_ns)), column(mark::kEnd, of_mark(&Marks::end_ns)),
    column(mark::kType, of_mark(&Marks::event_type)), column(mark::kRange, &MarkRows::Row::range),
    column(mark::kCategory, &MarkRows::Row::category),
    column(mark::kMessage, of_mark(&Marks::message)), column(mark::kThread, &MarkRows::Row::thread),
    column(mark::kEndThread, &MarkRows::Row::thread),
    column(mark::kDomain, of_mark(&Marks::domain)),
    column(mark::kConnection, &MarkRows::Row::connection));

}  // namespace

std::int64_t mark_connection_id(std::uint64_t mark_id) {
  return mark::kNoConnection + 1 + static_cast<std::int64_t>(mark_id);
}

void write_mark_table(const trace::Trace& trace, DatabaseStrings& strings, BulkDatabase& database) {
  if (trace.marks().size() == 0) return;
  strings.use(trace.marks().message);
  strings.use(trace.marks().domain);
  write_stored_table<kMarkTable>(MarkRows(trace), database);
}

}  // namespace npuprof::report::sqlite
