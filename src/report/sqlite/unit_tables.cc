#include <string>
#include <unordered_map>
#include <vector>

#include "analyze/ccu_events.h"
#include "report/ccu_arguments.h"
#include "report/dpu_arguments.h"
#include "report/sqlite/cann_tables.h"
#include "report/tables/stored_table.h"
#include "report/text/json_arguments.h"
#include "trace/device/ccu_missions.h"
#include "trace/host/dpu_tasks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::report::sqlite {
namespace {

using format::results::Unit;
using trace::kNone;
using trace::Trace;

// Global ids of the tasks of missions, by (device, task): that of the task itself where it was
// recorded, else a number of its own behind all others.
class MissionTaskIds {
 public:
  MissionTaskIds(const Trace& trace, const GlobalTaskIds& ids)
      : end_(ids.count + static_cast<std::int64_t>(trace.device_marks().size())) {
    const auto& missions = trace.ccu_missions();
    if (missions.size() == 0) return;
    for (std::size_t i = 0; i < missions.size(); ++i) {
      ids_.try_emplace({missions.device[i], missions.task[i]}, kNone);
    }
    const auto& tasks = trace.tasks();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (tasks.context[i] != kNone) continue;
      const auto found = ids_.find({tasks.device[i], tasks.task[i]});
      if (found != ids_.end()) found->second = ids.of_task[i];
    }
    for (std::size_t i = 0; i < missions.size(); ++i) {
      std::int64_t& id = ids_[{missions.device[i], missions.task[i]}];
      if (id == kNone) id = end_++;
    }
  }

  std::int64_t of(std::uint16_t device, std::uint32_t task) const {
    return ids_.at({device, task});
  }
  // The first number that is not in use.
  std::int64_t end() const { return end_; }

 private:
  std::unordered_map<trace::DeviceTask, std::int64_t, trace::DeviceTask::Hash> ids_;
  std::int64_t end_;
};

// What the collective communication unit did.
struct CcuRow {
  std::uint16_t device;
  std::int64_t global_id;
  std::int64_t name;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::int64_t arguments;
};
constexpr auto kCcuTable =
    stored_table("CCU",  //
                 column(StoredColumn{"deviceId", kN}, &CcuRow::device),
                 column(StoredColumn{"globalTaskId", kN}, &CcuRow::global_id),
                 column(StoredColumn{"name", kN, Unit::kTextId}, &CcuRow::name),
                 column(StoredColumn{"startNs", kN, Unit::kTimeNs}, &CcuRow::start_ns),
                 column(StoredColumn{"endNs", kN, Unit::kTimeNs}, &CcuRow::end_ns),
                 column(StoredColumn{"args", kN, Unit::kTextId}, &CcuRow::arguments));

std::vector<CcuRow> ccu_rows(const Trace& trace, const MissionTaskIds& ids,
                             DatabaseStrings& strings) {
  const auto& missions = trace.ccu_missions();
  std::vector<CcuRow> rows;
  JsonArguments arguments;
  for (const analyze::CcuEvent& event : analyze::ccu_events(trace)) {
    const std::uint16_t device = missions.device[event.mission];
    put_ccu_arguments(arguments, trace, event, kCcuBytes);
    rows.push_back({.device = device,
                    .global_id = ids.of(device, missions.task[event.mission]),
                    .name = strings.id(ccu_event_name(event)),
                    .start_ns = event.start_ns,
                    .end_ns = event.end_ns,
                    .arguments = strings.id(arguments.finish())});
  }
  return rows;
}

// Tasks of data processing units.
struct DpuRow {
  std::uint32_t unit;
  std::int64_t thread;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::int64_t global_id;
  std::uint32_t stream;
  std::uint32_t task;
  StringId name;
  std::int64_t arguments;
};
constexpr auto kDpuTable =
    stored_table("DPU_TASK",  //
                 column(StoredColumn{"dpuDeviceId", kI}, &DpuRow::unit),
                 column(StoredColumn{"globalTid", kN}, &DpuRow::thread),
                 column(StoredColumn{"startNs", kN, Unit::kTimeNs}, &DpuRow::start_ns),
                 column(StoredColumn{"endNs", kN, Unit::kTimeNs}, &DpuRow::end_ns),
                 column(StoredColumn{"globalTaskId", kN}, &DpuRow::global_id),
                 column(StoredColumn{"streamId", kN}, &DpuRow::stream),
                 column(StoredColumn{"taskId", kN}, &DpuRow::task),
                 column(StoredColumn{"opName", kN, Unit::kTextId}, &DpuRow::name),
                 column(StoredColumn{"args", kN, Unit::kTextId}, &DpuRow::arguments));

// Those of the run. There is one number for each (unit, stream, task), from `first_id` on: numbers
// of other tables are below.
std::vector<DpuRow> dpu_rows(const Trace& trace, std::int64_t first_id, DatabaseStrings& strings) {
  const auto& tasks = trace.dpu_tasks();
  std::vector<DpuRow> rows;
  std::unordered_map<trace::DeviceTask, std::int64_t, trace::DeviceTask::Hash> ids;
  JsonArguments arguments;
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    if (tasks.start_ns[row] < trace.session.begin_ns) continue;
    const trace::TaskId task{.stream = tasks.stream[row], .task = tasks.task[row]};
    const trace::DeviceTask key{tasks.unit[row], task.key()};
    const auto next = first_id + static_cast<std::int64_t>(ids.size());
    put_dpu_arguments(arguments, trace, row, kDpuBytes);
    rows.push_back({.unit = tasks.unit[row],
                    .thread = global_tid(trace.session.pid, tasks.tid[row]),
                    .start_ns = tasks.start_ns[row],
                    .end_ns = tasks.end_ns[row],
                    .global_id = ids.try_emplace(key, next).first->second,
                    .stream = tasks.stream[row],
                    .task = tasks.task[row],
                    .name = dpu_task_name(tasks, row),
                    .arguments = strings.id(arguments.finish())});
  }
  if (rows.empty()) return rows;
  strings.use(tasks.name);
  strings.use(tasks.type);
  return rows;
}

}  // namespace

void write_unit_tables(const Trace& trace, const GlobalTaskIds& ids, DatabaseStrings& strings,
                       BulkDatabase& database) {
  const MissionTaskIds mission_ids(trace, ids);
  const std::vector<CcuRow> ccu = ccu_rows(trace, mission_ids, strings);
  if (!ccu.empty()) write_stored_table<kCcuTable>(ccu, database);
  const std::vector<DpuRow> dpu = dpu_rows(trace, mission_ids.end(), strings);
  if (!dpu.empty()) write_stored_table<kDpuTable>(dpu, database);
}

}  // namespace npuprof::report::sqlite
