#include "base/units.h"
#include "format/results/communication_columns.h"
#include "report/sqlite/cann_tables.h"
#include "report/tables/stored_table.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::report::sqlite {
namespace {

using trace::CollectiveOps;
using trace::CollectiveTasks;
using trace::kNone;
using trace::Trace;

std::int64_t enum_id(std::uint32_t value) {
  return value == kNone ? format::results::kInvalidEnum : value;
}

// The group's own name if it is known, else the number that stands for it.
StringId group_of(const CollectiveOps& ops, std::size_t op) {
  return ops.group_name[op] != kEmptyString ? ops.group_name[op] : ops.group[op];
}

namespace op = format::results::communication_op;
// Collectives; absent texts have the number of N/A.
class CollectiveRows {
 public:
  CollectiveRows(const CollectiveOps& ops, DatabaseStrings& strings)
      : ops_(ops), not_available_(strings.id(kNotAvailable)) {
    for (std::size_t i = 0; i < ops.size(); ++i) strings.use(group_of(ops, i));
    for (const auto* column : {&ops.name, &ops.algorithm, &ops.type}) strings.use(*column);
  }

  struct Row : TraceRow<CollectiveOps> {
    std::int64_t not_available;

    std::int64_t text_or_none(StringId id) const {
      return id == kEmptyString ? not_available : std::int64_t{to_index(id)};
    }
    std::int64_t group() const { return text_or_none(group_of(table, i)); }
    std::int64_t algorithm() const { return text_or_none(table.algorithm[i]); }
    std::int64_t type() const { return text_or_none(table.type[i]); }
  };
  std::size_t size() const { return ops_.size(); }
  Row operator[](std::size_t i) const { return {{ops_, i}, not_available_}; }

 private:
  const CollectiveOps& ops_;
  std::int64_t not_available_;
};
using CollectiveRow = CollectiveRows::Row;

constexpr auto kCollectiveTable = stored_table(
    op::kTable,  //
    column(op::kName, cell(&CollectiveOps::name)),
    column(op::kStart, cell(&CollectiveOps::start_ns)),
    column(op::kEnd, cell(&CollectiveOps::end_ns)),
    column(op::kConnection,
           [](const CollectiveRow& row) { return connection_id(row.table.api[row.i]); }),
    column(op::kGroup, &CollectiveRow::group),
    column(op::kId, [](const CollectiveRow& row) { return row.i; }),
    column(op::kRelay, cell(&CollectiveOps::relay)),
    column(op::kRetry, cell(&CollectiveOps::retry)),
    column(op::kDataType,
           [](const CollectiveRow& row) { return enum_id(row.table.data_type[row.i]); }),
    column(op::kAlgorithm, &CollectiveRow::algorithm),
    column(op::kCount, cell(&CollectiveOps::count)), column(op::kType, &CollectiveRow::type),
    column(op::kDevice, cell(&CollectiveOps::device)),
    column(op::kRankSize, cell(&CollectiveOps::rank_size)));

// Tasks of collectives. What they do is not known at level 0: then they have no name.
class PartRows {
 public:
  PartRows(const Trace& trace, const GlobalTaskIds& ids, DatabaseStrings& strings)
      : tasks_(trace.collective_tasks()), ops_(trace.collective_ops()), ids_(ids) {
    strings.use(tasks_.name);
    not_available_ = strings.id(kNotAvailable);
  }

  struct Row {
    const PartRows& all;
    std::size_t i;

    const CollectiveTasks& tasks() const { return all.tasks_; }
    bool is_known() const { return tasks().name[i] != kEmptyString; }
    std::uint32_t op() const { return tasks().op[i]; }
    StringId op_name() const { return all.ops_.name[op()]; }
    std::int64_t group() const {
      const StringId group = group_of(all.ops_, op());
      return group == kEmptyString ? all.not_available_ : std::int64_t{to_index(group)};
    }
    std::uint32_t global_id() const { return all.ids_.of_task[tasks().task[i]]; }
    std::int64_t name() const {
      return is_known() ? std::int64_t{to_index(tasks().name[i])} : all.not_available_;
    }
    std::int64_t size() const {
      return is_known() ? static_cast<std::int64_t>(tasks().size_bytes[i]) : -1;
    }
    double bytes_per_second() const { return tasks().bandwidth_gb_s[i] * 1e9; }
  };
  std::size_t size() const { return tasks_.size(); }
  Row operator[](std::size_t i) const { return {*this, i}; }

 private:
  const CollectiveTasks& tasks_;
  const CollectiveOps& ops_;
  const GlobalTaskIds& ids_;
  std::int64_t not_available_ = 0;
};

template <typename Column>
constexpr auto of_part(Column CollectiveTasks::*column) {
  return [column](const PartRows::Row& row) { return (row.tasks().*column)[row.i]; };
}
template <typename Column>
constexpr auto enum_of_part(Column CollectiveTasks::*column) {
  return [column](const PartRows::Row& row) -> std::int64_t {
    return row.is_known() ? enum_id((row.tasks().*column)[row.i]) : format::results::kUnknownEnum;
  };
}

namespace part = format::results::communication_task_info;
constexpr auto kPartTable = stored_table(
    part::kTable,  //
    column(part::kName, &PartRows::Row::op_name),
    column(part::kGlobalId, &PartRows::Row::global_id), column(part::kType, &PartRows::Row::name),
    column(part::kPlane, of_part(&CollectiveTasks::plane)),
    column(part::kGroup, &PartRows::Row::group),
    column(part::kNotify, of_part(&CollectiveTasks::notify_id)),  // All ones = -1 = none.
    column(part::kRdma, enum_of_part(&CollectiveTasks::rdma_type)),
    column(part::kSource, of_part(&CollectiveTasks::source_rank)),
    column(part::kDestination, of_part(&CollectiveTasks::destination_rank)),
    column(part::kTransport, enum_of_part(&CollectiveTasks::transport_type)),
    column(part::kSize, &PartRows::Row::size),
    column(part::kDataType, enum_of_part(&CollectiveTasks::data_type)),
    column(part::kLink, enum_of_part(&CollectiveTasks::link_type)),
    column(part::kOp, &PartRows::Row::op),
    column(part::kIsMaster, of_part(&CollectiveTasks::is_master)),
    column(part::kBandwidth, &PartRows::Row::bytes_per_second));

}  // namespace

void write_communication_tables(const Trace& trace, const GlobalTaskIds& ids,
                                DatabaseStrings& strings, BulkDatabase& database) {
  const auto& ops = trace.collective_ops();
  if (ops.size() == 0) return;
  write_stored_table<kCollectiveTable>(CollectiveRows(ops, strings), database);
  if (trace.collective_tasks().size() == 0) return;
  write_stored_table<kPartTable>(PartRows(trace, ids, strings), database);
  database.index("CommunicationTaskIndex", "COMMUNICATION_TASK_INFO (globalTaskId)");
}

}  // namespace npuprof::report::sqlite
