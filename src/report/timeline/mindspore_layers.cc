#include "report/timeline/mindspore_layers.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_set>

#include "base/sort_order.h"
#include "base/text.h"
#include "format/mindspore/cpu_text.h"
#include "report/timeline/sinks.h"
#include "trace/framework/cpu_ops.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/mindspore_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

using trace::kNone;

// MindSpore's numbers for its layers; those of CANN are far above.
constexpr Layer kMindSporeLayer{layer::kMindSpore, 1, true};
constexpr Layer kCpuOpLayer{layer::kCpuOperators, 2, true};
constexpr Layer kScopeLayer{layer::kScopes, 12, false};
constexpr std::uint64_t kMindSporePid = 1;
constexpr std::uint64_t kCpuOpPid = 2;
constexpr std::uint64_t kScopePid = 3;

template <typename Sink>
void write_threads(std::uint64_t pid, std::initializer_list<const std::vector<std::uint32_t>*> tids,
                   Sink& sink) {
  std::unordered_set<std::uint32_t> known;
  for (const auto* column : tids) {
    for (const std::uint32_t tid : *column) {
      if (known.insert(tid).second) sink.lane(pid, tid, "Thread " + std::to_string(tid), tid);
    }
  }
}

template <typename Sink>
void write_ranges(const TimelineContext& context, Sink& sink) {
  const auto& ops = context.trace.framework_ops();
  const auto& details = context.trace.mindspore_ops();  // In their order, or empty.
  sink.slices(
      ops.size(),
      [&ops](std::size_t i) {
        return SlicePlace{kMindSporePid, ops.tid[i], ops.start_ns[i], ops.end_ns[i]};
      },
      [&ops, &details, &context](auto& event, std::size_t i) {
        event.name(context.view(ops.name[i])).category("");
        if (ops.has_inputs[i] != 0) {
          event.lines(argument::kInputShapes, context.view(ops.input_shapes[i]));
          event.lines(argument::kInputTypes, context.view(ops.input_dtypes[i]));
        }
        if (i < details.size() && details.custom_info[i] != kEmptyString) {
          event.argument(argument::kCustomInfo, context.view(details.custom_info[i]));
        }
        context.operator_arrows.put(event, i);
      });
  const auto& calls = context.trace.python_calls();
  sink.slices(
      calls.size(),
      [&calls](std::size_t i) {
        return SlicePlace{kMindSporePid, calls.tid[i], calls.start_ns[i], calls.end_ns[i]};
      },
      [&calls, &context](auto& event, std::size_t i) {
        event.name(context.view(calls.name[i])).category(category::kPythonCall);
      });
}

template <typename Sink>
void write_cpu_ops(const TimelineContext& context, Sink& sink) {
  const auto& ops = context.trace.cpu_ops();
  if (ops.size() == 0) return;
  sink.layer(kCpuOpLayer, kCpuOpPid, 0);
  write_threads(kCpuOpPid, {&ops.tid}, sink);
  sink.slices(
      ops.size(),
      [&ops](std::size_t i) {
        return SlicePlace{kCpuOpPid, ops.tid[i], ops.start_ns[i], ops.end_ns[i]};
      },
      [&ops, &context](auto& event, std::size_t i) {
        event.name(context.view(ops.name[i])).category("");
        event.argument("type", format::mindspore::CpuOpTimes::kTypeText);
      });
}

// A kernel of the network, with the scopes in its name.
struct ScopedKernel {
  std::string_view path;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

bool has_scopes(std::string_view name) {
  constexpr std::array<std::string_view, 3> kRoots = {"Default", "Gradients", "recompute_Default"};
  return std::any_of(kRoots.begin(), kRoots.end(),
                     [&](std::string_view root) { return name.starts_with(root); });
}

// Of two names the one with scopes; if both have them, the longer one.
std::string_view scoped_name(std::string_view name, std::string_view launched) {
  if (!has_scopes(launched)) return name;
  return has_scopes(name) && name.size() >= launched.size() ? name : launched;
}

std::vector<ScopedKernel> scoped_kernels(const TimelineContext& context) {
  std::vector<ScopedKernel> kernels;
  const auto& tasks = context.trace.tasks();
  for (const std::uint32_t task : context.shown_tasks) {
    const std::uint32_t kernel = tasks.kernel[task].number();
    const std::uint32_t launch = context.mindspore_launches[task];
    if (kernel == kNone) continue;
    const std::string_view name = context.view(context.trace.kernels().name[kernel]);
    std::string_view launched;
    if (launch != kNone) {
      launched = context.view(context.trace.framework_ops().name[launch]);
      const std::size_t colons = launched.rfind("::");
      if (colons != std::string_view::npos) launched.remove_prefix(colons + 2);
    }
    if (!has_scopes(name) && !has_scopes(launched)) continue;
    kernels.push_back({scoped_name(name, launched), tasks.start_ns[task], tasks.end_ns[task]});
  }
  const auto& ops = context.trace.cpu_ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::string_view name = context.view(ops.name[i]);
    if (has_scopes(name)) kernels.push_back({name, ops.start_ns[i], ops.end_ns[i]});
  }
  std::stable_sort(
      kernels.begin(), kernels.end(),
      [](const ScopedKernel& a, const ScopedKernel& b) { return a.start_ns < b.start_ns; });
  return kernels;
}

}  // namespace

std::vector<ScopeSlice> scope_slices(const TimelineContext& context) {
  std::vector<ScopeSlice> closed;
  std::vector<ScopeSlice> open;
  const auto close_from = [&](std::size_t level) {
    closed.insert(closed.end(), open.begin() + static_cast<std::ptrdiff_t>(level), open.end());
    open.resize(level);
  };
  for (const ScopedKernel& kernel : scoped_kernels(context)) {
    // Kernels of other streams run at the same time; one of them is shown.
    if (!open.empty() && kernel.start_ns < open.front().end_ns) continue;
    std::vector<std::string_view> path = split(kernel.path, '/');
    path.pop_back();  // The operator itself.
    std::size_t level = 0;
    for (; level < path.size() && level < open.size(); ++level) {
      if (open[level].name != path[level]) break;
      open[level].end_ns = kernel.end_ns;
    }
    close_from(level);
    for (; level < path.size(); ++level) {
      open.push_back(
          {static_cast<std::uint32_t>(level), path[level], kernel.start_ns, kernel.end_ns});
    }
  }
  close_from(0);
  std::stable_sort(closed.begin(), closed.end(), [](const ScopeSlice& a, const ScopeSlice& b) {
    return a.level != b.level ? a.level < b.level : a.start_ns < b.start_ns;
  });
  return closed;
}

template <typename Sink>
void write_mindspore_layers(const TimelineContext& context, Sink& sink) {
  const trace::Trace& trace = context.trace;
  if (trace.framework_ops().size() + trace.python_calls().size() > 0) {
    sink.layer(kMindSporeLayer, kMindSporePid, 0);
    write_threads(kMindSporePid, {&trace.framework_ops().tid, &trace.python_calls().tid}, sink);
    write_ranges(context, sink);
  }
  write_cpu_ops(context, sink);
}

template <typename Sink>
void write_scope_layer(const TimelineContext& context, Sink& sink) {
  const auto slices = std::make_shared<const std::vector<ScopeSlice>>(scope_slices(context));
  if (slices->empty()) return;
  const std::uint32_t device = context.trace.devices.empty() ? 0 : context.trace.devices[0].id;
  sink.layer(kScopeLayer, kScopePid, device);
  for (std::uint32_t level = 0; level <= slices->back().level; ++level) {
    sink.lane(kScopePid, level, "layer" + std::to_string(level), level);
  }
  sink.slices(
      slices->size(),
      [slices](std::size_t i) {
        const ScopeSlice& slice = (*slices)[i];
        return SlicePlace{kScopePid, slice.level, slice.start_ns, slice.end_ns};
      },
      [slices](auto& event, std::size_t i) { event.name((*slices)[i].name).category(""); });
}

#define NPUPROF_INSTANTIATE(Sink)                                      \
  template void write_mindspore_layers(const TimelineContext&, Sink&); \
  template void write_scope_layer(const TimelineContext&, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
