#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "analyze/kernel_metrics.h"
#include "analyze/simt_shape.h"
#include "base/units.h"
#include "format/host/levels.h"
#include "format/results/host_columns.h"
#include "format/results/task_columns.h"
#include "report/sqlite/cann_tables.h"
#include "report/tables/stored_table.h"
#include "trace/host/api_calls.h"
#include "trace/host/task_tracks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::report::sqlite {
namespace {

using trace::Kernels;
using trace::kNone;
using trace::Trace;

namespace results = format::results;

// TASK: tasks, then the marks that devices saw, each a task of its own, numbered after all others.
struct TaskRow {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint16_t device;
  std::int64_t connection;
  std::int64_t global_id;
  std::uint32_t pid;
  std::int64_t type;
  std::uint32_t context;
  std::uint16_t stream;
  std::uint32_t task;
  std::uint32_t model;
};

constexpr auto kTaskTable = stored_table(
    results::task::kTable,                              //
    column(results::task::kStart, &TaskRow::start_ns),  //
    column(results::task::kEnd, &TaskRow::end_ns), column(results::task::kDevice, &TaskRow::device),
    column(results::task::kConnection, &TaskRow::connection),
    column(results::task::kGlobalId, &TaskRow::global_id),
    column(results::task::kPid, &TaskRow::pid), column(results::task::kType, &TaskRow::type),
    column(results::task::kContext, &TaskRow::context),
    column(results::task::kStream, &TaskRow::stream), column(results::task::kTask, &TaskRow::task),
    column(results::task::kModel, &TaskRow::model));

class TaskRows {
 public:
  TaskRows(const Trace& trace, const GlobalTaskIds& ids, DatabaseStrings& strings)
      : tasks_(trace.tasks()), marks_(trace.device_marks()), ids_(ids), pid_(trace.session.pid) {
    strings.use(tasks_.shown_type);
    if (marks_.size() > 0) mark_type_ = strings.id("MsTx");
  }

  std::size_t size() const { return tasks_.size() + marks_.size(); }
  TaskRow operator[](std::size_t i) const {
    return i < tasks_.size() ? task(i) : mark(i - tasks_.size());
  }

 private:
  TaskRow task(std::size_t i) const {
    return {.start_ns = tasks_.start_ns[i],
            .end_ns = tasks_.end_ns[i],
            .device = tasks_.device[i],
            .connection = connection_id(tasks_.api[i]),
            .global_id = ids_.of_task[i],
            .pid = pid_,
            .type = to_index(tasks_.shown_type[i]),
            .context = tasks_.context[i],
            .stream = tasks_.stream[i],
            .task = tasks_.task[i],
            .model = tasks_.model_id[i]};
  }
  TaskRow mark(std::size_t i) const {
    return {.start_ns = marks_.start_ns[i],
            .end_ns = marks_.end_ns[i],
            .device = marks_.device[i],
            .connection = mark_connection_id(marks_.mark_id[i]),
            .global_id = static_cast<std::int64_t>(ids_.count + i),
            .pid = pid_,
            .type = mark_type_,
            .context = kNone,
            .stream = marks_.stream[i],
            .task = marks_.task[i],
            .model = marks_.model_id[i]};
  }

  const trace::Tasks& tasks_;
  const trace::DeviceMarks& marks_;
  const GlobalTaskIds& ids_;
  std::uint32_t pid_;
  std::int64_t mark_type_ = 0;
};

// Kernels of one kind, the first of each task, in the order of their global task ids.
class KernelRows {
 public:
  KernelRows(const Trace& trace, const GlobalTaskIds& ids, DatabaseStrings& strings,
             trace::KernelKind kind)
      : trace_(trace), kernels_(trace.kernels()), ids_(ids) {
    for (const auto* column :
         {&kernels_.name, &kernels_.task_type, &kernels_.op_type, &kernels_.input_formats,
          &kernels_.input_dtypes, &kernels_.input_shapes, &kernels_.output_formats,
          &kernels_.output_dtypes, &kernels_.output_shapes, &kernels_.attributes}) {
      strings.use(*column);
    }
    strings.use(trace.task_tracks().grid_dim);
    strings.use(trace.task_tracks().block_dim);
    not_available_ = strings.id(kNotAvailable);
    no_attributes_ = strings.id("");
    states_ = {strings.id("static"), strings.id("dynamic"), not_available_};
    hf32_ = {strings.id("NO"), strings.id("YES"), not_available_};
    // Ids are given in the order of tasks, which is that of kernels: no sort is needed.
    for (std::uint32_t i = 0; i < kernels_.size(); ++i) {
      if (kernels_.kind[i] != static_cast<std::uint8_t>(kind)) continue;
      if (ids_.is_first[kernels_.task[i]] != 0) rows_.push_back(i);
    }
  }

  // A kernel; functions give the numbers of its texts.
  struct Row {
    const KernelRows& all;
    std::uint32_t kernel;

    std::uint32_t task() const { return all.kernels_.task[kernel]; }
    std::int64_t global_id() const { return all.ids_.of_task[task()]; }
    std::int64_t text(StringId id) const {
      return id == kEmptyString ? all.not_available_ : std::int64_t{to_index(id)};
    }
    std::int64_t attributes() const {
      const StringId id = all.kernels_.attributes[kernel];
      return id == kEmptyString ? all.no_attributes_ : std::int64_t{to_index(id)};
    }
    std::int64_t state() const { return all.states_[all.kernels_.op_state[kernel]]; }
    std::int64_t hf32() const { return all.hf32_[all.kernels_.hf32[kernel]]; }
    std::int64_t grid() const { return text(analyze::simt_shape(all.trace_, task()).grid); }
    std::int64_t block() const { return text(analyze::simt_shape(all.trace_, task()).block); }
  };

  std::size_t size() const { return rows_.size(); }
  Row operator[](std::size_t i) const { return {*this, rows_[i]}; }
  const Kernels& kernels() const { return kernels_; }

 private:
  const Trace& trace_;
  const Kernels& kernels_;
  const GlobalTaskIds& ids_;
  std::int64_t not_available_ = 0;
  std::int64_t no_attributes_ = 0;
  std::array<std::int64_t, 3> states_{};
  std::array<std::int64_t, 3> hf32_{};
  std::vector<std::uint32_t> rows_;
};

// What stands in a column of Kernels: a number, or the number of a text.
template <typename Column>
constexpr auto of_kernel(Column Kernels::*column) {
  return [column](const KernelRows::Row& row) {
    const auto value = (row.all.kernels().*column)[row.kernel];
    if constexpr (std::is_same_v<decltype(value), const StringId>) {
      return row.text(value);
    } else {
      return value;
    }
  };
}

namespace compute = results::compute_task_info;
constexpr auto kComputeTable = stored_table(
    compute::kTable,  //
    column(compute::kName, of_kernel(&Kernels::name)),
    column(compute::kGlobalId, &KernelRows::Row::global_id),
    column(compute::kBlocks, of_kernel(&Kernels::block_num)),
    column(compute::kMixBlocks, of_kernel(&Kernels::mix_block_num)),
    column(compute::kTaskType, of_kernel(&Kernels::task_type)),
    column(compute::kOpType, of_kernel(&Kernels::op_type)),
    column(compute::kInputFormats, of_kernel(&Kernels::input_formats)),
    column(compute::kInputDataTypes, of_kernel(&Kernels::input_dtypes)),
    column(compute::kInputShapes, of_kernel(&Kernels::input_shapes)),
    column(compute::kOutputFormats, of_kernel(&Kernels::output_formats)),
    column(compute::kOutputDataTypes, of_kernel(&Kernels::output_dtypes)),
    column(compute::kOutputShapes, of_kernel(&Kernels::output_shapes)),
    column(compute::kAttributes, &KernelRows::Row::attributes),
    column(compute::kState, &KernelRows::Row::state),
    column(compute::kHf32, &KernelRows::Row::hf32), column(compute::kGrid, &KernelRows::Row::grid),
    column(compute::kBlock, &KernelRows::Row::block));

namespace schedule = results::schedule_task_info;
constexpr auto kScheduleTable =
    stored_table(schedule::kTable,  //
                 column(schedule::kName, of_kernel(&Kernels::name)),
                 column(schedule::kGlobalId, &KernelRows::Row::global_id),
                 column(schedule::kTaskType, of_kernel(&Kernels::task_type)),
                 column(schedule::kOpType, of_kernel(&Kernels::op_type)));

// One row per kernel and metric: by far the longest table.
struct MetricRow {
  std::uint32_t global_id;
  std::int64_t name;
  std::optional<double> value;
};

constexpr auto kMetricTable =
    stored_table(results::task_pmu_info::kTable,
                 column(results::task_pmu_info::kGlobalId, &MetricRow::global_id),
                 column(results::task_pmu_info::kName, &MetricRow::name),
                 column(results::task_pmu_info::kValue, &MetricRow::value));

// Host calls: row i is connection i + 1. Calls of the communication library are named by their
// item.
class CallRows {
 public:
  CallRows(const Trace& trace, DatabaseStrings& strings)
      : calls_(trace.api_calls()), pid_(trace.session.pid) {
    for (std::size_t i = 0; i < calls_.size(); ++i) strings.use(name(i));
  }

  struct Row {
    std::int64_t start_ns;
    std::int64_t end_ns;
    std::uint16_t level;
    std::int64_t thread;
    std::int64_t connection;
    StringId name;
  };
  std::size_t size() const { return calls_.size(); }
  Row operator[](std::size_t i) const {
    return {.start_ns = calls_.start_ns[i],
            .end_ns = calls_.end_ns[i],
            .level = calls_.level[i],
            .thread = global_tid(pid_, calls_.tid[i]),
            .connection = static_cast<std::int64_t>(i) + 1,
            .name = name(i)};
  }

 private:
  StringId name(std::size_t i) const {
    return calls_.level[i] == format::host::kLevelHccl ? calls_.item_name[i] : calls_.name[i];
  }

  const trace::ApiCalls& calls_;
  std::uint32_t pid_;
};

constexpr auto kCallTable =
    stored_table(results::cann_api::kTable,  //
                 column(results::cann_api::kStart, &CallRows::Row::start_ns),
                 column(results::cann_api::kEnd, &CallRows::Row::end_ns),
                 column(results::cann_api::kType, &CallRows::Row::level),
                 column(results::cann_api::kThread, &CallRows::Row::thread),
                 column(results::cann_api::kConnection, &CallRows::Row::connection),
                 column(results::cann_api::kName, &CallRows::Row::name));

// Tasks that copy, the first run of each.
class CopyRows {
 public:
  CopyRows(const trace::Tasks& tasks, const GlobalTaskIds& ids) : tasks_(tasks), ids_(ids) {
    for (std::uint32_t i = 0; i < tasks.size(); ++i) {
      if (tasks.copy_direction[i] != kNone && ids.is_first[i] != 0) rows_.push_back(i);
    }
  }

  struct Row {
    std::uint32_t global_id;
    std::uint64_t bytes;
    std::uint32_t direction;
  };
  std::size_t size() const { return rows_.size(); }
  Row operator[](std::size_t i) const {
    const std::uint32_t task = rows_[i];
    return {ids_.of_task[task], tasks_.copy_bytes[task], tasks_.copy_direction[task]};
  }

 private:
  const trace::Tasks& tasks_;
  const GlobalTaskIds& ids_;
  std::vector<std::uint32_t> rows_;
};

constexpr auto kCopyTable =
    stored_table(results::memcpy_info::kTable,
                 column(results::memcpy_info::kGlobalId, &CopyRows::Row::global_id),
                 column(results::memcpy_info::kSize, &CopyRows::Row::bytes),
                 column(results::memcpy_info::kOperation, &CopyRows::Row::direction));

namespace overlap = results::overlap_analysis;
using trace::OverlapIntervals;
constexpr auto kOverlapTable =
    stored_table(overlap::kTable,  //
                 column(overlap::kId, [](const TraceRow<OverlapIntervals>& row) { return row.i; }),
                 column(overlap::kDevice, cell(&OverlapIntervals::device)),
                 column(overlap::kStart, cell(&OverlapIntervals::start_ns)),
                 column(overlap::kEnd, cell(&OverlapIntervals::end_ns)),
                 column(overlap::kType, cell(&OverlapIntervals::kind)));

// Readers tell the runs of a task apart by their order: a run that was not measured is left out
// only if no later one of the same task was. Compute kernels, every run of them.
std::vector<std::uint32_t> measured_kernels(const Trace& trace, const GlobalTaskIds& ids,
                                            const analyze::KernelMetrics& metrics) {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> is_measured_later(ids.count);
  const Kernels& kernels = trace.kernels();
  for (auto i = static_cast<std::uint32_t>(kernels.size()); i-- > 0;) {
    if (kernels.kind[i] != static_cast<std::uint8_t>(trace::KernelKind::kCompute)) continue;
    std::uint8_t& is_measured = is_measured_later[ids.of_task[kernels.task[i]]];
    if (metrics.has(i)) is_measured = 1;
    if (is_measured != 0) rows.push_back(i);
  }
  std::reverse(rows.begin(), rows.end());
  return rows;
}

void write_metrics(const Trace& trace, const GlobalTaskIds& ids, DatabaseStrings& strings,
                   BulkDatabase& database) {
  const analyze::KernelMetrics columns(trace);
  struct Metric {
    std::size_t column;
    std::int64_t name;
    bool is_time;  // Stored in ns.
  };
  std::vector<Metric> metrics;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const analyze::PmuColumn& column = columns.columns()[c];
    if (!column.in_database) continue;
    metrics.push_back({c, strings.id(column.name), column.unit == analyze::PmuUnit::kMicroseconds});
  }
  if (metrics.empty()) return;
  const std::vector<std::uint32_t> rows = measured_kernels(trace, ids, columns);
  database.table(
      schema_of<kMetricTable>(rows), rows.size(),
      [&](RowSink& sink, std::size_t first, std::size_t last) {
        std::vector<double> values(columns.size());
        for (std::size_t i = first; i < last; ++i) {
          const bool is_measured = columns.has(rows[i]);
          const std::uint32_t global_id = ids.of_task[trace.kernels().task[rows[i]]];
          columns.compute(rows[i], values);
          for (const Metric& metric : metrics) {
            // Readers take the names of one kernel for those of all: what is missing counts as 0.
            const double value = std::isnan(values[metric.column]) ? 0 : values[metric.column];
            MetricRow row{global_id, metric.name, std::nullopt};
            if (is_measured) row.value = metric.is_time ? value * 1000 : value;
            put_row<kMetricTable>(sink, rows, row);
          }
        }
      },
      metrics.size());
}

void write_kernels(const Trace& trace, const GlobalTaskIds& ids, DatabaseStrings& strings,
                   BulkDatabase& database) {
  const KernelRows computing(trace, ids, strings, trace::KernelKind::kCompute);
  write_stored_table<kComputeTable>(computing, database);
  const KernelRows scheduling(trace, ids, strings, trace::KernelKind::kSchedule);
  if (scheduling.size() > 0) write_stored_table<kScheduleTable>(scheduling, database);
}

}  // namespace

GlobalTaskIds global_task_ids(const Trace& trace) {
  const auto& tasks = trace.tasks();
  GlobalTaskIds ids;
  ids.of_task.resize(tasks.size());
  ids.is_first.resize(tasks.size());
  std::unordered_map<trace::DeviceTask, std::uint32_t, trace::DeviceTask::Hash> known;
  known.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const trace::DeviceTask key{tasks.device[i], task_id(tasks, i).key()};
    const auto [place, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(known.size()));
    ids.of_task[i] = place->second;
    ids.is_first[i] = is_new ? 1 : 0;
  }
  ids.count = static_cast<std::uint32_t>(known.size());
  return ids;
}

std::int64_t global_tid(std::uint32_t pid, std::uint32_t tid) {
  return std::int64_t{pid} << 32 | tid;
}

std::int64_t connection_id(std::uint32_t api) {
  return api == kNone ? std::int64_t{kNone} : std::int64_t{api} + 1;
}

void write_task_tables(const Trace& trace, DatabaseStrings& strings, BulkDatabase& database) {
  const GlobalTaskIds ids = global_task_ids(trace);
  if (trace.tasks().size() + trace.device_marks().size() > 0) {
    write_stored_table<kTaskTable>(TaskRows(trace, ids, strings), database);
    database.index("TaskIndex", "TASK (startNs,globalTaskId)");
  }
  if (trace.kernels().size() > 0) write_kernels(trace, ids, strings, database);
  write_metrics(trace, ids, strings, database);
  write_communication_tables(trace, ids, strings, database);
  write_unit_tables(trace, ids, strings, database);
  if (trace.api_calls().size() > 0) {
    write_stored_table<kCallTable>(CallRows(trace, strings), database);
  }
  const CopyRows copies(trace.tasks(), ids);
  if (copies.size() > 0) write_stored_table<kCopyTable>(copies, database);
  if (trace.overlap_intervals().size() > 0) {
    write_stored_table<kOverlapTable>(AllRows<OverlapIntervals>{trace.overlap_intervals()},
                                      database);
  }
}

}  // namespace npuprof::report::sqlite
