#include <unordered_map>

#include "format/results/task_columns.h"
#include "load/result_db/result_database.h"
#include "load/result_order.h"
#include "trace/host/api_calls.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::load {
namespace {

using trace::kNone;
using trace::Tasks;

// What one row of TASK says beside the columns of Tasks.
struct DatabaseTaskIds {
  std::vector<std::int64_t> global;
  std::vector<std::int64_t> connection;
};

void append_database_task(Database& database, const TableReader& row) {
  enum : int { kStart, kEnd, kDevice, kGlobal, kConnection, kPid, kType, kContext, kStream, kTask };
  constexpr int kModel = kTask + 1;
  Tasks& tasks = database.trace.tasks();
  tasks.start_ns.push_back(row.integer(kStart));
  tasks.end_ns.push_back(row.integer(kEnd));
  tasks.device.push_back(row.number<std::uint16_t>(kDevice, 0));
  tasks.api.push_back(database.find_call(row.integer(kConnection, -1), row.integer(kStart)));
  tasks.kernel.push_back(kNone);
  const auto pid = row.number<std::uint32_t>(kPid, 0);
  if (pid != 0) database.trace.session.pid = pid;
  if (!database.has_details()) return;
  tasks.stream.push_back(row.number<std::uint16_t>(kStream, 0));
  tasks.task.push_back(row.number<std::uint32_t>(kTask, 0));
  tasks.batch.push_back(0);
  tasks.context.push_back(row.number<std::uint32_t>(kContext, kNone));
  tasks.device_type.push_back(0);
  tasks.host_type.push_back(trace::kNoHostType);
  tasks.launch.push_back(kNone);
  tasks.model_id.push_back(row.number<std::uint32_t>(kModel, kNone));
  tasks.request_id.push_back(kNone);
  tasks.kernel_name.push_back(kEmptyString);
  tasks.launch_ns.push_back(0);
  const std::uint32_t api = tasks.api.back();
  tasks.tid.push_back(api == kNone ? 0 : database.trace.api_calls().tid[api]);
  tasks.copy_direction.push_back(kNone);
  tasks.copy_bytes.push_back(0);
  tasks.shown_type.push_back(database.text(row, kType));
}

void reserve_tasks(Database& database, std::size_t rows) {
  Tasks& tasks = database.trace.tasks();
  if (database.has_details()) return trace::reserve_rows(tasks, rows);
  for (auto* column : {&tasks.start_ns, &tasks.end_ns}) column->reserve(rows);
  tasks.device.reserve(rows);
  tasks.api.reserve(rows);
  tasks.kernel.reserve(rows);
}

// Marks that the device saw are listed among its tasks.
void append_device_mark(Database& database, const TableReader& row, std::int64_t connection) {
  enum : int { kStart, kEnd, kDevice, kStream = 8, kTask, kModel };
  trace::DeviceMarks& marks = database.trace.device_marks();
  marks.start_ns.push_back(row.integer(kStart));
  marks.end_ns.push_back(row.integer(kEnd));
  marks.device.push_back(row.number<std::uint16_t>(kDevice, 0));
  marks.stream.push_back(row.number<std::uint16_t>(kStream, 0));
  marks.task.push_back(row.number<std::uint32_t>(kTask, 0));
  marks.mark.push_back(kNone);
  marks.mark_id.push_back(
      static_cast<std::uint64_t>(connection - results::mstx_events::kNoConnection - 1));
  marks.model_id.push_back(row.number<std::uint32_t>(kModel, kNone));
}

// Task numbers have 16 bits and come round again. The database tells such tasks apart by their
// global ids alone: they get batch numbers in order of time.
void number_repeats(Tasks& tasks, const IdRows& by_global_id) {
  std::unordered_map<trace::DeviceTask, std::uint16_t, trace::DeviceTask::Hash> batches;
  batches.reserve(tasks.size());
  std::vector<std::uint8_t> done(tasks.size());
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    if (done[row] != 0) continue;
    const trace::TaskId id{
        .stream = tasks.stream[row], .task = tasks.task[row], .context = tasks.context[row]};
    const std::uint16_t batch = batches[{tasks.device[row], id.key()}]++;
    for (std::uint32_t same = row; same != kNone; same = by_global_id.next(same)) {
      tasks.batch[same] = batch;
      done[same] = 1;
    }
  }
}

void read_copy_table(Database& database) {
  enum : int { kGlobal, kSize, kOperation };
  namespace copy = results::memcpy_info;
  TableReader row(database.file, copy::kTable,
                  {{copy::kGlobalId, copy::kSize, copy::kOperation}, {}}, database.losses);
  constexpr std::uint32_t kOther = 65535;
  Tasks& tasks = database.trace.tasks();
  std::uint64_t without_task = 0;
  while (row.next()) {
    // The vendor lists tasks of collectives too, as copies of nothing.
    if (row.integer(kSize) == 0 && row.integer(kOperation) == kOther) continue;
    std::uint32_t task = database.tasks.find(row.integer(kGlobal));
    without_task += task == kNone ? 1 : 0;
    for (; task != kNone; task = database.tasks.next(task)) {
      tasks.copy_direction[task] = row.number<std::uint32_t>(kOperation, kNone);
      tasks.copy_bytes[task] = row.number<std::uint64_t>(kSize, 0);
    }
  }
  database.add_loss(without_task, "copies of MEMCPY_INFO are left out: TASK does not have them");
}

}  // namespace

void read_tasks(Database& database) {
  DatabaseTaskIds ids;
  {
    constexpr int kGlobal = 3;
    constexpr int kConnection = 4;
    namespace task = results::task;
    TableReader row(database.file, task::kTable,
                    {{task::kStart, task::kEnd, task::kDevice, task::kGlobalId},
                     {task::kConnection, task::kPid, task::kType, task::kContext, task::kStream,
                      task::kTask, task::kModel}},
                    database.losses);
    row.expect_column(kConnection, task::kConnection);
    const std::size_t count = row.expected_rows();
    reserve_tasks(database, count);
    ids.global.reserve(count);
    ids.connection.reserve(count);
    while (row.next()) {
      const std::int64_t connection = row.integer(kConnection, kNone);
      if (connection > results::mstx_events::kNoConnection && connection < kNone) {
        append_device_mark(database, row, connection);
        continue;
      }
      append_database_task(database, row);
      ids.global.push_back(row.integer(kGlobal));
      ids.connection.push_back(connection);
    }
  }
  const std::vector<std::uint32_t> order = sort_by_device(database.trace.tasks());
  apply_order(order, ids.global);
  apply_order(order, ids.connection);
  database.tasks = IdRows(ids.global);
  database.tasks_of_connection = IdRows(ids.connection, kNone);
  sort_by_device(database.trace.device_marks());
  if (!database.has_details()) return;
  number_repeats(database.trace.tasks(), database.tasks);
  set_host_types(database.trace);
  read_copy_table(database);
}

}  // namespace npuprof::load
