#include "report/csv/operator_csv.h"

#include <cmath>
#include <string>
#include <vector>

#include "analyze/kernel_metrics.h"
#include "analyze/shown_tasks.h"
#include "analyze/step_finder.h"
#include "base/units.h"
#include "format/host/levels.h"
#include "trace/framework/steps.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/op_state.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

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
  return kNotAvailable;
}

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

// Writes the rows of op_summary. Framework files have the same cells in the same order.
class OperatorTable {
 public:
  OperatorTable(const Trace& trace, const analyze::OperatorRows& rows, std::string_view line_end,
                bool with_steps)
      : trace_(trace),
        rows_(rows),
        line_end_(line_end),
        metrics_(trace),
        details_(has_operator_details(trace)),
        steps_(trace.steps(), analyze::StepFinder::End::kIncluded),
        with_steps_(with_steps && !steps_.empty()) {}

  std::string header(bool framework) const {
    std::string text = with_steps_ ? "Step Id," : "";
    text += "Device_id,";
    if (framework && !details_) {
      text +=
          "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Num,"
          "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,"
          "Output Formats";
      return text;
    }
    text += "Model ID,Task ID,Stream ID,";
    text += framework
                ? "Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
                : "Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),"
                  "Task Wait Time(us),";
    text +=
        "Block Num,Mix Block Num,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,"
        "Output Shapes,Output Data Types,Output Formats,Context ID";
    for (const analyze::PmuColumn& column : metrics_.columns()) {
      if (column.in_text) text += "," + column.header;
    }
    return text;
  }

  void put(TextBuffer& out, std::size_t first, std::size_t last, bool framework) const {
    std::vector<double> values(metrics_.size());
    for (std::size_t i = first; i < last; ++i) {
      if (with_steps_) put_step(out, rows_.start_ns[i]);
      if (framework && !details_) {
        put_brief_row(out, i);
      } else if (rows_.is_collective[i] != 0) {
        put_collective(out, i);
      } else {
        put_kernel(out, i, values);
      }
      out.text(line_end_);
    }
  }

 private:
  void put_step(TextBuffer& out, std::int64_t start_ns) const {
    const std::uint32_t step = steps_.find(start_ns);
    if (step != trace::kNone) out.integer(trace_.steps().id[step]);
    out.character(',');
  }

  void put_times(TextBuffer& out, std::size_t i) const {
    out.microseconds(rows_.start_ns[i])
        .text("\t,")
        .microseconds(rows_.duration_ns[i])
        .character(',');
    if (rows_.wait_ns[i] == 0) {
      out.character('0');
    } else {
      out.microseconds(rows_.wait_ns[i]);
    }
    out.character(',');
  }

  void put_text(TextBuffer& out, StringId id) const {
    out.csv(trace_.strings.view(id)).character(',');
  }

  // A framework file at level 0: only what is known there.
  void put_brief_row(TextBuffer& out, std::size_t i) const {
    const std::uint32_t row = rows_.row[i];
    out.integer(rows_.device[i]).character(',');
    if (rows_.is_collective[i] != 0) {
      put_text(out, trace_.collective_ops().name[row]);
      put_text(out, trace_.collective_ops().type[row]);
      out.text("COMMUNICATION,");
    } else {
      put_text(out, trace_.kernels().name[row]);
      put_text(out, trace_.kernels().op_type[row]);
      put_text(out, trace_.kernels().task_type[row]);
    }
    put_times(out, i);
    out.integer(rows_.is_collective[i] != 0 ? 0u : trace_.kernels().block_num[row]);
    out.text(",N/A,N/A,N/A,N/A,N/A,N/A");
  }

  void put_collective(TextBuffer& out, std::size_t i) const {
    const auto& ops = trace_.collective_ops();
    const std::uint32_t row = rows_.row[i];
    out.integer(ops.device[row]).character(',').integer(ops.model_id[row]).text(",N/A,N/A,");
    put_text(out, ops.name[row]);
    put_text(out, ops.type[row]);
    out.text("N/A,COMMUNICATION,");
    put_times(out, i);
    out.text("0,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A");
    for (const analyze::PmuColumn& column : metrics_.columns()) {
      if (column.in_text) out.text(",N/A");
    }
  }

  void put_kernel(TextBuffer& out, std::size_t i, std::vector<double>& values) const {
    const auto& kernels = trace_.kernels();
    const std::uint32_t row = rows_.row[i];
    const std::uint32_t task = kernels.task[row];
    const auto& tasks = trace_.tasks();
    out.integer(tasks.device[task]).character(',').integer(tasks.model_id[task]).character(',');
    out.integer(tasks.task[task]).character(',').integer(tasks.stream[task]).character(',');
    put_text(out, kernels.name[row]);
    put_text(out, kernels.op_type[row]);
    out.text(op_state_text(kernels.op_state[row])).character(',');
    put_text(out, kernels.task_type[row]);
    put_times(out, i);
    out.integer(kernels.block_num[row]).character(',').integer(kernels.mix_block_num[row]);
    out.text(kernels.hf32[row] == 0 ? ",NO," : kernels.hf32[row] == 1 ? ",YES," : ",N/A,");
    put_text(out, kernels.input_shapes[row]);
    put_text(out, kernels.input_dtypes[row]);
    put_text(out, kernels.input_formats[row]);
    put_text(out, kernels.output_shapes[row]);
    put_text(out, kernels.output_dtypes[row]);
    put_text(out, kernels.output_formats[row]);
    if (tasks.context[task] == trace::kNone) {
      out.text(kNotAvailable);
    } else {
      out.integer(tasks.context[task]);
    }
    put_metrics(out, row, values);
  }

  void put_metrics(TextBuffer& out, std::uint32_t kernel, std::vector<double>& values) const {
    metrics_.compute(kernel, values);
    for (std::size_t c = 0; c < values.size(); ++c) {
      const analyze::PmuColumn& column = metrics_.columns()[c];
      if (column.in_text) put_metric(out, column, values[c]);
    }
  }

  const Trace& trace_;
  const analyze::OperatorRows& rows_;
  std::string_view line_end_;
  analyze::KernelMetrics metrics_;
  bool details_;
  analyze::StepFinder steps_;
  bool with_steps_;
};

void put_statistic(TextBuffer& out, const analyze::StatisticRow& row) {
  out.integer(row.count).character(',');
  out.rounded(static_cast<double>(row.total_ns) / 1000, 3).character(',');
  out.rounded(static_cast<double>(row.min_ns) / 1000, 3).character(',');
  out.rounded(row.average_ns() / 1000, 3).character(',');
  out.rounded(static_cast<double>(row.max_ns) / 1000, 3).character(',');
  out.rounded(row.ratio * 100, 3);
}

}  // namespace

Status write_op_summary(const Trace& trace, const analyze::OperatorRows& rows,
                        const CsvTarget& target, ThreadPool& pool) {
  const OperatorTable table(trace, rows, target.line_end, false);
  return write_csv(
      target, "op_summary", table.header(false), rows.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        table.put(out, first, last, false);
      },
      pool);
}

Status write_kernel_details(const Trace& trace, const analyze::OperatorRows& rows,
                            const CsvTarget& target, ThreadPool& pool) {
  const OperatorTable table(trace, rows, target.line_end, true);
  return write_csv(
      target, "kernel_details", table.header(true), rows.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        table.put(out, first, last, true);
      },
      pool);
}

Status write_op_statistic(const Trace& trace, const analyze::OperatorRows& rows,
                          const CsvTarget& target, ThreadPool& pool) {
  if (!has_operator_details(trace)) return ok_status();
  const auto statistic = analyze::operator_statistic(trace, rows);
  return write_csv(
      target, "op_statistic",
      "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max "
      "Time(us),Ratio(%)",
      statistic.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          out.integer(statistic[i].device).character(',');
          out.csv(trace.strings.view(statistic[i].type)).character(',');
          out.csv(trace.strings.view(statistic[i].core_type)).character(',');
          put_statistic(out, statistic[i]);
          out.text(target.line_end);
        }
      },
      pool);
}

Status write_communication_statistic(const Trace& trace, const CsvTarget& target,
                                     ThreadPool& pool) {
  if (!has_operator_details(trace)) return ok_status();
  const auto statistic = analyze::collective_statistic(trace);
  return write_csv(
      target, "communication_statistic",
      "Device_id,OP Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)",
      statistic.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          out.integer(statistic[i].device).character(',');
          out.csv(trace.strings.view(statistic[i].type)).character(',');
          put_statistic(out, statistic[i]);
          out.text(target.line_end);
        }
      },
      pool);
}

Status write_api_statistic(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto statistic = analyze::api_statistic(trace);
  return write_csv(
      target, "api_statistic",
      "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance", statistic.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const analyze::StatisticRow& row = statistic[i];
          out.text("host,").text(format::host::level_name(row.level)).character(',');
          out.csv(trace.strings.view(row.type)).character(',');
          out.rounded(static_cast<double>(row.total_ns) / 1000, 3).character(',');
          out.integer(row.count).character(',');
          out.rounded(row.average_ns() / 1000, 3).character(',');
          out.rounded(static_cast<double>(row.min_ns) / 1000, 3).character(',');
          out.rounded(static_cast<double>(row.max_ns) / 1000, 3).character(',');
          out.rounded(row.variance_us2, 3).text(target.line_end);
        }
      },
      pool);
}

Status write_task_time(const Trace& trace, const CsvTarget& target, ThreadPool& pool) {
  const auto& tasks = trace.tasks();
  const auto shown = analyze::tasks_of_task_time(trace);
  return write_csv(
      target, "task_time",
      "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop("
      "us)",
      shown.size(),
      [&](TextBuffer& out, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const std::uint32_t task = shown[i];
          const std::uint32_t kernel = tasks.kernel[task];
          out.integer(tasks.device[task]).character(',');
          if (kernel == trace::kNone) {
            out.text("N/A,").csv(trace.strings.view(tasks.shown_type[task]));
          } else {
            // What the runtime launched; operators may share it, or call it otherwise.
            const StringId launched = tasks.kernel_name[task];
            const StringId name =
                launched != kEmptyString ? launched : trace.kernels().name[kernel];
            out.csv(trace.strings.view(name)).character(',');
            // Level 0 does not know what kind of kernel it is, only how it was launched.
            const std::string_view type = trace.strings.view(trace.kernels().task_type[kernel]);
            out.csv(type == kNotAvailable ? trace.strings.view(tasks.shown_type[task]) : type);
          }
          out.character(',').integer(tasks.stream[task]).character(',').integer(tasks.task[task]);
          out.character(',').microseconds(tasks.end_ns[task] - tasks.start_ns[task]).character(',');
          out.microseconds(tasks.start_ns[task]).text("\t,");
          out.microseconds(tasks.end_ns[task]).character('\t').text(target.line_end);
        }
      },
      pool);
}

}  // namespace npuprof::report
