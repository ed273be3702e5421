#include "analyze/profile_parts.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "analyze/operator_times.h"
#include "analyze/step_finder.h"
#include "analyze/task_modules.h"
#include "base/saturated.h"
#include "format/host/enumerations.h"
#include "trace/framework/allocations.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::uint8_t kNpuMemory = 20;  // MemoryEvents::device_type.

// Series by a number that stands for their key.
class SeriesByNumber {
 public:
  SeriesByNumber(std::vector<PartSeries>& series, std::size_t steps)
      : series_(series), steps_(steps) {}

  // `name` gives key and detail of a new series.
  template <typename Name>
  std::uint32_t place(std::uint64_t number, const Name& name) {
    const auto [found, is_new] =
        places_.try_emplace(number, static_cast<std::uint32_t>(series_.size()));
    if (is_new) {
      PartSeries& added = series_.emplace_back();
      name(added);
      added.counts.assign(steps_, 0);
      added.ns.assign(steps_, 0);
    }
    return found->second;
  }

  void add(std::uint32_t place, std::uint32_t step, std::int64_t ns) {
    ++series_[place].counts[step];
    add_saturated(series_[place].ns[step], ns);
  }

 private:
  std::vector<PartSeries>& series_;
  std::size_t steps_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;
};

std::uint16_t busiest_device(const trace::Trace& trace, std::size_t& device_count) {
  std::map<std::uint16_t, std::size_t> kernels;
  for (const auto task : trace.kernels().task) ++kernels[trace.tasks().device[task]];
  for (const std::uint16_t device : trace.collective_ops().device) ++kernels[device];
  device_count = kernels.size();
  const auto most =
      std::max_element(kernels.begin(), kernels.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == kernels.end() ? std::uint16_t{0} : most->first;
}

// By row of FrameworkOps: the row of the operator that the program called. What such an operator
// launches kernels through ("aclnnMm", "Conv2D", "record_param_comms") counts to it, since other
// devices and other releases have other ways.
std::vector<std::uint32_t> called_operators(const trace::Trace& trace,
                                            const std::vector<std::uint32_t>& by_start) {
  const auto& ops = trace.framework_ops();
  std::vector<std::uint8_t> is_called(trace.strings.size());
  for (std::uint32_t id = 0; id < is_called.size(); ++id) {
    const std::string_view name = trace.strings.view(StringId{id});
    const bool is_of_library = name.find("::") != std::string_view::npos;
    is_called[id] = is_of_library && !name.starts_with("autograd::") ? 1 : 0;
  }
  std::vector<std::uint32_t> innermost(ops.size(), kNone);  // That was called, around each.
  std::vector<std::uint32_t> called(ops.size());
  std::iota(called.begin(), called.end(), 0U);
  for (const std::uint32_t op : by_start) {  // Parents come first in this order.
    const std::uint32_t parent = ops.parent[op];
    if (is_called[to_index(ops.name[op])] != 0) {
      innermost[op] = op;
    } else if (parent != kNone) {
      innermost[op] = innermost[parent];
    }
    if (innermost[op] != kNone) called[op] = innermost[op];
  }
  return called;
}

class PartCollector {
 public:
  explicit PartCollector(const trace::Trace& trace)
      : trace_(trace),
        places_(trace),
        by_start_(operators_by_start(trace)),
        called_(called_operators(trace, by_start_)),
        op_of_task_(trace.tasks().size(), kNone),
        modules_(task_modules(trace)) {
    parts_.device = busiest_device(trace, parts_.device_count);
    parts_.steps = places_.ids();
    for (std::size_t i = 0; i < trace.kernel_ops().size(); ++i) {
      op_of_task_[trace.kernel_ops().task[i]] = called_[trace.kernel_ops().op[i]];
    }
  }

  ProfileParts collect() {
    add_operators();
    add_device_work();
    add_collectives();
    add_calls();
    add_memory();
    add_kernel_sums();
    std::vector<StringId> names(op_of_task_.size());
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = operator_name(i);
    parts_.overall = overall_parts(trace_, parts_.device, places_, names);
    return std::move(parts_);
  }

 private:
  std::size_t step_count() const { return places_.count(); }
  StringId operator_name(std::size_t task) const {
    const std::uint32_t op = op_of_task_[task];
    return op == kNone ? kEmptyString : trace_.framework_ops().name[op];
  }
  std::string text(StringId id) const { return std::string(trace_.strings.view(id)); }

  // Places of operators' names in parts_.operators; step marks are none.
  void add_operators() {
    const auto& ops = trace_.framework_ops();
    const OperatorTimes times = operator_times(trace_);
    SeriesByNumber series(parts_.operators, step_count());
    operator_place_.assign(trace_.strings.size(), kNone);
    for (const std::uint32_t op : by_start_) {
      const std::uint32_t step = places_.of_host_time(ops.start_ns[op]);
      if (step == kNone) continue;
      const StringId name = ops.name[called_[op]];
      const std::uint32_t place = series.place(to_index(name), [&](PartSeries& added) {
        added.key = text(name);
        added.host_ns.assign(step_count(), 0);
        added.bytes.assign(step_count(), 0);
      });
      operator_place_[to_index(name)] = place;
      // A call counts once, whatever it launches through.
      if (called_[op] == op) ++parts_.operators[place].counts[step];
      add_saturated(parts_.operators[place].ns[step], times.device_self_ns[op]);
      add_saturated(parts_.operators[place].host_ns[step], times.host_self_ns[op]);
    }
    add_allocations();
  }

  void add_allocations() {
    const auto& events = trace_.memory_events();
    for (const auto event : trace_.allocations().malloc_event) {
      const std::uint32_t owner = events.owner[event];
      if (owner == kNone) continue;
      const std::uint32_t place =
          operator_place_[to_index(trace_.framework_ops().name[called_[owner]])];
      const std::uint32_t step = places_.of_host_time(events.time_ns[event]);
      if (place == kNone || step == kNone) continue;
      add_saturated(parts_.operators[place].bytes[step], events.size_bytes[event]);
    }
  }

  // Kernels, and copies that are no part of a collective.
  void add_device_work() {
    const auto& tasks = trace_.tasks();
    std::vector<std::uint8_t> is_communication(tasks.size());
    for (const auto task : trace_.collective_tasks().task) {
      if (task != kNone) is_communication[task] = 1;
    }
    const auto foreign = trace_.strings.find("GPU");
    SeriesByNumber kernels(parts_.kernels, step_count());
    SeriesByNumber modules(parts_.modules, step_count());
    for (std::uint32_t task = 0; task < tasks.size(); ++task) {
      if (tasks.device[task] != parts_.device) continue;
      parts_.is_foreign = parts_.is_foreign || (foreign && tasks.shown_type[task] == *foreign);
      const std::uint32_t step = places_.of_device_time(tasks.start_ns[task]);
      if (step == kNone || is_communication[task] != 0) continue;
      const std::uint32_t kernel = kernel_place(kernels, task);
      if (kernel == kNone) continue;
      const std::int64_t ns = saturated_difference(tasks.end_ns[task], tasks.start_ns[task]);
      kernels.add(kernel, step, ns);
      add_shares(modules, task, kernel, step, ns);
    }
    finish_shares(operator_shares_, parts_.operator_kernels);
    finish_shares(module_shares_, parts_.module_kernels);
  }

  // Place in parts_.kernels; kNone if the task is no work of that kind.
  std::uint32_t kernel_place(SeriesByNumber& series, std::uint32_t task) {
    constexpr std::uint64_t kCopies = std::uint64_t{1} << 63;
    const auto& tasks = trace_.tasks();
    const std::uint32_t row = tasks.kernel[task];
    const std::string_view op = trace_.strings.view(operator_name(task));
    if (row == kNone) {
      const std::uint32_t direction = tasks.copy_direction[task];
      if (direction == kNone) return kNone;
      return series.place(kCopies | direction, [&](PartSeries& added) {
        added.key = "copy: ";
        added.key += format::host::memcpy_direction_name(direction);
        added.kernel_class = KernelClass::kCopy;
      });
    }
    const auto& kernels = trace_.kernels();
    if (kernels.kind[row] != static_cast<std::uint8_t>(trace::KernelKind::kCompute)) return kNone;
    const StringId type =
        kernels.op_type[row] != kEmptyString ? kernels.op_type[row] : kernels.name[row];
    const StringId shapes = kernels.input_shapes[row];
    return series.place(std::uint64_t{to_index(type)} << 32 | to_index(shapes),
                        [&](PartSeries& added) {
                          added.key = text(type);
                          added.detail = text(shapes);
                          added.kernel_class = kernel_class(added.key, op);
                        });
  }

  void add_shares(SeriesByNumber& modules, std::uint32_t task, std::uint32_t kernel,
                  std::uint32_t step, std::int64_t ns) {
    const StringId name = operator_name(task);
    const std::uint32_t op = name == kEmptyString ? kNone : operator_place_[to_index(name)];
    if (op != kNone) add_share(operator_shares_, op, kernel, ns);
    const std::uint32_t path = modules_.of_task[task];
    if (path == kNone) return;
    const std::uint32_t module =
        modules.place(path, [&](PartSeries& added) { added.key = modules_.paths[path]; });
    modules.add(module, step, ns);
    add_share(module_shares_, module, kernel, ns);
  }

  using Shares = std::unordered_map<std::uint64_t, PartKernel>;
  static void add_share(Shares& shares, std::uint32_t part, std::uint32_t kernel, std::int64_t ns) {
    PartKernel& share = shares[std::uint64_t{part} << 32 | kernel];
    share.part = part;
    share.kernel = kernel;
    ++share.count;
    add_saturated(share.ns, ns);
  }
  static void finish_shares(Shares& shares, std::vector<PartKernel>& list) {
    for (const auto& [key, share] : shares) list.push_back(share);
    std::sort(list.begin(), list.end(), [](const PartKernel& a, const PartKernel& b) {
      return std::pair(a.part, a.kernel) < std::pair(b.part, b.kernel);
    });
  }

  void add_collectives() {
    const auto& ops = trace_.collective_ops();
    SeriesByNumber series(parts_.collectives, step_count());
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const std::uint32_t step = places_.of_device_time(ops.start_ns[i]);
      if (ops.device[i] != parts_.device || step == kNone) continue;
      const StringId type = ops.type[i] != kEmptyString ? ops.type[i] : ops.name[i];
      const std::uint32_t place =
          series.place(to_index(type), [&](PartSeries& added) { added.key = text(type); });
      series.add(place, step, saturated_difference(ops.end_ns[i], ops.start_ns[i]));
    }
  }

  void add_calls() {
    const auto& calls = trace_.api_calls();
    SeriesByNumber series(parts_.calls, step_count());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::uint32_t step = places_.of_host_time(calls.start_ns[i]);
      if (step == kNone || calls.name[i] == kEmptyString) continue;
      const std::uint32_t place = series.place(
          to_index(calls.name[i]), [&](PartSeries& added) { added.key = text(calls.name[i]); });
      series.add(place, step, saturated_difference(calls.end_ns[i], calls.start_ns[i]));
    }
  }

  void add_memory() {
    const auto& events = trace_.memory_events();
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events.device_type[i] != kNpuMemory) continue;
      const std::uint32_t step = places_.of_host_time(events.time_ns[i]);
      if (step == kNone) continue;
      parts_.allocated_bytes.resize(step_count());
      parts_.reserved_bytes.resize(step_count());
      std::int64_t& allocated = parts_.allocated_bytes[step];
      std::int64_t& reserved = parts_.reserved_bytes[step];
      allocated = std::max(allocated, events.total_allocated_bytes[i]);
      reserved = std::max(reserved, events.total_reserved_bytes[i]);
    }
  }

  static void add_series(PartSeries& sum, const PartSeries& series) {
    for (std::size_t step = 0; step < sum.ns.size(); ++step) {
      sum.counts[step] += series.counts[step];
      add_saturated(sum.ns[step], series.ns[step]);
    }
  }

  void add_kernel_sums() {
    std::map<std::string_view, std::size_t> types;
    for (const PartSeries& kernel : parts_.kernels) {
      const auto [found, is_new] = types.try_emplace(kernel.key, parts_.kernel_types.size());
      if (is_new) {
        parts_.kernel_types.push_back(kernel);
        parts_.kernel_types.back().detail.clear();
      } else {
        add_series(parts_.kernel_types[found->second], kernel);
      }
    }
    for (std::size_t i = 0; i < kKernelClasses; ++i) {
      PartSeries& sum = parts_.kernel_classes.emplace_back();
      sum.kernel_class = static_cast<KernelClass>(i);
      sum.key = kernel_class_name(sum.kernel_class);
      sum.counts.assign(step_count(), 0);
      sum.ns.assign(step_count(), 0);
    }
    const auto add = [&](KernelClass kind, const PartSeries& series) {
      add_series(parts_.kernel_classes[static_cast<std::size_t>(kind)], series);
    };
    for (const PartSeries& kernel : parts_.kernels) add(kernel.kernel_class, kernel);
    for (const PartSeries& series : parts_.collectives) add(KernelClass::kCommunication, series);
  }

  const trace::Trace& trace_;
  StepPlaces places_;
  std::vector<std::uint32_t> by_start_;  // Rows of FrameworkOps.
  std::vector<std::uint32_t> called_;    // By row of FrameworkOps.
  std::vector<std::uint32_t> op_of_task_;
  TaskModules modules_;
  std::vector<std::uint32_t> operator_place_;  // By string id of the name.
  Shares operator_shares_;
  Shares module_shares_;
  ProfileParts parts_;
};

}  // namespace

std::uint64_t PartSeries::total_count() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::int64_t PartSeries::total_ns() const {
  return std::accumulate(ns.begin(), ns.end(), std::int64_t{0}, saturated_sum);
}

struct StepPlaces::Finder {
  explicit Finder(const trace::Trace& trace)
      : steps(trace.steps()), device(trace.steps(), StepFinder::End::kExcluded) {}

  const trace::Steps& steps;
  StepFinder device;
  std::vector<std::uint32_t> place_of_row;
  std::vector<std::uint32_t> by_host_start;  // Rows.
};

StepPlaces::StepPlaces(const trace::Trace& trace) : finder_(std::make_unique<Finder>(trace)) {
  finder_->place_of_row.assign(trace.steps().size(), kNone);
  for (const std::uint32_t row : finder_->device.rows()) {
    finder_->place_of_row[row] = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(trace.steps().id[row]);
  }
  finder_->by_host_start = finder_->device.rows();
  std::stable_sort(finder_->by_host_start.begin(), finder_->by_host_start.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return trace.steps().host_start_ns[a] < trace.steps().host_start_ns[b];
                   });
}

StepPlaces::~StepPlaces() = default;

std::uint32_t StepPlaces::of_device_time(std::int64_t time_ns) const {
  if (ids_.empty()) return 0;
  const std::uint32_t row = finder_->device.find(time_ns);
  return row == kNone ? kNone : finder_->place_of_row[row];
}

std::uint32_t StepPlaces::of_host_time(std::int64_t time_ns) const {
  if (ids_.empty()) return 0;
  const auto& rows = finder_->by_host_start;
  const auto behind = std::partition_point(rows.begin(), rows.end(), [&](std::uint32_t row) {
    return finder_->steps.host_start_ns[row] <= time_ns;
  });
  if (behind == rows.begin()) return kNone;
  const std::uint32_t row = *(behind - 1);
  return time_ns < finder_->steps.host_end_ns[row] ? finder_->place_of_row[row] : kNone;
}

ProfileParts profile_parts(const trace::Trace& trace) { return PartCollector(trace).collect(); }

}  // namespace npuprof::analyze
