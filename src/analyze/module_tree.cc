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

// Nests the modules too.
std::vector<BackwardOp> backward_ops(const trace::Trace& trace, std::vector<ModuleRange>& marked,
                                     ModulePaths& paths) {
  const auto& pairs = trace.forward_backward();
  const auto& ops = trace.framework_ops();
  const std::vector<std::uint32_t> forward(pairs.forward.begin(), pairs.forward.end());
  const std::vector<std::uint32_t> module_of = nest_modules(marked, paths, ops, forward);
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
                                        const trace::FrameworkOps& ops,
                                        std::span<const std::uint32_t> rows) {
  const auto time_of_module = [&](std::uint32_t module) {
    return TimeInterval{modules[module].start_ns, modules[module].end_ns};
  };
  const auto time_of_op = [&](std::uint32_t place) {
    return TimeInterval{ops.start_ns[std::size_t{rows[place]}],
                        ops.end_ns[std::size_t{rows[place]}]};
  };
  const std::vector<std::uint32_t> modules_in_order =
      nesting_order_of(modules.size(), time_of_module);
  const std::vector<std::uint32_t> ops_in_order = nesting_order_of(rows.size(), time_of_op);
  std::vector<std::uint32_t> module_of(rows.size(), kNone);
  std::vector<std::uint32_t> open;
  const auto innermost = [&](const TimeInterval& time) {
    while (!open.empty() && !module_contains(modules[open.back()], time.start_ns, time.end_ns)) {
      open.pop_back();
    }
    return open.empty() ? kNone : open.back();
  };
  visit_nested(
      modules.size(), [&](std::size_t i) { return time_of_module(modules_in_order[i]); },
      rows.size(), [&](std::size_t i) { return time_of_op(ops_in_order[i]); },
      [&](std::size_t i, const TimeInterval& time) {
        const std::uint32_t module = modules_in_order[i];
        place_below(modules[module], innermost(time), modules, paths);
        open.push_back(module);
      },
      [&](std::size_t i, const TimeInterval& time) {
        const std::uint32_t parent = innermost(time);
        if (parent != kNone && modules[parent].depth <= kDeepestModule) {
          module_of[ops_in_order[i]] = parent;
        }
      });
  return module_of;
}

std::vector<ModuleRange> marked_modules(const trace::Trace& trace, ModulePaths& paths) {
  std::vector<ModuleRange> modules;
  const auto domain = trace.strings.find(kModuleDomain);
  if (!domain) return modules;
  const auto& marks = trace.marks();
  modules.reserve(marks.size());
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

void add_backward_modules(const trace::Trace& trace, std::vector<ModuleRange>& modules,
                          ModulePaths& paths) {
  const std::vector<BackwardOp> ops = backward_ops(trace, modules, paths);
  const auto run_end = [&](std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < ops.size() && ops[end].module == ops[begin].module) ++end;
    return end;
  };
  std::size_t runs = 0;
  for (std::size_t begin = 0; begin < ops.size(); begin = run_end(begin)) ++runs;
  modules.reserve(modules.size() + 2 * runs);
  for (std::size_t begin = 0; begin < ops.size();) {
    const std::size_t end = run_end(begin);
    const std::int64_t start_ns = ops[begin].start_ns;
    std::int64_t end_ns = ops[begin].end_ns;
    for (std::size_t i = begin; i < end; ++i) end_ns = std::max(end_ns, ops[i].end_ns);
    const ModuleRange& module = modules[ops[begin].module];
    const StringId name = module.name;
    if (module.parent_path != kEmptyString) {
      modules.push_back({.start_ns = saturated_difference(start_ns, 1),
                         .end_ns = saturated_sum(end_ns, 1),
                         .name = module.parent_path,
                         .is_backward = true});
    }
    modules.push_back({.start_ns = start_ns, .end_ns = end_ns, .name = name, .is_backward = true});
    begin = end;
  }
}

}  // namespace npuprof::analyze
