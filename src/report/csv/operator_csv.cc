#include "report/csv/operator_csv.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/kernel_metrics.h"
#include "analyze/mindspore_launches.h"
#include "analyze/mindspore_step_time.h"
#include "analyze/shown_tasks.h"
#include "analyze/step_finder.h"
#include "base/units.h"
#include "format/host/levels.h"
#include "format/results/kernel_columns.h"
#include "report/csv/model_names.h"
#include "report/tables/text_table.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/iterations.h"
#include "trace/linked/kernels.h"
#include "trace/linked/op_state.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

using trace::kNone;
using trace::Trace;

bool has_operator_details(const Trace& trace) {
  return trace.session.level != trace::Level::kLevel0;
}

std::string_view op_state_text(std::uint8_t state) {
  switch (static_cast<trace::OpState>(state)) {
    case trace::OpState::kStatic:
      return "static";
    case trace::OpState::kDynamic:
      return "dynamic";
    case trace::OpState::kUnknown:
      break;
  }
  return "";
}

namespace kernel_table = format::results::kernel_table;

void put_metric(TextBuffer& out, const analyze::PmuColumn& column, double value) {
  out.character(',');
  if (std::isnan(value)) {
    out.text(kNotAvailable);
    return;
  }
  switch (column.unit) {
    case analyze::PmuUnit::kCount:
      out.fixed(value, 0);
      break;
    case analyze::PmuUnit::kPercent:
      out.fixed(value, 3);
      break;
    default:
      out.rounded(value, 3, true);
  }
}

// What the table of kernels and collectives is of.
enum class TableOf : std::uint8_t { kCann, kIterations, kFramework };

// Rows of op_summary and kernel_details: kernels and collectives.
class OperatorTableRows {
 public:
  OperatorTableRows(const Trace& trace, const analyze::OperatorRows& rows, TableOf what)
      : trace_(trace),
        rows_(rows),
        metrics_(trace),
        steps_(trace.steps(), analyze::StepFinder::End::kIncluded),
        model_names_(trace),
        what_(what),
        launches_(analyze::mindspore_launches(trace)) {}

  struct Row {
    const OperatorTableRows& all;
    std::size_t i;
    std::uint32_t row;  // Of Kernels or CollectiveOps.
    bool is_collective;
    std::uint32_t task;  // Of a kernel.

    const trace::Kernels& kernels() const { return all.trace_.kernels(); }
    const trace::CollectiveOps& collectives() const { return all.trace_.collective_ops(); }
    const trace::Tasks& tasks() const { return all.trace_.tasks(); }
    std::string_view text(StringId id) const { return all.trace_.strings.view(id); }

    std::optional<std::int64_t> step() const {
      const std::uint32_t found = all.steps_.find(start_ns());
      return found == kNone ? std::nullopt
                            : std::optional<std::int64_t>(all.trace_.steps().id[found]);
    }
    std::uint16_t device() const { return all.rows_.device[i]; }
    std::uint32_t model() const {
      return is_collective ? collectives().model_id[row] : tasks().model_id[task];
    }
    std::string_view model_name() const { return all.model_names_.find(model()); }
    std::optional<std::uint64_t> iteration() const { return all.iteration_of(*this); }
    std::string_view name() const {
      return text(is_collective ? collectives().name[row] : kernels().name[row]);
    }
    // The operator of MindSpore that launched it; kNone if that is not known.
    std::uint32_t launch() const { return is_collective ? kNone : all.launches_[task]; }
    // MindSpore puts the name of that operator before it.
    void put_name(TextBuffer& out) const {
      if (!all.is_mindspore() || launch() == kNone) {
        out.csv(name());
        return;
      }
      std::string full(text(all.trace_.framework_ops().name[launch()]));
      out.csv(full.append("/").append(name()));
    }
    // When it was launched counts, else when it ran, else it belongs to the last one.
    std::int64_t mindspore_step() const {
      const trace::Steps& steps = all.trace_.steps();
      std::size_t found = steps.size();
      if (launch() != kNone) found = all.host_step(all.trace_.framework_ops().start_ns[launch()]);
      if (found == steps.size()) found = all.host_step(start_ns());
      return steps.id[std::min(found, steps.size() - 1)];
    }
    std::string_view type() const {
      return text(is_collective ? collectives().type[row] : kernels().op_type[row]);
    }
    std::string_view core() const {
      return is_collective ? kernel_table::kCommunication : text(kernels().task_type[row]);
    }
    std::string_view state() const {
      return is_collective ? "" : op_state_text(kernels().op_state[row]);
    }
    std::int64_t start_ns() const { return all.rows_.start_ns[i]; }
    std::int64_t duration_ns() const { return all.rows_.duration_ns[i]; }
    std::int64_t wait_ns() const { return all.rows_.wait_ns[i]; }
    std::uint32_t blocks() const { return is_collective ? 0 : kernels().block_num[row]; }
    std::string_view hf32() const {
      if (is_collective || kernels().hf32[row] > 1) return "";
      return kernels().hf32[row] == 0 ? "NO" : "YES";
    }
    std::optional<std::uint32_t> context() const {
      if (is_collective || tasks().context[task] == kNone) return std::nullopt;
      return tasks().context[task];
    }
  };
  std::size_t size() const { return rows_.size(); }
  Row operator[](std::size_t i) const {
    const std::uint32_t row = rows_.row[i];
    const bool is_collective = rows_.is_collective[i] != 0;
    return {*this, i, row, is_collective,
            is_collective ? kNone : trace_.kernels().task[row].number()};
  }

  bool is_mindspore() const {
    return of_framework() && trace_.session.framework == trace::Framework::kMindSpore;
  }
  bool of_iterations() const { return what_ == TableOf::kIterations; }
  bool has_steps() const { return of_framework() && !is_mindspore() && !steps_.empty(); }
  bool has_mindspore_steps() const {
    return is_mindspore() && analyze::shows_mindspore_steps(trace_);
  }
  bool has_details() const { return !of_framework() || has_operator_details(trace_); }
  bool has_identities() const { return is_mindspore() || has_details(); }
  bool has_tensors() const { return !is_mindspore() || has_details(); }
  // The number of the first step whose time on the host this is; that of steps if there is none.
  std::size_t host_step(std::int64_t time_ns) const {
    const trace::Steps& steps = trace_.steps();
    const auto& starts = steps.host_start_ns;
    auto row = static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), time_ns) -
                                        starts.begin());
    if (row == 0 || time_ns > steps.host_end_ns[row - 1]) {
      return row > 1 && time_ns <= steps.host_end_ns[row - 2] ? row - 2 : steps.size();
    }
    --row;
    return row > 0 && time_ns <= steps.host_end_ns[row - 1] ? row - 1 : row;
  }
  const analyze::KernelMetrics& metrics() const { return metrics_; }

 private:
  std::optional<std::uint64_t> iteration_of(const Row& row) const {
    const trace::Iterations& table = trace_.iterations();
    // They are in order of device and end.
    std::size_t first = 0;
    for (std::size_t end = table.size(); first < end;) {
      const std::size_t middle = first + (end - first) / 2;
      if (std::pair(table.device[middle], std::int64_t{table.end_ns[middle]}) <
          std::pair(row.device(), row.start_ns())) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    for (std::size_t i = first; i < table.size() && table.device[i] == row.device(); ++i) {
      if (table.model_id[i] == row.model() && table.start_ns[i] <= row.start_ns()) {
        return table.index[i];
      }
    }
    return std::nullopt;
  }
  // Else of CANN, whose file has all columns at any level.
  bool of_framework() const { return what_ == TableOf::kFramework; }

  const Trace& trace_;
  const analyze::OperatorRows& rows_;
  analyze::KernelMetrics metrics_;
  analyze::StepFinder steps_;
  ModelNames model_names_;
  TableOf what_;
  std::vector<std::uint32_t> launches_;  // By row of Tasks, of MindSpore alone.
};

using OperatorRow = OperatorTableRows::Row;

// What only kernels have.
template <typename Column>
constexpr auto of_task(Column trace::Tasks::*column) {
  return [column](const OperatorRow& row) {
    return row.is_collective ? std::nullopt
                             : std::optional<std::uint32_t>((row.tasks().*column)[row.task]);
  };
}
constexpr auto kMixBlocks = [](const OperatorRow& row) {
  return row.is_collective ? std::nullopt
                           : std::optional<std::uint32_t>(row.kernels().mix_block_num[row.row]);
};
template <typename Column>
constexpr auto tensor_text(Column trace::Kernels::*column) {
  return [column](const OperatorRow& row) {
    const bool is_told = !row.is_collective && row.all.has_details();
    return is_told ? row.text((row.kernels().*column)[row.row]) : std::string_view();
  };
}

constexpr auto kMetrics = column_group(
    [](const OperatorTableRows& rows) {
      std::vector<std::string> headers;
      if (!rows.has_identities()) return headers;
      for (const analyze::PmuColumn& metric : rows.metrics().columns()) {
        if (metric.in_text) headers.push_back(metric.header);
      }
      return headers;
    },
    [](const OperatorTableRows& rows) {
      return std::vector<double>(rows.has_identities() ? rows.metrics().size() : 0);
    },
    [](TextBuffer& out, const OperatorRow& row, std::vector<double>& values) {
      const analyze::KernelMetrics& metrics = row.all.metrics();
      if (!row.is_collective && !values.empty()) metrics.compute(row.row, values);
      for (std::size_t c = 0; c < values.size(); ++c) {
        const analyze::PmuColumn& metric = metrics.columns()[c];
        if (!metric.in_text) continue;
        if (row.is_collective) {
          out.character(',').text(kNotAvailable);
        } else {
          put_metric(out, metric, values[c]);
        }
      }
    });

constexpr auto kIsNoMindSpore = [](const OperatorTableRows& rows) { return !rows.is_mindspore(); };

// One list for all files of kernels and collectives. Those of MindSpore tell no device, and steps
// and names are its own; frameworks' leave out at level 0 what is not known there, each in its way.
constexpr auto operator_table(const kernel_table::Headers& headers) {
  constexpr auto detail = [](const TextColumn& schema, auto content) {
    return only_if(&OperatorTableRows::has_details, column(schema, content));
  };
  constexpr auto identity = [](const TextColumn& schema, auto content) {
    return only_if(&OperatorTableRows::has_identities, column(schema, content));
  };
  constexpr auto tensors = [](const TextColumn& schema, auto text) {
    return only_if(&OperatorTableRows::has_tensors, column(schema, tensor_text(text)));
  };
  return text_table(
      headers.file,  //
      only_if(&OperatorTableRows::has_steps, column(kernel_table::kStep, &OperatorRow::step)),
      only_if(&OperatorTableRows::has_mindspore_steps,
              column(kernel_table::kMindSporeStep, &OperatorRow::mindspore_step)),
      only_if(kIsNoMindSpore, column(kernel_table::kDevice, &OperatorRow::device)),
      only_if(&OperatorTableRows::of_iterations,
              column(kernel_table::kModelName, &OperatorRow::model_name)),
      identity(kernel_table::kModel, &OperatorRow::model),
      identity(kernel_table::kTask, of_task(&trace::Tasks::task)),
      identity(kernel_table::kStream, of_task(&trace::Tasks::stream)),
      only_if(&OperatorTableRows::of_iterations,
              column(kernel_table::kIteration, &OperatorRow::iteration)),
      column(TextColumn{headers.name},
             [](TextBuffer& out, const OperatorRow& row) { row.put_name(out); }),
      column(or_not_available(headers.type), &OperatorRow::type),
      identity(kernel_table::kState, &OperatorRow::state),
      column(or_not_available(headers.core), &OperatorRow::core),
      column(TextColumn{headers.start, Print::kTimeUs}, &OperatorRow::start_ns),
      column(TextColumn{headers.duration, Print::kUs}, &OperatorRow::duration_ns),
      column(TextColumn{headers.wait, Print::kUsOrZero}, &OperatorRow::wait_ns),
      column(kernel_table::kBlocks, &OperatorRow::blocks),
      detail(kernel_table::kMixBlocks, kMixBlocks), detail(kernel_table::kHf32, &OperatorRow::hf32),
      tensors(kernel_table::kInputShapes, &trace::Kernels::input_shapes),
      tensors(kernel_table::kInputDataTypes, &trace::Kernels::input_dtypes),
      tensors(kernel_table::kInputFormats, &trace::Kernels::input_formats),
      tensors(kernel_table::kOutputShapes, &trace::Kernels::output_shapes),
      tensors(kernel_table::kOutputDataTypes, &trace::Kernels::output_dtypes),
      tensors(kernel_table::kOutputFormats, &trace::Kernels::output_formats),
      detail(kernel_table::kContext, &OperatorRow::context), kMetrics);
}
constexpr auto kOpSummary = operator_table(kernel_table::kOpSummary);
constexpr auto kKernelDetails = operator_table(kernel_table::kKernelDetails);

// Sums over operators, collectives or calls that share a name.
struct Statistic {
  const Trace& trace;
  std::vector<analyze::StatisticRow> rows;
  std::optional<std::string_view> model_name = {};

  struct Row : analyze::StatisticRow {
    const Trace& trace;
    std::string_view model_name;

    std::string_view type_name() const { return trace.strings.view(type); }
    std::string_view core_name() const { return trace.strings.view(core_type); }
    std::string_view level_name() const { return format::host::level_name(level); }
    double percent() const { return ratio * kPercent; }
  };
  std::size_t size() const { return rows.size(); }
  Row operator[](std::size_t i) const { return {rows[i], trace, model_name.value_or("")}; }
  bool is_of_graph() const { return model_name.has_value(); }
};

constexpr TextColumn us_column(std::string_view header) { return {header, Print::kRoundedUs}; }
constexpr auto kStatisticDevice = column(TextColumn{"Device_id"}, &Statistic::Row::device);
constexpr auto kStatisticType = column(or_not_available("OP Type"), &Statistic::Row::type_name);
constexpr auto kStatisticCount = column(TextColumn{"Count"}, &Statistic::Row::count);
constexpr auto kStatisticTotal = column(us_column("Total Time(us)"), &Statistic::Row::total_ns);
constexpr auto kStatisticLeast = column(us_column("Min Time(us)"), &Statistic::Row::min_ns);
constexpr auto kStatisticMean = column(us_column("Avg Time(us)"), &Statistic::Row::average_ns);
constexpr auto kStatisticMost = column(us_column("Max Time(us)"), &Statistic::Row::max_ns);
constexpr auto kStatisticRatio =
    column(TextColumn{"Ratio(%)", Print::kRounded}, &Statistic::Row::percent);

constexpr auto kOpStatistic = text_table(
    "op_statistic", kStatisticDevice,
    only_if(&Statistic::is_of_graph, column(kernel_table::kModelName, &Statistic::Row::model_name)),
    kStatisticType, column(or_not_available("Core Type"), &Statistic::Row::core_name),
    kStatisticCount, kStatisticTotal, kStatisticLeast, kStatisticMean, kStatisticMost,
    kStatisticRatio);

constexpr auto kCommunicationStatistic =
    text_table("communication_statistic", kStatisticDevice, kStatisticType, kStatisticCount,
               kStatisticTotal, kStatisticLeast, kStatisticMean, kStatisticMost, kStatisticRatio);

constexpr auto kApiStatistic =
    text_table("api_statistic", kHostColumn,  //
               column(TextColumn{"Level"}, &Statistic::Row::level_name),
               column(TextColumn{"API Name"}, &Statistic::Row::type_name),
               column(us_column("Time(us)"), &Statistic::Row::total_ns), kStatisticCount,
               column(us_column("Avg(us)"), &Statistic::Row::average_ns),
               column(us_column("Min(us)"), &Statistic::Row::min_ns),
               column(us_column("Max(us)"), &Statistic::Row::max_ns),
               column(TextColumn{"Variance", Print::kRounded}, &Statistic::Row::variance_us2));

// Tasks of devices with the kernels that they are.
struct TaskTimeRows {
  const Trace& trace;
  std::vector<std::uint32_t> shown;

  struct Row {
    const Trace& trace;
    std::uint32_t task;

    const trace::Tasks& tasks() const { return trace.tasks(); }
    std::uint16_t device() const { return tasks().device[task]; }
    // What the runtime launched; operators may share it, or call it otherwise.
    std::string_view name() const {
      const std::uint32_t kernel = tasks().kernel[task];
      if (kernel == kNone) return kNotAvailable;
      const StringId launched = tasks().kernel_name[task];
      return trace.strings.view(launched != kEmptyString ? launched : trace.kernels().name[kernel]);
    }
    // Level 0 does not know what kind of kernel it is, only how it was launched.
    std::string_view type() const {
      const std::uint32_t kernel = tasks().kernel[task];
      const std::string_view core =
          kernel == kNone ? "" : trace.strings.view(trace.kernels().task_type[kernel]);
      return core.empty() ? trace.strings.view(tasks().shown_type[task]) : core;
    }
    std::uint16_t stream() const { return tasks().stream[task]; }
    std::uint32_t number() const { return tasks().task[task]; }
    std::int64_t start_ns() const { return tasks().start_ns[task]; }
    std::int64_t end_ns() const { return tasks().end_ns[task]; }
    std::int64_t duration_ns() const { return end_ns() - start_ns(); }
  };
  std::size_t size() const { return shown.size(); }
  Row operator[](std::size_t i) const { return {trace, shown[i]}; }
};

constexpr auto kTaskTime =
    text_table("task_time",  //
               column(TextColumn{"Device_id"}, &TaskTimeRows::Row::device),
               column(TextColumn{"kernel_name"}, &TaskTimeRows::Row::name),
               column(TextColumn{"kernel_type"}, &TaskTimeRows::Row::type),
               column(TextColumn{"stream_id"}, &TaskTimeRows::Row::stream),
               column(TextColumn{"task_id"}, &TaskTimeRows::Row::number),
               column(TextColumn{"task_time(us)", Print::kUs}, &TaskTimeRows::Row::duration_ns),
               column(TextColumn{"task_start(us)", Print::kTimeUs}, &TaskTimeRows::Row::start_ns),
               column(TextColumn{"task_stop(us)", Print::kTimeUs}, &TaskTimeRows::Row::end_ns));

}  // namespace

Status write_op_summary(const Trace& trace, const analyze::OperatorRows& rows, bool of_iterations,
                        const CsvTarget& target, ThreadPool& pool) {
  const TableOf what = of_iterations ? TableOf::kIterations : TableOf::kCann;
  return write_text_table<kOpSummary>(OperatorTableRows(trace, rows, what), target, pool);
}

Status write_kernel_details(const Trace& trace, const analyze::OperatorRows& rows,
                            const CsvTarget& target, ThreadPool& pool) {
  const OperatorTableRows table(trace, rows, TableOf::kFramework);
  return write_text_table<kKernelDetails>(table, target, pool);
}

Status write_op_statistic(const Trace& trace, const analyze::OperatorRows& rows,
                          std::optional<std::string_view> model_name, const CsvTarget& target,
                          ThreadPool& pool) {
  if (!has_operator_details(trace)) return ok_status();
  const Statistic statistic{trace, analyze::operator_statistic(trace, rows), model_name};
  return write_text_table<kOpStatistic>(statistic, target, pool);
}

Status write_communication_statistic(const Trace& trace, const CsvTarget& target,
                                     ThreadPool& pool) {
  if (!has_operator_details(trace)) return ok_status();
  const Statistic statistic{trace, analyze::collective_statistic(trace)};
  return write_text_table<kCommunicationStatistic>(statistic, target, pool);
}

Status write_api_statistic(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const Statistic statistic{trace, analyze::api_statistic(trace)};
  return write_text_table<kApiStatistic>(statistic, target, pool);
}

Status write_task_time(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const TaskTimeRows rows{trace, analyze::tasks_of_task_time(trace)};
  return write_text_table<kTaskTime>(rows, target, pool);
}

}  // namespace npuprof::report
