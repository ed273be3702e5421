#include <string>
#include <unordered_map>
#include <vector>

#include "analyze/ccu_events.h"
#include "report/ccu_arguments.h"
#include "report/dpu_arguments.h"
#include "report/sqlite/cann_tables.h"
#include "report/text/json_arguments.h"
#include "trace/device/ccu_missions.h"
#include "trace/host/dpu_tasks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/tasks.h"

namespace npuprof::report::sqlite {
namespace {

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
      ids_.try_emplace(key_of(missions.device[i], missions.task[i]), kNone);
    }
    const auto& tasks = trace.tasks();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (tasks.context[i] != kNone) continue;
      const auto found = ids_.find(key_of(tasks.device[i], tasks.task[i]));
      if (found != ids_.end()) found->second = ids.of_task[i];
    }
    for (std::size_t i = 0; i < missions.size(); ++i) {
      std::int64_t& id = ids_[key_of(missions.device[i], missions.task[i])];
      if (id == kNone) id = end_++;
    }
  }

  std::int64_t of(std::uint16_t device, std::uint32_t task) const {
    return ids_.at(key_of(device, task));
  }
  // The first number that is not in use.
  std::int64_t end() const { return end_; }

 private:
  static std::uint64_t key_of(std::uint16_t device, std::uint32_t task) {
    return std::uint64_t{device} << 32 | task;
  }
  std::unordered_map<std::uint64_t, std::int64_t> ids_;
  std::int64_t end_;
};

void write_ccu_table(const Trace& trace, const MissionTaskIds& ids, DatabaseStrings& strings,
                     BulkDatabase& database) {
  const auto& missions = trace.ccu_missions();
  const std::vector<analyze::CcuEvent> events = analyze::ccu_events(trace);
  if (events.empty()) return;
  struct Texts {
    std::int64_t name;
    std::int64_t arguments;
  };
  std::vector<Texts> texts;
  texts.reserve(events.size());
  JsonArguments arguments;
  for (const analyze::CcuEvent& event : events) {
    put_ccu_arguments(arguments, trace, event, kCcuBytes);
    texts.push_back({strings.id(ccu_event_name(event)), strings.id(arguments.finish())});
  }
  database.table({"CCU",
                  {{"deviceId", kN},
                   {"globalTaskId", kN},
                   {"name", kN},
                   {"startNs", kN},
                   {"endNs", kN},
                   {"args", kN}}},
                 events.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     const analyze::CcuEvent& event = events[i];
                     const std::uint16_t device = missions.device[event.mission];
                     auto& row = sink.row();
                     row.integer(device);
                     row.integer(ids.of(device, missions.task[event.mission]));
                     row.integer(texts[i].name);
                     row.integer(event.start_ns);
                     row.integer(event.end_ns);
                     row.integer(texts[i].arguments);
                     row.end_row();
                   }
                 });
}

void write_dpu_table(const Trace& trace, std::int64_t first_id, DatabaseStrings& strings,
                     BulkDatabase& database) {
  const auto& tasks = trace.dpu_tasks();
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    if (tasks.start_ns[row] >= trace.session.begin_ns) rows.push_back(row);
  }
  if (rows.empty()) return;
  strings.use(tasks.name);
  strings.use(tasks.type);
  // One number for each (unit, stream, task), numbers of other tables are below.
  std::unordered_map<std::uint64_t, std::int64_t> ids;
  std::vector<std::int64_t> id_of_row;
  std::vector<std::int64_t> arguments_of_row;
  JsonArguments arguments;
  for (const std::uint32_t row : rows) {
    const std::uint64_t key = std::uint64_t{tasks.unit[row]} << 48 |
                              std::uint64_t{tasks.stream[row]} << 32 | tasks.task[row];
    const auto next = first_id + static_cast<std::int64_t>(ids.size());
    id_of_row.push_back(ids.try_emplace(key, next).first->second);
    put_dpu_arguments(arguments, trace, row, kDpuBytes);
    arguments_of_row.push_back(strings.id(arguments.finish()));
  }
  database.table({"DPU_TASK",
                  {{"dpuDeviceId", Affinity::kInteger},
                   {"globalTid", kN},
                   {"startNs", kN},
                   {"endNs", kN},
                   {"globalTaskId", kN},
                   {"streamId", kN},
                   {"taskId", kN},
                   {"opName", kN},
                   {"args", kN}}},
                 rows.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     const std::uint32_t task = rows[i];
                     auto& row = sink.row();
                     row.integer(tasks.unit[task]);
                     row.integer(global_tid(trace.session.pid, tasks.tid[task]));
                     row.integer(tasks.start_ns[task]);
                     row.integer(tasks.end_ns[task]);
                     row.integer(id_of_row[i]);
                     row.integer(tasks.stream[task]);
                     row.integer(tasks.task[task]);
                     row.integer(strings.id(dpu_task_name(tasks, task)));
                     row.integer(arguments_of_row[i]);
                     row.end_row();
                   }
                 });
}

}  // namespace

void write_unit_tables(const Trace& trace, const GlobalTaskIds& ids, DatabaseStrings& strings,
                       BulkDatabase& database) {
  const MissionTaskIds mission_ids(trace, ids);
  write_ccu_table(trace, mission_ids, strings, database);
  write_dpu_table(trace, mission_ids.end(), strings, database);
}

}  // namespace npuprof::report::sqlite
