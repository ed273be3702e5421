#include "answers/kernels_answer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "analyze/kernel_groups.h"
#include "analyze/kernel_metrics.h"
#include "analyze/operator_mfu.h"
#include "analyze/step_finder.h"
#include "analyze/task_modules.h"
#include "analyze/task_operators.h"
#include "answers/kernel_outliers.h"
#include "answers/peak_options.h"
#include "answers/time_columns.h"
#include "answers/wording.h"
#include "base/saturated.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::answers {
namespace {

Table declared_kernel_table() {
  Table table("kernels", "Kernels in order of start");
  table.integer("device", "Device");
  table.integer("stream", "Stream");
  table.integer("step", "Step");
  table.text("name", "Name");
  table.text("type", "Type");
  table.text("core", "Core");
  table.moment("start", "Start");
  table.duration("duration", "Duration");
  table.duration("wait", "Wait");
  table.text("input_shapes", "Input shapes");
  table.text("input_dtypes", "Input types");
  table.text("output_shapes", "Output shapes");
  table.text("output_dtypes", "Output types");
  table.text("operator", "Operator");
  table.share("mfu", "MFU");
  table.real("bandwidth", "Bandwidth", "GB/s");
  table.text("bound", "Bound by");
  table.notes.push_back(
      "A kernel is bound by what it uses to at least 60 %, the cube units or the memory, and by "
      "neither if it uses less of both; operator_mfu tells the peaks.");
  return table;
}

// What each kernel reaches, as operator_mfu counts.
std::vector<analyze::KernelUse> uses_of_kernels(const trace::Trace& trace,
                                                const analyze::PeakOptions& options) {
  const analyze::OperatorWork work = analyze::operator_work(trace);
  analyze::Peaks peaks(trace, options);
  const analyze::WorkFlops flops = analyze::work_flops(trace, work, peaks);
  return analyze::kernel_uses(trace, work, flops,
                              analyze::memory_roof(trace, work, flops, options.gb_s));
}

// Columns that are only made if somebody wants them.
struct MoreColumns {
  bool module = false;
  bool counters = false;
};

// "module,pmu"
Result<MoreColumns> more_columns(const Request& request) {
  MoreColumns more;
  std::string_view rest = request.option("with").value_or("");
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view one = rest.substr(0, end);
    if (one == "module") {
      more.module = true;
    } else if (one == "pmu") {
      more.counters = true;
    } else {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("--with {} is not known: choose module, pmu or both", one)};
    }
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return more;
}

std::string_view pmu_unit(const analyze::PmuColumn& column) {
  const std::size_t open = column.header.find('(');
  if (open == std::string::npos || column.header.back() != ')') return {};
  return std::string_view(column.header).substr(open + 1, column.header.size() - open - 2);
}

// Metrics of a kernel as the counters of its cores tell them.
class CounterColumns {
 public:
  CounterColumns(const trace::Trace& trace, bool is_wanted) {
    if (!is_wanted) return;
    metrics_.emplace(trace);
    values_.resize(metrics_->size());
  }

  void declare(Table& table) const {
    if (!metrics_) return;
    for (const analyze::PmuColumn& column : metrics_->columns()) {
      table.real(column.name, column.name, std::string(pmu_unit(column)));
    }
  }
  void add(Table& table, std::uint32_t kernel) {
    if (!metrics_) return;
    std::fill(values_.begin(), values_.end(), std::numeric_limits<double>::quiet_NaN());
    if (metrics_->has(kernel)) metrics_->compute(kernel, values_);
    for (const double value : values_) table.add(value);
  }

 private:
  std::optional<analyze::KernelMetrics> metrics_;
  std::vector<double> values_;
};

Table kernel_table(const trace::Trace& trace, const analyze::OperatorRows& rows,
                   const std::vector<analyze::KernelUse>& uses, const MoreColumns& more) {
  Table table = declared_kernel_table();
  analyze::TaskModules modules;
  if (more.module) modules = analyze::task_modules(trace);
  if (!modules.empty()) table.text("module", "Module");
  CounterColumns counters(trace, more.counters);
  counters.declare(table);
  const trace::Kernels& kernels = trace.kernels();
  const trace::Tasks& tasks = trace.tasks();
  const analyze::StepFinder steps(trace.steps(), analyze::StepFinder::End::kIncluded);
  const std::vector<std::uint32_t> operators = analyze::operators_of_tasks(trace);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.is_collective[i] != 0) continue;
    const std::uint32_t kernel = rows.row[i];
    const std::uint32_t task = kernels.task[kernel];
    const std::uint32_t step = steps.find(rows.start_ns[i]);
    const std::uint32_t op = operators[task];
    const auto text = [&](StringId id) { return trace.strings.view(id); };
    table.row(rows.device[i], tasks.stream[task],
              step == trace::kNone ? std::nullopt : std::optional(trace.steps().id[step]),
              text(kernels.name[kernel]), text(kernels.op_type[kernel]),
              text(kernels.task_type[kernel]), rows.start_ns[i], rows.duration_ns[i],
              rows.wait_ns[i], text(kernels.input_shapes[kernel]),
              text(kernels.input_dtypes[kernel]), text(kernels.output_shapes[kernel]),
              text(kernels.output_dtypes[kernel]),
              op == trace::kNone ? std::string_view() : text(trace.framework_ops().name[op]),
              uses[kernel].mfu, uses[kernel].gb_s, analyze::bound_name(uses[kernel].bound));
    if (!modules.empty()) {
      const std::uint32_t module = modules.of_task[task];
      table.add(module == trace::kNone ? std::string_view() : modules.paths[module]);
    }
    counters.add(table, kernel);
  }
  return table;
}

Table kernel_name_table(const trace::Trace& trace,
                        const std::vector<analyze::KernelGroup>& groups) {
  Table table("kernels_by_name", "Kernels by name, longest total first");
  table.integer("device", "Device");
  table.text("name", "Name");
  table.text("type", "Type");
  table.text("core", "Core");
  table.share("share", "Share");
  declare_times(table);
  table.duration("wait", "Wait");
  for (const analyze::KernelGroup& group : groups) {
    table.row(group.device, trace.strings.view(group.name), trace.strings.view(group.type),
              trace.strings.view(group.core_type), group.share);
    add_times(table, group.times);
    table.add(group.wait_ns);
  }
  return table;
}

// What the device spends on kernels and between them.
std::string kernel_wait_sentence(const std::vector<analyze::KernelGroup>& groups) {
  std::uint64_t count = 0;
  std::int64_t busy_ns = 0;
  std::int64_t wait_ns = 0;
  for (const analyze::KernelGroup& group : groups) {
    count += group.times.count;
    add_saturated(busy_ns, group.times.total_ns);
    add_saturated(wait_ns, group.wait_ns);
  }
  return fmt::format("{} take {}; the gaps before them add {}.", count_text(count, "kernel"),
                     duration_text(busy_ns), duration_text(wait_ns));
}

Result<Answer> answer_kernels(const Request& request) {
  const auto by = request.option("by");
  if (by && *by != "name") {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--by {} is not known: only name is", *by)};
  }
  NPUPROF_ASSIGN_OR_RETURN(const analyze::PeakOptions peaks, peak_options(request));
  NPUPROF_ASSIGN_OR_RETURN(const MoreColumns more, more_columns(request));
  const analyze::OperatorRows rows = analyze::operator_rows(request.trace);
  const std::vector<analyze::KernelGroup> by_name =
      analyze::kernel_groups(request.trace, rows, analyze::KernelKey::kName);
  if (by_name.empty()) return Error{ErrorCode::kNoData, "the profile has no kernels"};
  // A name may stand for many shapes; only equal ones are expected to take equal time.
  const std::vector<analyze::KernelGroup> alike =
      analyze::kernel_groups(request.trace, rows, analyze::KernelKey::kAlike);
  const auto outliers = kernel_outliers(alike);
  Answer answer;
  answer.sentences.push_back(largest_kernel_sentence(request.trace, by_name));
  if (auto sentence = outlier_sentence(request.trace, outliers)) {
    answer.sentences.push_back(std::move(*sentence));
  }
  answer.sentences.push_back(kernel_wait_sentence(by_name));
  answer.tables.push_back(
      by ? kernel_name_table(request.trace, by_name)
         : kernel_table(request.trace, rows, uses_of_kernels(request.trace, peaks), more));
  if (!outliers.empty()) {
    answer.tables.push_back(outlier_table(request.trace, rows, outliers));
  }
  return answer;
}

constexpr std::array<ModeOption, 4> kKernelOptions = {{
    {"by", "name: add kernels up by name instead of listing each"},
    kPeakTflopsOption,
    kPeakBandwidthOption,
    {"with",
     "more columns, such as module,pmu: module of the model, metrics of cores (not of databases)"},
}};

}  // namespace

const Mode kKernelsMode = {
    .name = "kernels",
    .question = "Which kernels ran, when, how long, and which operator launched them?",
    .explains =
        "One row for each kernel; --by name adds them up. Wait is the gap to what ended before "
        "on the device. Outliers are kernels of equal type and shapes (of equal name, where "
        "shapes are not known) whose slowest call is beyond 3 times the median of at least 5. "
        "Bound by says what keeps a kernel from being faster: memory, compute, or neither.",
    .needs =
        "kernels of a device; types and shapes from level 1 on; operators of the framework for "
        "who launched them",
    .collect =
        "profile with ProfilerActivity.CPU and ProfilerActivity.NPU, "
        "profiler_level=ProfilerLevel.Level1",
    .reads = {trace::Part::kDetails, trace::Part::kStacks},
    .options = kKernelOptions,
    .answer = answer_kernels,
};

}  // namespace npuprof::answers
