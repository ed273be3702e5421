#include <algorithm>
#include <limits>

#include "format/results/task_columns.h"
#include "load/result_db/result_database.h"
#include "load/result_order.h"
#include "trace/linked/kernels.h"
#include "trace/linked/op_state.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

using trace::KernelKind;
using trace::Kernels;
using trace::kNone;
using trace::OpState;

constexpr std::uint8_t kHf32Unknown = 2;

// Descriptions of operators, one row for each in the database, and the global task ids they are of.
struct Descriptions {
  Kernels rows;
  std::vector<std::int64_t> ids;
};

std::uint8_t state_of(std::string_view text) {
  if (text == "static") return static_cast<std::uint8_t>(OpState::kStatic);
  if (text == "dynamic") return static_cast<std::uint8_t>(OpState::kDynamic);
  return static_cast<std::uint8_t>(OpState::kUnknown);
}

std::uint8_t hf32_of(std::string_view text) {
  if (text == "NO") return 0;
  return text == "YES" ? 1 : kHf32Unknown;
}

void reserve_kernels(Kernels& kernels, std::size_t rows, bool has_details) {
  if (has_details) return trace::reserve_rows(kernels, rows);
  kernels.task.reserve(rows);
  for (auto* column : {&kernels.kind, &kernels.hf32}) column->reserve(rows);
  for (auto* column : {&kernels.name, &kernels.op_type, &kernels.task_type}) column->reserve(rows);
  for (auto* column : {&kernels.input_formats, &kernels.input_dtypes, &kernels.input_shapes,
                       &kernels.output_formats, &kernels.output_dtypes, &kernels.output_shapes}) {
    column->reserve(rows);
  }
}

void read_compute(Database& database, Descriptions& out) {
  enum : int { kGlobal, kName, kBlocks, kMixBlocks, kOldBlocks, kOldMixBlocks, kTaskType, kOpType };
  enum : int { kFirstTensor = kOpType + 1, kAttributes = kFirstTensor + 6, kState, kHf32 };
  namespace compute = results::compute_task_info;
  TableReader row(database.file, compute::kTable,
                  {{compute::kGlobalId},
                   {compute::kName, compute::kBlocks, compute::kMixBlocks, compute::kOldBlocks,
                    compute::kOldMixBlocks, compute::kTaskType, compute::kOpType,
                    compute::kInputFormats, compute::kInputDataTypes, compute::kInputShapes,
                    compute::kOutputFormats, compute::kOutputDataTypes, compute::kOutputShapes,
                    compute::kAttributes, compute::kState, compute::kHf32}},
                  database.losses);
  row.expect_column(kName, compute::kName);
  Kernels& rows = out.rows;
  reserve_kernels(rows, row.expected_rows(), database.has_details());
  out.ids.reserve(row.expected_rows());
  const StringPool& strings = database.trace.strings;
  const bool is_new = row.has_column(kBlocks);
  while (row.next()) {
    out.ids.push_back(row.integer(kGlobal));
    rows.task.push_back(kNone);
    rows.kind.push_back(static_cast<std::uint8_t>(KernelKind::kCompute));
    rows.name.push_back(database.text(row, kName));
    rows.task_type.push_back(database.known_text(row, kTaskType));
    rows.op_type.push_back(database.known_text(row, kOpType));
    int tensor = kFirstTensor;
    for (auto* column : {&rows.input_formats, &rows.input_dtypes, &rows.input_shapes,
                         &rows.output_formats, &rows.output_dtypes, &rows.output_shapes}) {
      column->push_back(database.known_text(row, tensor++));
    }
    rows.hf32.push_back(hf32_of(strings.view(database.text(row, kHf32))));
    if (!database.has_details()) continue;
    rows.block_num.push_back(row.number<std::uint32_t>(is_new ? kBlocks : kOldBlocks, 0));
    rows.mix_block_num.push_back(row.number<std::uint32_t>(is_new ? kMixBlocks : kOldMixBlocks, 0));
    rows.attributes.push_back(database.known_text(row, kAttributes));
    rows.op_state.push_back(state_of(strings.view(database.text(row, kState))));
    rows.pmu.push_back(kNone);
    rows.slave_pmu.push_back(kNone);
  }
}

void read_scheduling(Database& database, Descriptions& out) {
  enum : int { kGlobal, kName, kTaskType, kOpType };
  namespace schedule = results::schedule_task_info;
  TableReader row(
      database.file, schedule::kTable,
      {{schedule::kGlobalId}, {schedule::kName, schedule::kTaskType, schedule::kOpType}},
      database.losses);
  while (row.next()) {
    append_kernel(out.rows, KernelKind::kSchedule, database.text(row, kName));
    out.ids.push_back(row.integer(kGlobal));
    out.rows.task_type.back() = database.known_text(row, kTaskType);
    out.rows.op_type.back() = database.known_text(row, kOpType);
  }
}

// Kernels in the order of their tasks. A task that ran again and again has one description.
void place_kernels(Database& database, Descriptions& found) {
  trace::Trace& trace = database.trace;
  std::vector<std::uint32_t> description_of(trace.tasks().size(), kNone);
  std::uint64_t without_task = 0;
  for (std::uint32_t row = 0; row < found.ids.size(); ++row) {
    std::uint32_t task = database.tasks.find(found.ids[row]);
    without_task += task == kNone ? 1 : 0;
    for (; task != kNone; task = database.tasks.next(task)) description_of[task] = row;
  }
  database.add_loss(without_task,
                    "kernels of COMPUTE_TASK_INFO are left out: TASK does not say when they ran");
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t task = 0; task < description_of.size(); ++task) {
    if (description_of[task] == kNone) continue;
    trace.tasks().kernel[task] = static_cast<std::uint32_t>(order.size());
    order.push_back(description_of[task]);
    tasks.push_back(task);
  }
  if (!is_identity(order) || order.size() != found.rows.size()) reorder_rows(found.rows, order);
  trace.kernels() = std::move(found.rows);
  trace.kernels().task.assign(tasks.begin(), tasks.end());
}

class MetricReader {
 public:
  explicit MetricReader(Database& database) : database_(database) {}

  void read() {
    enum : int { kGlobal, kName, kValue };
    namespace metric = results::task_pmu_info;
    TableReader row(database_.file, metric::kTable,
                    {{metric::kGlobalId, metric::kName}, {metric::kValue}}, database_.losses);
    row.expect_column(kValue, metric::kValue);
    std::uint64_t without_task = 0;
    while (row.next()) {
      const std::uint32_t first = database_.tasks.find(row.integer(kGlobal));
      if (first == kNone) ++without_task;
      if (first == kNone || database_.trace.tasks().kernel[first] == kNone) continue;
      Target& target = target_of(row.integer(kName));
      if (target.column == kNone) continue;
      const std::uint32_t task = take_run(target, first);
      if (task == kNone) continue;
      const auto kernel = database_.trace.tasks().kernel[task];
      if (kernel == kNone) continue;
      auto& column = database_.trace.result_metrics.columns[target.column];
      column.values[kernel] = row.real(kValue, kNoMetric) / target.divisor;
    }
    database_.add_loss(without_task,
                       "rows of TASK_PMU_INFO are left out: TASK does not have their task");
    if (left_out_) {
      database_.losses.add(database_.file.path().native(), 0, 0,
                           "TASK_PMU_INFO has more than " + std::to_string(kMaxMetrics) +
                               " metrics; the others are left out");
    }
  }

 private:
  static constexpr double kNoMetric = std::numeric_limits<double>::quiet_NaN();
  struct Target {
    std::int64_t name_id = 0;
    std::uint32_t column = kNone;
    double divisor = 1;
    std::vector<std::uint32_t> next_runs{};  // By number of a repeated task; kNone = no more runs.
  };

  // The n-th row of a task and a metric is of the n-th run of the task, whichever of metrics and
  // tasks the table goes through first.
  std::uint32_t take_run(Target& target, std::uint32_t first) {
    if (database_.tasks.next(first) == kNone) return first;
    if (first_runs_.empty()) number_repeated_tasks();
    if (target.next_runs.empty()) target.next_runs = first_runs_;
    std::uint32_t& next = target.next_runs[number_of_first_run_[first]];
    const std::uint32_t run = next;
    if (run != kNone) next = database_.tasks.next(run);
    return run;
  }

  void number_repeated_tasks() {
    const std::size_t count = database_.trace.tasks().size();
    number_of_first_run_.assign(count, 0);
    std::vector<std::uint8_t> is_later_run(count);
    for (std::uint32_t row = 0; row < count; ++row) {
      const std::uint32_t next = database_.tasks.next(row);
      if (next == kNone) continue;
      is_later_run[next] = 1;
      if (is_later_run[row] != 0) continue;
      number_of_first_run_[row] = static_cast<std::uint32_t>(first_runs_.size());
      first_runs_.push_back(row);
    }
  }

  // Rows of a kernel list its metrics in one order, so the next one is usually right.
  Target& target_of(std::int64_t name_id) {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      last_ = last_ + 1 < targets_.size() ? last_ + 1 : 0;
      if (targets_[last_].name_id == name_id) return targets_[last_];
    }
    auto& columns = database_.trace.result_metrics.columns;
    if (columns.size() == kMaxMetrics) {
      left_out_ = true;
      return none_;
    }
    const StringId name = database_.texts.find(name_id);
    const bool is_time = database_.trace.strings.view(name).ends_with("_time");
    targets_.push_back({.name_id = name_id,
                        .column = static_cast<std::uint32_t>(columns.size()),
                        .divisor = is_time ? 1000.0 : 1});
    columns.push_back({name, std::vector(database_.trace.kernels().size(), kNoMetric)});
    last_ = targets_.size() - 1;
    return targets_.back();
  }

  Database& database_;
  std::vector<Target> targets_;
  Target none_;
  std::vector<std::uint32_t> first_runs_;  // Of tasks that ran several times: rows of Tasks.
  std::vector<std::uint32_t> number_of_first_run_;  // By row of Tasks.
  std::size_t last_ = 0;
  bool left_out_ = false;
};

}  // namespace

void read_kernels(Database& database) {
  Descriptions found;
  read_compute(database, found);
  read_scheduling(database, found);
  place_kernels(database, found);
  if (database.wanted.has(trace::Part::kCounters)) MetricReader(database).read();
}

}  // namespace npuprof::load
