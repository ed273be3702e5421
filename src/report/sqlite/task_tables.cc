#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analyze/kernel_metrics.h"
#include "analyze/simt_shape.h"
#include "report/sqlite/cann_tables.h"
#include "trace/host/api_calls.h"
#include "trace/host/task_tracks.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/kernels.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::report::sqlite {
namespace {

using trace::kNone;
using trace::Trace;

struct TaskKey {
  std::uint64_t place;
  std::uint64_t number;
  bool operator==(const TaskKey&) const = default;
};
struct TaskKeyHash {
  std::size_t operator()(const TaskKey& key) const {
    return (key.place * 0x9E3779B97F4A7C15 ^ key.number) * 0xC2B2AE3D27D4EB4F;
  }
};

class TaskTables {
 public:
  TaskTables(const Trace& trace, DatabaseStrings& strings, BulkDatabase& database)
      : trace_(trace), strings_(strings), database_(database), ids_(global_task_ids(trace)) {}

  void write() {
    if (trace_.tasks().size() + trace_.device_marks().size() > 0) write_tasks();
    if (trace_.kernels().size() > 0) write_kernels();
    write_metrics();
    write_communication_tables(trace_, ids_, strings_, database_);
    write_unit_tables(trace_, ids_, strings_, database_);
    if (trace_.api_calls().size() > 0) write_calls();
    write_copies();
    if (trace_.overlap_intervals().size() > 0) write_overlap();
  }

 private:
  void write_tasks();
  void put_mark(PageBuilder& row, std::size_t i, std::int64_t type) const;
  void write_kernels();
  void write_metrics();
  void write_calls();
  void write_copies();
  void write_overlap();
  // Compute kernels with counters, every run of them.
  std::vector<std::uint32_t> measured_kernels(const analyze::KernelMetrics& metrics) const;
  // Kernels of one kind, the first of each task, in the order of their global task ids.
  std::vector<std::uint32_t> distinct_kernels(trace::KernelKind kind) const;

  const Trace& trace_;
  DatabaseStrings& strings_;
  BulkDatabase& database_;
  GlobalTaskIds ids_;
};

void TaskTables::write_tasks() {
  const auto& tasks = trace_.tasks();
  strings_.use(tasks.shown_type);
  const std::int64_t mark_type = trace_.device_marks().size() > 0 ? strings_.id("MsTx") : 0;
  database_.table({"TASK",
                   {{"startNs", kI},
                    {"endNs", kI},
                    {"deviceId", kI},
                    {"connectionId", kI},
                    {"globalTaskId", kI},
                    {"globalPid", kI},
                    {"taskType", kI},
                    {"contextId", kI},
                    {"streamId", kI},
                    {"taskId", kI},
                    {"modelId", kI}}},
                  tasks.size() + trace_.device_marks().size(),
                  [&](RowSink& sink, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      auto& row = sink.row();
                      if (i >= tasks.size()) {
                        put_mark(row, i - tasks.size(), mark_type);
                        continue;
                      }
                      row.integer(tasks.start_ns[i]);
                      row.integer(tasks.end_ns[i]);
                      row.integer(tasks.device[i]);
                      row.integer(connection_id(tasks.api[i]));
                      row.integer(ids_.of_task[i]);
                      row.integer(trace_.session.pid);
                      row.integer(strings_.id(tasks.shown_type[i]));
                      row.integer(tasks.context[i]);
                      row.integer(tasks.stream[i]);
                      row.integer(tasks.task[i]);
                      row.integer(tasks.model_id[i]);
                      row.end_row();
                    }
                  });
  database_.index("TaskIndex", "TASK (startNs,globalTaskId)");
}

// A mark that the device saw is a task of its own, numbered after all others.
void TaskTables::put_mark(PageBuilder& row, std::size_t i, std::int64_t type) const {
  const auto& marks = trace_.device_marks();
  row.integer(marks.start_ns[i]);
  row.integer(marks.end_ns[i]);
  row.integer(marks.device[i]);
  row.integer(mark_connection_id(marks.mark_id[i]));
  row.integer(static_cast<std::int64_t>(ids_.count + i));
  row.integer(trace_.session.pid);
  row.integer(type);
  row.integer(kNone);
  row.integer(marks.stream[i]);
  row.integer(marks.task[i]);
  row.integer(marks.model_id[i]);
  row.end_row();
}

std::vector<std::uint32_t> TaskTables::distinct_kernels(trace::KernelKind kind) const {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < trace_.kernels().size(); ++i) {
    if (trace_.kernels().kind[i] != static_cast<std::uint8_t>(kind)) continue;
    if (ids_.is_first[trace_.kernels().task[i]] != 0) rows.push_back(i);
  }
  // Ids are given in the order of tasks, which is that of kernels: no sort is needed.
  return rows;
}

void TaskTables::write_kernels() {
  const auto& kernels = trace_.kernels();
  for (const auto* column :
       {&kernels.name, &kernels.task_type, &kernels.op_type, &kernels.input_formats,
        &kernels.input_dtypes, &kernels.input_shapes, &kernels.output_formats,
        &kernels.output_dtypes, &kernels.output_shapes, &kernels.attributes}) {
    strings_.use(*column);
  }
  strings_.use(trace_.task_tracks().grid_dim);
  strings_.use(trace_.task_tracks().block_dim);
  const std::int64_t not_available = strings_.id("N/A");
  const std::int64_t no_attributes = strings_.id("");
  const std::int64_t states[] = {strings_.id("static"), strings_.id("dynamic"), not_available};
  const std::int64_t hf32[] = {strings_.id("NO"), strings_.id("YES"), not_available};
  // Readers join these texts without an outer join, so there is one for every cell.
  const auto text = [&](StringId id) {
    return id == kEmptyString ? not_available : strings_.id(id);
  };
  const std::vector<std::uint32_t> rows = distinct_kernels(trace::KernelKind::kCompute);
  database_.table({"COMPUTE_TASK_INFO",
                   {{"name", kI},
                    {"globalTaskId", kI, true},
                    {"blockNum", kI},
                    {"mixBlockNum", kI},
                    {"taskType", kI},
                    {"opType", kI},
                    {"inputFormats", kI},
                    {"inputDataTypes", kI},
                    {"inputShapes", kI},
                    {"outputFormats", kI},
                    {"outputDataTypes", kI},
                    {"outputShapes", kI},
                    {"attrInfo", kI},
                    {"opState", kI},
                    {"hf32Eligible", kI},
                    {"gridDim", kI},
                    {"blockDim", kI}}},
                  rows.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      const std::uint32_t kernel = rows[i];
                      auto& row = sink.row(ids_.of_task[kernels.task[kernel]]);
                      row.integer(text(kernels.name[kernel]));
                      row.null();
                      row.integer(kernels.block_num[kernel]);
                      row.integer(kernels.mix_block_num[kernel]);
                      row.integer(text(kernels.task_type[kernel]));
                      row.integer(text(kernels.op_type[kernel]));
                      row.integer(text(kernels.input_formats[kernel]));
                      row.integer(text(kernels.input_dtypes[kernel]));
                      row.integer(text(kernels.input_shapes[kernel]));
                      row.integer(text(kernels.output_formats[kernel]));
                      row.integer(text(kernels.output_dtypes[kernel]));
                      row.integer(text(kernels.output_shapes[kernel]));
                      const std::int64_t attributes = strings_.id(kernels.attributes[kernel]);
                      row.integer(attributes == not_available ? no_attributes : attributes);
                      row.integer(states[kernels.op_state[kernel]]);
                      row.integer(hf32[kernels.hf32[kernel]]);
                      const analyze::SimtShape shape =
                          analyze::simt_shape(trace_, kernels.task[kernel]);
                      row.integer(text(shape.grid));
                      row.integer(text(shape.block));
                      row.end_row();
                    }
                  });
  const std::vector<std::uint32_t> scheduling = distinct_kernels(trace::KernelKind::kSchedule);
  if (scheduling.empty()) return;
  database_.table({"COMMUNICATION_SCHEDULE_TASK_INFO",
                   {{"name", kI}, {"globalTaskId", kI, true}, {"taskType", kI}, {"opType", kI}}},
                  scheduling.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      const std::uint32_t kernel = scheduling[i];
                      auto& row = sink.row(ids_.of_task[kernels.task[kernel]]);
                      row.integer(text(kernels.name[kernel]));
                      row.null();
                      row.integer(text(kernels.task_type[kernel]));
                      row.integer(text(kernels.op_type[kernel]));
                      row.end_row();
                    }
                  });
}

// Readers tell the runs of a task apart by their order: a run that was not measured is left out
// only if no later one of the same task was.
std::vector<std::uint32_t> TaskTables::measured_kernels(
    const analyze::KernelMetrics& metrics) const {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> is_measured_later(ids_.count);
  const trace::Kernels& kernels = trace_.kernels();
  for (auto i = static_cast<std::uint32_t>(kernels.size()); i-- > 0;) {
    if (kernels.kind[i] != static_cast<std::uint8_t>(trace::KernelKind::kCompute)) continue;
    std::uint8_t& is_measured = is_measured_later[ids_.of_task[kernels.task[i]]];
    if (metrics.has(i)) is_measured = 1;
    if (is_measured != 0) rows.push_back(i);
  }
  std::reverse(rows.begin(), rows.end());
  return rows;
}

// One row per kernel and metric: by far the longest table.
void TaskTables::write_metrics() {
  const analyze::KernelMetrics columns(trace_);
  struct Metric {
    std::size_t column;
    std::int64_t name;
    bool is_time;  // Stored in ns.
  };
  std::vector<Metric> metrics;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const analyze::PmuColumn& column = columns.columns()[c];
    if (!column.in_database) continue;
    metrics.push_back(
        {c, strings_.id(column.name), column.unit == analyze::PmuUnit::kMicroseconds});
  }
  if (metrics.empty()) return;
  const std::vector<std::uint32_t> rows = measured_kernels(columns);
  database_.table(
      {"TASK_PMU_INFO", {{"globalTaskId", kI}, {"name", kI}, {"value", kN}}}, rows.size(),
      [&](RowSink& sink, std::size_t first, std::size_t last) {
        std::vector<double> values(columns.size());
        for (std::size_t i = first; i < last; ++i) {
          const bool is_measured = columns.has(rows[i]);
          columns.compute(rows[i], values);
          for (const Metric& metric : metrics) {
            auto& row = sink.row();
            row.integer(ids_.of_task[trace_.kernels().task[rows[i]]]);
            row.integer(metric.name);
            // Readers take the names of one kernel for those of all: what is missing counts as 0.
            const double value = std::isnan(values[metric.column]) ? 0 : values[metric.column];
            if (is_measured) {
              row.numeric(metric.is_time ? value * 1000 : value);
            } else {
              row.null();
            }
            row.end_row();
          }
        }
      },
      metrics.size());
}

void TaskTables::write_calls() {
  const auto& calls = trace_.api_calls();
  constexpr std::uint16_t kCommunicationLevel = 5500;  // Named by its item.
  for (std::size_t i = 0; i < calls.size(); ++i) {
    strings_.use(calls.level[i] == kCommunicationLevel ? calls.item_name[i] : calls.name[i]);
  }
  database_.table(
      {"CANN_API",
       {{"startNs", kI},
        {"endNs", kI},
        {"type", kI},
        {"globalTid", kI},
        {"connectionId", kI, true},
        {"name", kI}}},
      calls.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          auto& row = sink.row(static_cast<std::int64_t>(i) + 1);
          row.integer(calls.start_ns[i]);
          row.integer(calls.end_ns[i]);
          row.integer(calls.level[i]);
          row.integer(global_tid(trace_.session.pid, calls.tid[i]));
          row.null();
          row.integer(strings_.id(calls.level[i] == kCommunicationLevel ? calls.item_name[i]
                                                                        : calls.name[i]));
          row.end_row();
        }
      });
}

void TaskTables::write_copies() {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < trace_.tasks().size(); ++i) {
    if (trace_.tasks().copy_direction[i] != kNone && ids_.is_first[i] != 0) rows.push_back(i);
  }
  if (rows.empty()) return;
  database_.table({"MEMCPY_INFO", {{"globalTaskId", kN}, {"size", kN}, {"memcpyOperation", kN}}},
                  rows.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      auto& row = sink.row();
                      row.integer(ids_.of_task[rows[i]]);
                      row.integer(static_cast<std::int64_t>(trace_.tasks().copy_bytes[rows[i]]));
                      row.integer(trace_.tasks().copy_direction[rows[i]]);
                      row.end_row();
                    }
                  });
}

void TaskTables::write_overlap() {
  const auto& intervals = trace_.overlap_intervals();
  database_.table(
      {"OVERLAP_ANALYSIS",
       {{"id", kI, true}, {"deviceId", kI}, {"startNs", kN}, {"endNs", kN}, {"type", kI}}},
      intervals.size(), [&](RowSink& sink, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          auto& row = sink.row(static_cast<std::int64_t>(i));
          row.null();
          row.integer(intervals.device[i]);
          row.integer(intervals.start_ns[i]);
          row.integer(intervals.end_ns[i]);
          row.integer(intervals.kind[i]);
          row.end_row();
        }
      });
}

}  // namespace

GlobalTaskIds global_task_ids(const Trace& trace) {
  const auto& tasks = trace.tasks();
  GlobalTaskIds ids;
  ids.of_task.resize(tasks.size());
  ids.is_first.resize(tasks.size());
  std::unordered_map<TaskKey, std::uint32_t, TaskKeyHash> known;
  known.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskKey key{std::uint64_t{tasks.device[i]} << 32 | std::uint64_t{tasks.stream[i]} << 16 |
                          tasks.batch[i],
                      std::uint64_t{tasks.task[i]} << 32 | tasks.context[i]};
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
  TaskTables(trace, strings, database).write();
}

}  // namespace npuprof::report::sqlite
