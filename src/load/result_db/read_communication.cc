#include <algorithm>

#include "format/results/communication_columns.h"
#include "format/results/session_columns.h"
#include "format/results/task_columns.h"
#include "load/result_db/result_database.h"
#include "load/result_order.h"
#include "load/shown_text.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

using trace::CollectiveOps;
using trace::CollectiveTasks;
using trace::kNone;

// Whether nothing is known or the value has no name is not told apart.
std::uint32_t enum_of(const TableReader& row, int column) {
  const auto value = row.number<std::uint32_t>(column, results::kUnknownEnum);
  return value >= results::kUnknownEnum ? kNone : value;
}

// Rows of COMMUNICATION_OP in order of time; `op_ids` gets their numbers in the database and
// `lacks_device` whether the row itself does not say where it ran.
void read_ops(Database& database, std::vector<std::int64_t>& op_ids,
              std::vector<std::uint8_t>& lacks_device) {
  enum : int { kOpId, kStart, kEnd, kName, kConnection, kGroup, kRelay, kRetry, kDataType };
  enum : int { kAlgorithm = kDataType + 1, kCount, kType, kDevice, kRankSize };
  namespace op = results::communication_op;
  TableReader row(database.file, op::kTable,
                  {{op::kId, op::kStart, op::kEnd},
                   {op::kName, op::kConnection, op::kGroup, op::kRelay, op::kRetry, op::kDataType,
                    op::kAlgorithm, op::kCount, op::kType, op::kDevice, op::kRankSize}},
                  database.losses);
  trace::Trace& trace = database.trace;
  CollectiveOps& ops = trace.collective_ops();
  const std::uint16_t only_device = trace.devices.empty() ? 0 : trace.devices.front().id;
  while (row.next()) {
    const std::uint32_t api = database.find_call(row.integer(kConnection, -1), row.integer(kStart));
    const RankGroup group =
        rank_group(trace.strings.view(database.known_text(row, kGroup)), trace.strings);
    op_ids.push_back(row.integer(kOpId));
    lacks_device.push_back(row.is_null(kDevice) ? 1 : 0);
    ops.start_ns.push_back(row.integer(kStart));
    ops.end_ns.push_back(row.integer(kEnd));
    ops.device.push_back(row.number<std::uint16_t>(kDevice, only_device));
    ops.name.push_back(database.text(row, kName));
    ops.type.push_back(database.known_text(row, kType));
    ops.api.push_back(api);
    ops.group.push_back(group.id);
    ops.group_name.push_back(group.name);
    ops.relay.push_back(row.number<std::uint8_t>(kRelay, 0));
    ops.retry.push_back(row.number<std::uint8_t>(kRetry, 0));
    ops.data_type.push_back(enum_of(row, kDataType));
    ops.algorithm.push_back(database.known_text(row, kAlgorithm));
    ops.count.push_back(row.number<std::uint64_t>(kCount, 0));
    ops.rank_size.push_back(row.number<std::uint32_t>(kRankSize, 0));
    ops.model_id.push_back(kNone);
    ops.tid.push_back(api == kNone ? 0 : trace.api_calls().tid[api]);
  }
}

void append_part(Database& database, const TableReader& row, std::uint32_t op, std::uint32_t task) {
  enum : int { kGlobal, kOpId, kType, kPlane, kNotify, kRdma, kSource, kDestination };
  enum : int { kTransport = kDestination + 1, kSize, kDataType, kLink, kIsMaster, kBandwidth };
  const trace::Tasks& tasks = database.trace.tasks();
  CollectiveTasks& parts = database.trace.collective_tasks();
  const auto plane = row.number<std::uint32_t>(kPlane, 0);
  const auto size = row.number<std::uint64_t>(kSize, 0);
  const std::int64_t duration_ns = tasks.end_ns[task] - tasks.start_ns[task];
  const double measured_gb_s =
      duration_ns > 0 ? static_cast<double>(size) / static_cast<double>(duration_ns) : 0;
  parts.op.push_back(op);
  parts.task.push_back(task);
  parts.start_ns.push_back(tasks.start_ns[task]);
  parts.end_ns.push_back(tasks.end_ns[task]);
  // What a task does is not known at level 0.
  parts.name.push_back(database.known_text(row, kType));
  parts.tag.push_back(kEmptyString);
  parts.group.push_back(database.trace.collective_ops().group[op]);
  // Older databases do not say which tasks are the leading ones; those of plane 0 are.
  parts.is_master.push_back(row.number<std::uint8_t>(kIsMaster, plane == 0 ? 1 : 0));
  parts.plane.push_back(plane);
  parts.notify_id.push_back(static_cast<std::uint64_t>(row.integer(kNotify, -1)));
  parts.rdma_type.push_back(enum_of(row, kRdma));
  parts.source_rank.push_back(row.number<std::uint32_t>(kSource, kNone));
  parts.destination_rank.push_back(row.number<std::uint32_t>(kDestination, kNone));
  parts.transport_type.push_back(enum_of(row, kTransport));
  parts.size_bytes.push_back(size);
  parts.data_type.push_back(enum_of(row, kDataType));
  parts.link_type.push_back(enum_of(row, kLink));
  parts.stage.push_back(0);
  parts.estimated_us.push_back(0);
  // At level 0 sizes are not known: the vendor's bandwidth is negative then.
  parts.bandwidth_gb_s.push_back(
      row.is_null(kBandwidth) ? measured_gb_s : std::max(row.real(kBandwidth) / 1e9, 0.0));
}

// A task that ran several times is the one within the collective.
std::uint32_t task_within(const Database& database, std::int64_t global_id, std::uint32_t op) {
  const auto& ops = database.trace.collective_ops();
  const std::uint32_t first = database.tasks.find(global_id);
  for (std::uint32_t task = first; task != kNone; task = database.tasks.next(task)) {
    const std::int64_t start_ns = database.trace.tasks().start_ns[task];
    if (start_ns >= ops.start_ns[op] && start_ns <= ops.end_ns[op]) return task;
  }
  return first;
}

void read_parts(Database& database, const IdRows& ops) {
  enum : int { kGlobal, kOpId, kType, kSource = kType + 4, kDestination, kTransport, kSize };
  namespace part = results::communication_task_info;
  TableReader row(database.file, part::kTable,
                  {{part::kGlobalId, part::kOp},
                   {part::kType, part::kPlane, part::kNotify, part::kRdma, part::kSource,
                    part::kDestination, part::kTransport, part::kSize, part::kDataType, part::kLink,
                    part::kIsMaster, part::kBandwidth}},
                  database.losses);
  row.expect_column(kType, part::kType);
  row.expect_column(kSource, part::kSource);
  row.expect_column(kDestination, part::kDestination);
  row.expect_column(kTransport, part::kTransport);
  row.expect_column(kSize, part::kSize);
  std::uint64_t lost = 0;
  while (row.next()) {
    const std::uint32_t op = ops.find(row.integer(kOpId));
    const std::uint32_t task =
        op == kNone ? kNone : task_within(database, row.integer(kGlobal), op);
    if (task == kNone) {
      ++lost;
      continue;
    }
    append_part(database, row, op, task);
  }
  database.add_loss(lost,
                    "rows of COMMUNICATION_TASK_INFO are left out: their collective or task is "
                    "not in the database");
}

}  // namespace

void read_collectives(Database& database) {
  std::vector<std::int64_t> op_ids;
  std::vector<std::uint8_t> lacks_device;
  read_ops(database, op_ids, lacks_device);
  read_parts(database, IdRows(op_ids));
  trace::Trace& trace = database.trace;
  const CollectiveTasks& parts = trace.collective_tasks();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto op = parts.op[i];
    if (database.has_details()) {
      trace.collective_ops().model_id[op] = trace.tasks().model_id[parts.task[i]];
    }
    if (lacks_device[op] != 0) {
      trace.collective_ops().device[op] = trace.tasks().device[parts.task[i]];
    }
  }
  sort_collectives(trace);
}

void read_overlap(Database& database) {
  // Until this version only a viewer adds the table, by rules of its own.
  TableReader meta(database.file, results::meta_data::kTable,
                   {{}, {results::meta_data::kName, results::meta_data::kValue}}, database.losses);
  bool delivered = false;
  while (meta.next()) {
    if (meta.text(0) == "SCHEMA_VERSION") delivered = meta.text(1) >= "1.2";
  }
  if (!delivered) return;
  enum : int { kDevice, kStart, kEnd, kType };
  namespace overlap = results::overlap_analysis;
  TableReader row(database.file, overlap::kTable,
                  {{overlap::kDevice, overlap::kStart, overlap::kEnd, overlap::kType}, {}},
                  database.losses);
  trace::OverlapIntervals& intervals = database.trace.overlap_intervals();
  std::uint64_t unknown = 0;
  while (row.next()) {
    const auto kind = row.number<std::uint8_t>(kType, 0xFF);
    if (kind > static_cast<std::uint8_t>(trace::OverlapKind::kFree)) {
      ++unknown;
      continue;
    }
    intervals.device.push_back(row.number<std::uint16_t>(kDevice, 0));
    intervals.start_ns.push_back(row.integer(kStart));
    intervals.end_ns.push_back(row.integer(kEnd));
    intervals.kind.push_back(kind);
  }
  database.add_loss(unknown, "rows of OVERLAP_ANALYSIS are left out: their type is not known");
}

}  // namespace npuprof::load
