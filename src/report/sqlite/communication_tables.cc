#include "report/sqlite/cann_tables.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::report::sqlite {
namespace {

using trace::kNone;
using trace::Trace;

// Enumerations of the communication library are stored in 16 bits.
constexpr std::int64_t kUnknownEnum = 65534;  // Shown as N/A.
constexpr std::int64_t kInvalidEnum = 65535;
std::int64_t enum_id(std::uint32_t value) {
  return value == kNone ? kInvalidEnum : std::int64_t{value};
}

// The group's own name if it is known, else the number that stands for it.
StringId group_of(const trace::CollectiveOps& ops, std::size_t op) {
  return ops.group_name[op] != kEmptyString ? ops.group_name[op] : ops.group[op];
}

void write_operators(const trace::CollectiveOps& ops, DatabaseStrings& strings,
                     BulkDatabase& database) {
  for (const auto* column : {&ops.name, &ops.algorithm, &ops.type}) strings.use(*column);
  database.table({"COMMUNICATION_OP",
                  {{"opName", kI},
                   {"startNs", kI},
                   {"endNs", kI},
                   {"connectionId", kI},
                   {"groupName", kI},
                   {"opId", kI, true},
                   {"relay", kI},
                   {"retry", kI},
                   {"dataType", kI},
                   {"algType", kI},
                   {"count", kN},
                   {"opType", kI},
                   {"deviceId", kI},
                   {"rankSize", kI}}},
                 ops.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     auto& row = sink.row(static_cast<std::int64_t>(i));
                     row.integer(strings.id(ops.name[i]));
                     row.integer(ops.start_ns[i]);
                     row.integer(ops.end_ns[i]);
                     row.integer(connection_id(ops.api[i]));
                     row.integer(strings.id(group_of(ops, i)));
                     row.null();
                     row.integer(ops.relay[i]);
                     row.integer(ops.retry[i]);
                     row.integer(enum_id(ops.data_type[i]));
                     row.integer(strings.id(ops.algorithm[i]));
                     row.integer(static_cast<std::int64_t>(ops.count[i]));
                     row.integer(strings.id(ops.type[i]));
                     row.integer(ops.device[i]);
                     row.integer(ops.rank_size[i]);
                     row.end_row();
                   }
                 });
}

// The part of a row that describes the task; at level 0 nothing of it is known.
void put_details(PageBuilder& row, const trace::CollectiveTasks& tasks, std::size_t i,
                 bool is_known) {
  row.integer(static_cast<std::int64_t>(tasks.notify_id[i]));  // All ones = -1 = none.
  row.integer(is_known ? enum_id(tasks.rdma_type[i]) : kUnknownEnum);
  row.integer(tasks.source_rank[i]);
  row.integer(tasks.destination_rank[i]);
  row.integer(is_known ? enum_id(tasks.transport_type[i]) : kUnknownEnum);
  row.integer(is_known ? static_cast<std::int64_t>(tasks.size_bytes[i]) : -1);
  row.integer(is_known ? enum_id(tasks.data_type[i]) : kUnknownEnum);
  row.integer(is_known ? enum_id(tasks.link_type[i]) : kUnknownEnum);
}

void write_tasks(const Trace& trace, const GlobalTaskIds& ids, DatabaseStrings& strings,
                 BulkDatabase& database) {
  const auto& tasks = trace.collective_tasks();
  const auto& ops = trace.collective_ops();
  strings.use(tasks.name);
  const std::int64_t not_available = strings.id("N/A");
  database.table({"COMMUNICATION_TASK_INFO",
                  {{"name", kI},
                   {"globalTaskId", kI},
                   {"taskType", kI},
                   {"planeId", kI},
                   {"groupName", kI},
                   {"notifyId", kI},
                   {"rdmaType", kI},
                   {"srcRank", kI},
                   {"dstRank", kI},
                   {"transportType", kI},
                   {"size", kI},
                   {"dataType", kI},
                   {"linkType", kI},
                   {"opId", kI},
                   {"isMaster", kI},
                   {"bandwidth", kN}}},
                 tasks.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     const std::uint32_t op = tasks.op[i];
                     const bool is_known = tasks.name[i] != kEmptyString;
                     auto& row = sink.row();
                     row.integer(strings.id(ops.name[op]));
                     row.integer(ids.of_task[tasks.task[i]]);
                     row.integer(is_known ? strings.id(tasks.name[i]) : not_available);
                     row.integer(tasks.plane[i]);
                     row.integer(strings.id(group_of(ops, op)));
                     put_details(row, tasks, i, is_known);
                     row.integer(op);
                     row.integer(tasks.is_master[i]);
                     row.numeric(tasks.bandwidth_gb_s[i] * 1e9);
                     row.end_row();
                   }
                 });
  database.index("CommunicationTaskIndex", "COMMUNICATION_TASK_INFO (globalTaskId)");
}

}  // namespace

void write_communication_tables(const Trace& trace, const GlobalTaskIds& ids,
                                DatabaseStrings& strings, BulkDatabase& database) {
  const auto& ops = trace.collective_ops();
  if (ops.size() == 0) return;
  for (std::size_t i = 0; i < ops.size(); ++i) strings.use(group_of(ops, i));
  write_operators(ops, strings, database);
  if (trace.collective_tasks().size() > 0) write_tasks(trace, ids, strings, database);
}

}  // namespace npuprof::report::sqlite
