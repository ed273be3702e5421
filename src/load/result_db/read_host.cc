#include "format/host/levels.h"
#include "format/results/communication_columns.h"
#include "load/cann_host/api_records.h"
#include "load/result_db/result_database.h"
#include "load/result_order.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/device_marks.h"

namespace npuprof::load {
namespace {

using trace::ApiCalls;
using trace::kNone;

}  // namespace

void find_kept_launches(Database& database) {
  if (database.has_details()) return;
  namespace op = results::communication_op;
  // What is wrong with the table is told where all of it is read.
  trace::Losses told_later;
  TableReader row(database.file, op::kTable, {{op::kConnection}, {}}, told_later);
  while (row.next()) database.kept.add_connection(row.integer(0));
  database.kept.sort();
}

void read_host_calls(Database& database) {
  if (!database.has_details() && !database.kept.has_connections()) return;
  enum : int { kStart, kEnd, kType, kThread, kConnection, kName };
  namespace api = results::cann_api;
  TableReader row(
      database.file, api::kTable,
      {{api::kStart, api::kEnd, api::kType, api::kThread, api::kConnection}, {api::kName}},
      database.losses);
  row.expect_column(kName, api::kName);
  ApiCalls& calls = database.trace.api_calls();
  std::vector<std::int64_t> connections;
  if (database.has_details()) {
    trace::reserve_rows(calls, row.expected_rows());
    connections.reserve(row.expected_rows());
  }
  while (row.next()) {
    if (!database.has_details()) {
      if (!database.kept.has_connection(row.integer(kConnection))) continue;
      database.kept.add_moment(tid_of(row.integer(kThread)), row.integer(kStart));
    }
    const auto level = row.number<std::uint16_t>(kType, 0);
    const StringId name = database.text(row, kName);
    const bool by_item = level == format::host::kLevelHccl;
    calls.start_ns.push_back(row.integer(kStart));
    calls.end_ns.push_back(row.integer(kEnd));
    calls.level.push_back(level);
    calls.type.push_back(0);
    calls.tid.push_back(tid_of(row.integer(kThread)));
    calls.request_id.push_back(kNone);
    calls.item.push_back(0);
    calls.name.push_back(by_item ? kEmptyString : name);
    calls.item_name.push_back(by_item ? name : kEmptyString);
    connections.push_back(row.integer(kConnection));
    if (database.trace.session.pid == 0) {
      database.trace.session.pid = pid_of(row.integer(kThread));
    }
  }
  apply_order(sort_api_calls(calls), connections);
  database.calls = IdRows(connections);
}

void read_marks(Database& database) {
  enum : int { kStart, kEnd, kThread, kType, kCategory, kMessage, kDomain, kConnection };
  namespace mark = results::mstx_events;
  TableReader row(
      database.file, mark::kTable,
      {{mark::kStart, mark::kEnd, mark::kThread},
       {mark::kType, mark::kCategory, mark::kMessage, mark::kDomain, mark::kConnection}},
      database.losses);
  row.expect_column(kMessage, mark::kMessage);
  row.expect_column(kConnection, mark::kConnection);
  trace::Marks& marks = database.trace.marks();
  while (row.next()) {
    const std::int64_t connection = row.integer(kConnection, results::mstx_events::kNoConnection);
    marks.start_ns.push_back(row.integer(kStart));
    marks.end_ns.push_back(row.integer(kEnd));
    marks.pid.push_back(pid_of(row.integer(kThread)));
    marks.tid.push_back(tid_of(row.integer(kThread)));
    const bool is_mstx = connection > results::mstx_events::kNoConnection;
    marks.is_mstx.push_back(is_mstx ? 1 : 0);
    // Those of MSTX have none.
    marks.category.push_back(is_mstx ? 0 : row.number<std::uint32_t>(kCategory, 0));
    marks.event_type.push_back(row.number<std::uint32_t>(kType, 0));
    marks.payload_type.push_back(0);
    marks.payload.push_back(0);
    marks.mark_id.push_back(
        is_mstx ? static_cast<std::uint64_t>(connection - results::mstx_events::kNoConnection - 1)
                : kNone);
    marks.domain.push_back(database.text(row, kDomain));
    marks.message_type.push_back(0);
    marks.message.push_back(database.text(row, kMessage));
    if (!database.has_details()) {
      database.kept.add_moment(marks.tid.back(), marks.start_ns.back());
      database.kept.add_moment(marks.tid.back(), marks.end_ns.back());
    }
  }
  database.kept.sort();
  std::vector<std::int64_t> ids(marks.mark_id.begin(), marks.mark_id.end());
  const IdRows by_id(ids);
  trace::DeviceMarks& device_marks = database.trace.device_marks();
  for (std::size_t i = 0; i < device_marks.size(); ++i) {
    device_marks.mark[i] = by_id.find(static_cast<std::int64_t>(device_marks.mark_id[i]));
  }
}

}  // namespace npuprof::load
