#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "format/mindspore/op_range.h"
#include "format/results/kernel_columns.h"
#include "load/collection_clock.h"
#include "load/csv_reader.h"
#include "load/id_rows.h"
#include "load/plausible.h"
#include "load/result_order.h"
#include "load/result_text/result_tables.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/op_state.h"
#include "trace/linked/tasks.h"
#include "trace/reorder.h"

namespace npuprof::load {
namespace {

using trace::KernelKind;
using trace::kNone;
using trace::Trace;

constexpr double kNoMetric = std::numeric_limits<double>::quiet_NaN();
namespace kernel_table = format::results::kernel_table;

// Columns by the names of kernel_details.csv and of op_summary_*.csv.
struct KernelColumns {
  explicit KernelColumns(const CsvFile& csv)
      : device(csv.column(kernel_table::kDevice)),
        model(csv.column(kernel_table::kModel)),
        task(csv.column(kernel_table::kTask)),
        stream(csv.column(kernel_table::kStream)),
        name(either(csv, &kernel_table::Headers::name)),
        type(either(csv, &kernel_table::Headers::type)),
        state(csv.column(kernel_table::kState)),
        core(either(csv, &kernel_table::Headers::core)),
        start(either(csv, &kernel_table::Headers::start)),
        duration(either(csv, &kernel_table::Headers::duration)),
        blocks(csv.column({kernel_table::kBlocks, kernel_table::kOldBlocks})),
        mix_blocks(csv.column({kernel_table::kMixBlocks, kernel_table::kOldMixBlocks})),
        hf32(csv.column(kernel_table::kHf32)),
        context(csv.column(kernel_table::kContext)),
        step(csv.column({kernel_table::kStep, kernel_table::kOldStep})),
        first_metric(csv.column(kernel_table::kFirstMetric)) {
    constexpr std::string_view kTensors[] = {
        kernel_table::kInputShapes,  kernel_table::kInputDataTypes,  kernel_table::kInputFormats,
        kernel_table::kOutputShapes, kernel_table::kOutputDataTypes, kernel_table::kOutputFormats};
    for (const std::string_view title : kTensors) tensors.push_back(csv.column(title));
  }

  // The missing column, if one is that no row can do without.
  std::optional<std::string_view> missing() const {
    if (name == CsvFile::kNoColumn) return kernel_table::kKernelDetails.name;
    if (start == CsvFile::kNoColumn) return kernel_table::kKernelDetails.start;
    if (duration == CsvFile::kNoColumn) return kernel_table::kKernelDetails.duration;
    return std::nullopt;
  }

  static std::size_t either(const CsvFile& csv, std::string_view kernel_table::Headers::*title) {
    return csv.column({kernel_table::kKernelDetails.*title, kernel_table::kOpSummary.*title});
  }

  std::size_t device, model, task, stream, name, type, state, core, start, duration, blocks,
      mix_blocks, hf32, context, step, first_metric;
  std::vector<std::size_t> tensors;
};

// Steps by the ids that kernels carry.
class StepsOfKernels {
 public:
  void add(std::int64_t id, std::int64_t start_ns, std::int64_t end_ns) {
    Range& range = ranges_.try_emplace(id, Range{start_ns, start_ns, end_ns}).first->second;
    range.first_start_ns = std::min(range.first_start_ns, start_ns);
    range.last_start_ns = std::max(range.last_start_ns, start_ns);
    range.end_ns = std::max(range.end_ns, end_ns);
  }

  // A step ends where the next one starts, unless kernels of both start by turns: kernels belong to
  // the step that they start in.
  void append_to(trace::Steps& steps) const {
    std::vector<std::pair<std::int64_t, Range>> sorted(ranges_.begin(), ranges_.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.second.first_start_ns < b.second.first_start_ns;
    });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto& [id, range] = sorted[i];
      std::int64_t end_ns = range.end_ns;
      if (i + 1 < sorted.size()) {
        end_ns = std::min(end_ns, sorted[i + 1].second.first_start_ns - 1);
      }
      end_ns = std::max(end_ns, range.last_start_ns);
      steps.id.push_back(id);
      for (auto* column : {&steps.host_start_ns, &steps.device_start_ns}) {
        column->push_back(range.first_start_ns);
      }
      for (auto* column : {&steps.host_end_ns, &steps.device_end_ns}) column->push_back(end_ns);
      steps.has_kernels.push_back(1);
      steps.op.push_back(kNone);
    }
  }

 private:
  struct Range {
    std::int64_t first_start_ns;
    std::int64_t last_start_ns;
    std::int64_t end_ns;
  };
  std::map<std::int64_t, Range> ranges_;
};

// `aic_mac_time(us)` is aic_mac_time; the total times have names of their own.
std::string metric_name(std::string_view title, bool separate_cores) {
  const std::string_view name = title.substr(0, title.find('('));
  if (name == "aicore_time") return separate_cores ? "aic_total_time" : "total_time";
  if (name == "aiv_time") return "aiv_total_time";
  return std::string(name);
}

class KernelTableReader {
 public:
  KernelTableReader(Trace& trace, trace::Losses& losses)
      : trace_(trace), losses_(losses), middle_ns_(middle_of_timeline(trace)) {
    std::vector<std::int64_t> starts(trace.tasks().start_ns.begin(), trace.tasks().start_ns.end());
    tasks_ = IdRows(starts);
    known_tasks_ = trace.tasks().size();
    std::vector<std::int64_t> collective_starts(trace.collective_ops().start_ns.begin(),
                                                trace.collective_ops().start_ns.end());
    collectives_ = IdRows(collective_starts);
    known_collectives_ = trace.collective_ops().size();
  }

  void read(const std::filesystem::path& path);
  // Puts rows that the timeline did not have in their places.
  void finish();
  bool has_rows() const { return has_rows_; }

 private:
  void read_row(CsvFile& csv, const KernelColumns& columns);
  void add_collective(const CsvFile& csv, const KernelColumns& columns, std::int64_t start_ns,
                      std::int64_t end_ns);
  std::uint32_t kernel_of(const CsvFile& csv, const KernelColumns& columns, std::int64_t start_ns,
                          std::int64_t end_ns);
  std::uint32_t add_kernel(std::uint32_t task, StringId name);
  std::uint32_t add_task(const CsvFile& csv, const KernelColumns& columns, std::int64_t start_ns,
                         std::int64_t end_ns);
  void describe(const CsvFile& csv, const KernelColumns& columns, std::uint32_t kernel);
  void read_metrics(const CsvFile& csv, const KernelColumns& columns, std::uint32_t kernel);
  std::vector<double>& metric(StringId name);
  // MindSpore puts the operator that launched a kernel before its name.
  std::string_view without_launch(std::string_view name) const;
  std::uint16_t device_of(const CsvFile& csv, const KernelColumns& columns) const {
    const std::uint16_t only = trace_.devices.empty() ? 0 : trace_.devices.front().id;
    return static_cast<std::uint16_t>(csv.integer(columns.device).value_or(only));
  }

  Trace& trace_;
  trace::Losses& losses_;
  std::optional<std::int64_t> middle_ns_;
  IdRows tasks_;  // Of the timeline, by start.
  IdRows collectives_;
  std::size_t known_tasks_ = 0;
  std::size_t known_collectives_ = 0;
  std::vector<StringId> metric_names_;  // Of the file at hand, by column.
  std::unordered_map<std::uint32_t, std::uint32_t> metric_of_name_;
  StepsOfKernels steps_;
  bool has_rows_ = false;
};

void KernelTableReader::read(const std::filesystem::path& path) {
  auto opened = CsvFile::open(path);
  if (!opened.ok()) {
    losses_.add(path.native(), 0, 0, opened.error().message);
    return;
  }
  CsvFile csv = std::move(opened).value();
  const KernelColumns columns(csv);
  if (const auto missing = columns.missing()) {
    losses_.add(path.native(), 0, 0,
                "there is no column " + std::string(*missing) + ": the file is left out");
    return;
  }
  metric_names_.clear();
  if (columns.first_metric != CsvFile::kNoColumn) {
    const auto& titles = csv.header();
    const bool separate_cores = std::any_of(titles.begin(), titles.end(), [](const auto& title) {
      return title.starts_with("aic_") || title.starts_with("aiv_");
    });
    const std::size_t last = std::min(titles.size(), columns.first_metric + kMaxMetrics);
    for (std::size_t i = columns.first_metric; i < last; ++i) {
      metric_names_.push_back(trace_.strings.intern(metric_name(titles[i], separate_cores)));
    }
  }
  while (csv.next()) read_row(csv, columns);
  csv.report_losses(losses_);
}

void KernelTableReader::read_row(CsvFile& csv, const KernelColumns& columns) {
  const auto start_ns = csv.scaled(columns.start, kNsDigits);
  const auto duration_ns = csv.scaled(columns.duration, kNsDigits);
  const auto end =
      start_ns && duration_ns ? plausible(*start_ns + *duration_ns) : std::optional<std::int64_t>();
  if (!end) return csv.leave_out("their start or their duration is no number");
  if (middle_ns_ && !(is_near(*start_ns, *middle_ns_) && is_near(*end, *middle_ns_))) {
    return csv.leave_out(kDaysAway);
  }
  has_rows_ = true;
  const std::int64_t end_ns = *end;
  if (const auto step = csv.integer(columns.step)) steps_.add(*step, *start_ns, end_ns);
  const std::string_view core = csv.cell(columns.core);
  const std::string_view name = csv.cell(columns.name);
  if (core == kernel_table::kCommunication || core == "HCCL" || name.starts_with("hcom_")) {
    return add_collective(csv, columns, *start_ns, end_ns);
  }
  describe(csv, columns, kernel_of(csv, columns, *start_ns, end_ns));
}

void KernelTableReader::add_collective(const CsvFile& csv, const KernelColumns& columns,
                                       std::int64_t start_ns, std::int64_t end_ns) {
  trace::CollectiveOps& ops = trace_.collective_ops();
  const StringId name = trace_.strings.intern(csv.cell(columns.name));
  const StringId type = trace_.strings.intern(known_text(csv.cell(columns.type)));
  for (const std::int64_t near_ns : {start_ns, start_ns + 1, start_ns - 1}) {
    for (std::uint32_t row = collectives_.find(near_ns); row != kNone;
         row = collectives_.next(row)) {
      if (ops.name[row] != name) continue;
      ops.type[row] = type;
      return;
    }
  }
  const std::size_t row = ops.size();
  resize_rows(ops, row + 1);
  ops.start_ns[row] = start_ns;
  ops.end_ns[row] = end_ns;
  ops.device[row] = device_of(csv, columns);
  ops.name[row] = name;
  ops.type[row] = type;
  ops.api[row] = kNone;
  ops.data_type[row] = kNone;
  ops.model_id[row] = static_cast<std::uint32_t>(csv.integer(columns.model).value_or(kNone));
}

// The kernel of the timeline that the row is about. At level 0 the timeline shows the parts of MIX
// kernels by their type only; the row then gives the name.
std::uint32_t KernelTableReader::kernel_of(const CsvFile& csv, const KernelColumns& columns,
                                           std::int64_t start_ns, std::int64_t end_ns) {
  const trace::Tasks& tasks = trace_.tasks();
  const StringId name = trace_.strings.intern(without_launch(csv.cell(columns.name)));
  // Times are cut in tables and rounded in timelines.
  for (const std::int64_t near_ns : {start_ns, start_ns + 1, start_ns - 1}) {
    for (std::uint32_t row = tasks_.find(near_ns); row != kNone; row = tasks_.next(row)) {
      const auto kernel = tasks.kernel[row];
      if (kernel != kNone && trace_.kernels().name[kernel] == name) return kernel;
    }
  }
  const auto known_end = tasks.start_ns.begin() + static_cast<std::ptrdiff_t>(known_tasks_);
  for (auto place = std::lower_bound(tasks.start_ns.begin(), known_end, start_ns);
       place != known_end && *place < end_ns; ++place) {
    const auto row = static_cast<std::uint32_t>(place - tasks.start_ns.begin());
    const bool is_part = trace_.strings.view(tasks.shown_type[row]).starts_with("MIX_");
    if (tasks.kernel[row] == kNone && is_part) return add_kernel(row, name);
  }
  return add_kernel(add_task(csv, columns, start_ns, end_ns), name);
}

std::string_view KernelTableReader::without_launch(std::string_view name) const {
  constexpr std::size_t kNowhere = std::string_view::npos;
  const std::size_t last = name.rfind('/');
  if (last == kNowhere || !format::mindspore::is_launch_name(name)) return name;
  // Names of both have slashes of their own: the timeline knows the operators.
  for (std::size_t slash = last; slash != kNowhere && slash > 0;
       slash = name.rfind('/', slash - 1)) {
    if (trace_.strings.find(name.substr(0, slash))) return name.substr(slash + 1);
  }
  return name.substr(last + 1);
}

std::uint32_t KernelTableReader::add_kernel(std::uint32_t task, StringId name) {
  trace::Kernels& kernels = trace_.kernels();
  append_kernel(kernels, KernelKind::kCompute, name);
  kernels.task.back() = task;
  const auto kernel = static_cast<std::uint32_t>(kernels.size() - 1);
  trace_.tasks().kernel[task] = kernel;
  for (auto& column : trace_.result_metrics.columns) column.values.push_back(kNoMetric);
  return kernel;
}

std::uint32_t KernelTableReader::add_task(const CsvFile& csv, const KernelColumns& columns,
                                          std::int64_t start_ns, std::int64_t end_ns) {
  trace::Tasks& tasks = trace_.tasks();
  const std::size_t row = tasks.size();
  resize_rows(tasks, row + 1);
  tasks.start_ns[row] = start_ns;
  tasks.end_ns[row] = end_ns;
  tasks.device[row] = device_of(csv, columns);
  tasks.stream[row] = static_cast<std::uint16_t>(csv.integer(columns.stream).value_or(0));
  // Level 0 has no numbers of tasks; without any, each is one of its own.
  const auto number = csv.integer(columns.task);
  tasks.task[row] = static_cast<std::uint32_t>(number.value_or(static_cast<std::int64_t>(row)));
  tasks.context[row] = static_cast<std::uint32_t>(csv.integer(columns.context).value_or(kNone));
  tasks.host_type[row] = trace::kNoHostType;
  tasks.launch[row] = kNone;
  tasks.api[row] = kNone;
  tasks.model_id[row] = static_cast<std::uint32_t>(csv.integer(columns.model).value_or(kNone));
  tasks.request_id[row] = kNone;
  tasks.copy_direction[row] = kNone;
  tasks.shown_type[row] = trace_.strings.intern(csv.cell(columns.core));
  return static_cast<std::uint32_t>(row);
}

void KernelTableReader::describe(const CsvFile& csv, const KernelColumns& columns,
                                 std::uint32_t kernel) {
  trace::Kernels& kernels = trace_.kernels();
  const auto text = [&](std::size_t column) {
    return trace_.strings.intern(known_text(csv.cell(column)));
  };
  if (columns.type != CsvFile::kNoColumn) kernels.op_type[kernel] = text(columns.type);
  if (columns.core != CsvFile::kNoColumn) kernels.task_type[kernel] = text(columns.core);
  kernels.block_num[kernel] = static_cast<std::uint32_t>(csv.integer(columns.blocks).value_or(0));
  kernels.mix_block_num[kernel] =
      static_cast<std::uint32_t>(csv.integer(columns.mix_blocks).value_or(0));
  const std::string_view state = csv.cell(columns.state);
  if (state == "static")
    kernels.op_state[kernel] = static_cast<std::uint8_t>(trace::OpState::kStatic);
  if (state == "dynamic")
    kernels.op_state[kernel] = static_cast<std::uint8_t>(trace::OpState::kDynamic);
  const std::string_view hf32 = csv.cell(columns.hf32);
  if (hf32 == "NO" || hf32 == "YES") kernels.hf32[kernel] = hf32 == "YES" ? 1 : 0;
  std::size_t tensor = 0;
  for (auto* column : {&kernels.input_shapes, &kernels.input_dtypes, &kernels.input_formats,
                       &kernels.output_shapes, &kernels.output_dtypes, &kernels.output_formats}) {
    const bool is_shape = tensor % 3 == 0;
    const std::string_view cell = known_text(csv.cell(columns.tensors[tensor++]));
    // Shapes are quoted in themselves, which writers that do not double the marks make look like
    // the quoting of the cell.
    const bool lacks_marks = is_shape && !cell.empty() && cell[0] != '"';
    (*column)[kernel] = lacks_marks ? trace_.strings.intern('"' + std::string(cell) + '"')
                                    : trace_.strings.intern(cell);
  }
  read_metrics(csv, columns, kernel);
}

std::vector<double>& KernelTableReader::metric(StringId name) {
  auto& columns = trace_.result_metrics.columns;
  const auto [place, is_new] =
      metric_of_name_.try_emplace(to_index(name), static_cast<std::uint32_t>(columns.size()));
  if (is_new) columns.push_back({name, std::vector(trace_.kernels().size(), kNoMetric)});
  return columns[place->second].values;
}

void KernelTableReader::read_metrics(const CsvFile& csv, const KernelColumns& columns,
                                     std::uint32_t kernel) {
  for (std::size_t i = 0; i < metric_names_.size(); ++i) {
    metric(metric_names_[i])[kernel] = csv.real(columns.first_metric + i).value_or(kNoMetric);
  }
}

void KernelTableReader::finish() {
  // A timeline has the steps themselves, with their times on the host.
  if (trace_.framework_ops().size() == 0 && trace_.api_calls().size() == 0) {
    steps_.append_to(trace_.steps());
  }
  if (trace_.collective_ops().size() > known_collectives_) sort_collectives(trace_);
  const trace::Tasks& tasks = trace_.tasks();
  trace::reorder<trace::Tasks>(trace_, device_order(tasks.device, tasks.start_ns));
  std::vector<std::uint32_t> kernels;
  for (const std::uint32_t kernel : trace_.tasks().kernel) {
    if (kernel != kNone) kernels.push_back(kernel);
  }
  trace::reorder<trace::Kernels>(trace_, kernels);
  std::map<std::uint16_t, bool> devices;
  for (const trace::DeviceInfo& device : trace_.devices) devices[device.id] = true;
  for (const std::uint16_t id : trace_.tasks().device) {
    if (!devices.try_emplace(id, true).second) continue;
    trace::DeviceInfo device;
    device.id = id;
    device.chip = kNone;
    trace_.devices.push_back(std::move(device));
  }
  set_host_types(trace_);
}

}  // namespace

bool read_kernel_tables(const std::vector<std::filesystem::path>& paths, Trace& trace,
                        trace::Losses& losses) {
  if (paths.empty()) return false;
  KernelTableReader reader(trace, losses);
  for (const std::filesystem::path& path : paths) reader.read(path);
  reader.finish();
  return reader.has_rows();
}

}  // namespace npuprof::load
