#include "analyze/module_tree.h"

#include <algorithm>
#include <string>

#include "base/saturated.h"
#include "base/sort_order.h"
#include "format/host/msproftx.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/marks.h"
#include "trace/linked/forward_backward.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::uint32_t kDeepestModule = 20;
constexpr StringId kNoText{kNone};

bool module_contains(const ModuleRange& module, std::int64_t start_ns, std::int64_t end_ns) {
  return module.start_ns <= start_ns && module.end_ns >= end_ns;
}

void place_below(ModuleRange& module, std::uint32_t parent, const std::vector<ModuleRange>& modules,
                 ModulePaths& paths) {
  module.parent = parent;
  if (parent != kNone) {
    const ModuleRange& around = modules[parent];
    module.parent_path = around.path;
    module.depth = around.depth + 1;
    module.is_backward = module.is_backward || around.is_backward;
  } else {
    module.parent_path = kEmptyString;
    module.depth = 1;
  }
  module.path = paths.join(module.parent_path, module.name);
}

// An operator of the backward pass, with the module of its forward operator.
struct BackwardOp {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint32_t module;
};

std::vector<BackwardOp> backward_ops(const trace::Trace& trace, std::vector<ModuleRange> marked,
                                     ModulePaths& paths) {
  const auto& pairs = trace.forward_backward();
  const auto& ops = trace.framework_ops();
  std::vector<OperatorSpan> forward(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    forward[i] = {ops.start_ns[pairs.forward[i]], ops.end_ns[pairs.forward[i]]};
  }
  const std::vector<std::uint32_t> module_of = nest_modules(marked, paths, forward);
  std::vector<BackwardOp> found;
  found.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (module_of[i] == kNone) continue;
    const auto backward = pairs.backward[i];
    found.push_back({ops.start_ns[backward], ops.end_ns[backward], module_of[i]});
  }
  std::stable_sort(found.begin(), found.end(), [](const BackwardOp& a, const BackwardOp& b) {
    return a.start_ns < b.start_ns;
  });
  return found;
}

}  // namespace

StringId ModulePaths::own(StringId name_of_trace) {
  const std::size_t index = to_index(name_of_trace);
  if (index >= own_.size()) own_.resize(std::max(names_->size(), index + 1), kNoText);
  if (own_[index] == kNoText) own_[index] = texts_.intern(names_->view(name_of_trace));
  return own_[index];
}

StringId ModulePaths::join(StringId path, StringId name) {
  if (path == kEmptyString) return name;
  const std::uint64_t key = std::uint64_t{to_index(path)} << 32 | to_index(name);
  const auto [place, is_new] = joined_.try_emplace(key, kEmptyString);
  if (is_new) {
    std::string text(texts_.view(path));
    text += '/';
    text += texts_.view(name);
    place->second = texts_.intern(text);
  }
  return place->second;
}

StringId ModulePaths::backward(StringId name) {
  const std::uint64_t key = std::uint64_t{kNone} << 32 | to_index(name);
  const auto [place, is_new] = joined_.try_emplace(key, kEmptyString);
  if (is_new) place->second = texts_.intern("[Backward]" + std::string(texts_.view(name)));
  return place->second;
}

StringId ModulePaths::numbered(StringId name, std::uint32_t number) {
  return texts_.intern(std::string(texts_.view(name)) + '_' + std::to_string(number));
}

std::vector<std::uint32_t> nest_modules(std::vector<ModuleRange>& modules, ModulePaths& paths,
                                        std::span<const OperatorSpan> operators) {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  starts.reserve(modules.size() + operators.size());
  ends.reserve(modules.size() + operators.size());
  for (const ModuleRange& module : modules) {
    starts.push_back(module.start_ns);
    ends.push_back(module.end_ns);
  }
  for (const OperatorSpan& op : operators) {
    starts.push_back(op.start_ns);
    ends.push_back(op.end_ns);
  }
  std::vector<std::uint32_t> module_of(operators.size(), kNone);
  std::vector<std::uint32_t> open;
  for (const std::uint32_t node : nesting_order(starts, ends, EqualIntervals::kFirstIsOuter)) {
    while (!open.empty() && !module_contains(modules[open.back()], starts[node], ends[node])) {
      open.pop_back();
    }
    const std::uint32_t parent = open.empty() ? kNone : open.back();
    if (node < modules.size()) {
      place_below(modules[node], parent, modules, paths);
      open.push_back(node);
    } else if (parent != kNone && modules[parent].depth <= kDeepestModule) {
      module_of[node - modules.size()] = parent;
    }
  }
  return module_of;
}

std::vector<ModuleRange> marked_modules(const trace::Trace& trace, ModulePaths& paths) {
  std::vector<ModuleRange> modules;
  const auto domain = trace.strings.find(kModuleDomain);
  if (!domain) return modules;
  const auto& marks = trace.marks();
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks.domain[i] != *domain || marks.event_type[i] != format::host::Msproftx::kStartEnd) {
      continue;
    }
    modules.push_back({.start_ns = marks.start_ns[i],
                       .end_ns = marks.end_ns[i],
                       .name = paths.own(marks.message[i])});
  }
  return modules;
}

std::vector<ModuleRange> backward_modules(const trace::Trace& trace,
                                          const std::vector<ModuleRange>& marked,
                                          ModulePaths& paths) {
  std::vector<ModuleRange> nested = marked;
  nest_modules(nested, paths, {});
  const std::vector<BackwardOp> ops = backward_ops(trace, marked, paths);
  std::vector<ModuleRange> ranges;
  for (std::size_t begin = 0; begin < ops.size();) {
    const ModuleRange& module = nested[ops[begin].module];
    std::int64_t end_ns = ops[begin].end_ns;
    std::size_t end = begin + 1;
    for (; end < ops.size() && ops[end].module == ops[begin].module; ++end) {
      end_ns = std::max(end_ns, ops[end].end_ns);
    }
    const std::int64_t start_ns = ops[begin].start_ns;
    if (module.parent_path != kEmptyString) {
      ranges.push_back({.start_ns = saturated_difference(start_ns, 1),
                        .end_ns = saturated_sum(end_ns, 1),
                        .name = module.parent_path,
                        .is_backward = true});
    }
    ranges.push_back(
        {.start_ns = start_ns, .end_ns = end_ns, .name = module.name, .is_backward = true});
    begin = end;
  }
  return ranges;
}

}  // namespace npuprof::analyze
