#include "analyze/pipeline_passes.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analyze/collective_groups.h"
#include "analyze/computing_time.h"
#include "analyze/group_names.h"
#include "analyze/kernel_class.h"
#include "analyze/module_tree.h"
#include "analyze/step_finder.h"
#include "analyze/task_operators.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/device_marks.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

std::optional<PassKind> kind_of_mark(std::string_view message) {
  if (contains_word(message, "weightgradstore_pop")) return PassKind::kWeight;
  const bool is_forward = contains_word(message, "forward");
  if (is_forward == contains_word(message, "backward")) return std::nullopt;
  return is_forward ? PassKind::kForward : PassKind::kBackward;
}

void sort_passes(std::vector<PipelinePass>& passes) {
  std::stable_sort(passes.begin(), passes.end(), [](const PipelinePass& a, const PipelinePass& b) {
    return std::tuple(a.device, a.start_ns, b.end_ns) < std::tuple(b.device, b.start_ns, a.end_ns);
  });
}

// Ranges inside others are parts of a pass.
void keep_outer(std::vector<PipelinePass>& passes) {
  sort_passes(passes);
  std::size_t kept = 0;
  for (const PipelinePass& pass : passes) {
    if (kept > 0 && passes[kept - 1].device == pass.device &&
        passes[kept - 1].end_ns >= pass.end_ns) {
      continue;
    }
    passes[kept++] = pass;
  }
  passes.resize(kept);
}

// Empty unless both directions are told.
std::vector<PipelinePass> marked_passes(const trace::Trace& trace) {
  const auto& marks = trace.marks();
  const auto& seen = trace.device_marks();
  const auto modules = trace.strings.find(kModuleDomain);
  std::map<StringId, std::optional<PassKind>> kinds;
  std::array<std::vector<PipelinePass>, kPassKinds> found;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::uint32_t mark = seen.mark[i];
    if (mark == kNone || seen.end_ns[i] <= seen.start_ns[i]) continue;
    if (modules && marks.domain[std::size_t{mark}] == *modules) continue;
    const StringId message = marks.message[std::size_t{mark}];
    const auto [known, is_new] = kinds.try_emplace(message);
    if (is_new) known->second = kind_of_mark(trace.strings.view(message));
    if (!known->second) continue;
    found[static_cast<std::size_t>(*known->second)].push_back({.kind = *known->second,
                                                               .device = seen.device[i],
                                                               .start_ns = seen.start_ns[i],
                                                               .end_ns = seen.end_ns[i]});
  }
  std::vector<PipelinePass> passes;
  if (found[0].empty() || found[1].empty()) return passes;
  for (auto& list : found) passes.insert(passes.end(), list.begin(), list.end());
  keep_outer(passes);
  return passes;
}

// NCCL runs exchanges of many ranks by the same kernels as those of two.
bool is_transfer(std::string_view type) {
  return transfer_sides(type).any() && !contains_word(type, "nccl");
}

// Of a pipeline, where groups have names that tell; else all there are.
std::vector<std::uint32_t> transfers_between_stages(const trace::Trace& trace) {
  const auto& ops = trace.collective_ops();
  const auto facts = group_facts(trace);
  const auto is_pipeline = [&](const auto& group) { return group.second.name.starts_with("pp"); };
  const bool is_named = std::any_of(facts.begin(), facts.end(), is_pipeline);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (!is_transfer(collective_type(trace, i))) continue;
    const auto group = facts.find(trace.strings.view(ops.group[i]));
    if (is_named && (group == facts.end() || !is_pipeline(*group))) continue;
    rows.push_back(i);
  }
  return rows;
}

// Which side of autograd operators are on.
class OperatorSides {
 public:
  explicit OperatorSides(const trace::Trace& trace)
      : ops_(trace.framework_ops()), is_forward_(ops_.size()), forward_of_(ops_.size(), kNone) {
    const auto& pairs = trace.forward_backward();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      is_forward_[pairs.forward[i]] = 1;
      forward_of_[pairs.backward[i]] = pairs.forward[i];
    }
  }

  struct Side {
    std::uint32_t op = kNone;  // The outermost one that is on a side; kNone = on none.
    bool is_backward = false;
    std::uint32_t forward_op = kNone;  // Of a backward side, if it is known.
  };
  // Outer operators decide: what is computed again for the backward pass is part of that.
  Side of(std::uint32_t op) const {
    Side side;
    for (; op != kNone; op = ops_.parent[std::size_t{op}]) {
      const bool is_backward =
          forward_of_[op] != kNone || ops_.forward_thread[std::size_t{op}] != 0;
      if (!is_backward && is_forward_[op] == 0) continue;
      side.op = op;
      side.is_backward = is_backward;
      if (forward_of_[op] != kNone) side.forward_op = forward_of_[op];
    }
    return side;
  }

 private:
  const trace::FrameworkOps& ops_;
  std::vector<std::uint8_t> is_forward_;
  std::vector<std::uint32_t> forward_of_;
};

class PassesOfOperators {
 public:
  PassesOfOperators(const trace::Trace& trace, const std::vector<std::uint32_t>& transfers)
      : trace_(trace), sides_(trace), pass_of_op_(trace.framework_ops().size(), kNone) {
    add_kernels();
    for (const std::uint32_t row : transfers) {
      const auto& ops = trace.collective_ops();
      const std::uint32_t api = ops.api[row];
      items_.push_back({.device = ops.device[row],
                        .launch_ns = api == kNone ? ops.start_ns[row]
                                                  : trace.api_calls().start_ns[std::size_t{api}],
                        .task = kNone});
    }
    std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
      return std::tuple(a.device, a.launch_ns) < std::tuple(b.device, b.launch_ns);
    });
  }

  // A backward pass is numbered by its forward pass; forward passes have no numbers yet.
  struct Found {
    PipelinePass pass;
    std::uint32_t forward = kNone;  // Of a backward pass, a place in the list.
  };
  std::vector<Found> run() {
    for (const Item& item : items_) {
      if (item.task == kNone) {
        is_open_ = false;
      } else {
        add(item);
      }
    }
    settle();
    return std::move(found_);
  }

 private:
  struct Item {
    std::uint16_t device;
    std::int64_t launch_ns;
    std::uint32_t task;  // kNone: a transfer.
    OperatorSides::Side side;
  };

  void add_kernels() {
    const auto& kernels = trace_.kernels();
    const auto& tasks = trace_.tasks();
    const std::vector<std::uint32_t> op_of_task = operators_of_tasks(trace_);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const std::uint32_t task = kernels.task[i];
      if (kernels.kind[i] != static_cast<std::uint8_t>(trace::KernelKind::kCompute)) continue;
      const OperatorSides::Side side = sides_.of(op_of_task[task]);
      if (side.op == kNone) continue;
      const std::int64_t launch_ns =
          tasks.launch_ns[task] != 0
              ? tasks.launch_ns[task]
              : trace_.framework_ops().start_ns[std::size_t{op_of_task[task]}];
      items_.push_back({tasks.device[task], launch_ns, task, side});
    }
  }

  void add(const Item& item) {
    const auto& tasks = trace_.tasks();
    const PassKind kind = item.side.is_backward ? PassKind::kBackward : PassKind::kForward;
    const std::int64_t start_ns = tasks.start_ns[std::size_t{item.task}];
    const std::int64_t end_ns = tasks.end_ns[std::size_t{item.task}];
    if (!is_open_ || found_.back().pass.kind != kind || found_.back().pass.device != item.device) {
      settle();
      found_.push_back(
          {.pass = {.kind = kind, .device = item.device, .start_ns = start_ns, .end_ns = end_ns}});
      is_open_ = true;
    }
    PipelinePass& pass = found_.back().pass;
    pass.start_ns = std::min(pass.start_ns, start_ns);
    pass.end_ns = std::max(pass.end_ns, end_ns);
    if (kind == PassKind::kForward) {
      pass_of_op_[item.side.op] = static_cast<std::uint32_t>(found_.size() - 1);
    } else if (item.side.forward_op != kNone) {
      const std::uint32_t forward = pass_of_op_[sides_.of(item.side.forward_op).op];
      if (forward != kNone) ++votes_[forward];
    }
  }

  // The pass that was added last belongs to the forward pass that most of its operators do.
  void settle() {
    const auto most =
        std::max_element(votes_.begin(), votes_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != votes_.end()) found_.back().forward = most->first;
    votes_.clear();
  }

  const trace::Trace& trace_;
  OperatorSides sides_;
  std::vector<Item> items_;
  std::vector<std::uint32_t> pass_of_op_;  // By forward operator.
  std::vector<Found> found_;
  std::map<std::uint32_t, std::uint32_t> votes_;
  bool is_open_ = false;
};

// Counts passes forward in each step; what does not know its forward pass takes them in turn.
class Numbering {
 public:
  explicit Numbering(const trace::Trace& trace)
      : steps_(trace.steps(), StepFinder::End::kExcluded) {}

  void count(PipelinePass& pass) {
    pass.step = steps_.find(pass.start_ns);
    if (pass.kind == PassKind::kForward) pass.number = next(pass);
  }
  void take_turn(PipelinePass& pass) {
    const std::uint32_t number = next(pass);
    if (number <= counts_[{pass.device, pass.step, PassKind::kForward}]) pass.number = number;
  }

 private:
  std::uint32_t next(const PipelinePass& pass) {
    return ++counts_[{pass.device, pass.step, pass.kind}];
  }

  StepFinder steps_;
  std::map<std::tuple<std::uint16_t, std::uint32_t, PassKind>, std::uint32_t> counts_;
};

std::vector<PipelinePass> operator_passes(const trace::Trace& trace,
                                          const std::vector<std::uint32_t>& transfers) {
  auto found = PassesOfOperators(trace, transfers).run();
  Numbering numbering(trace);
  for (auto& [pass, forward] : found) numbering.count(pass);
  std::vector<PipelinePass> passes;
  passes.reserve(found.size());
  for (auto& [pass, forward] : found) {
    if (forward != kNone) pass.number = found[forward].pass.number;
    passes.push_back(pass);
  }
  sort_passes(passes);
  return passes;
}

}  // namespace

std::string_view pass_kind_name(PassKind kind) {
  constexpr std::array<std::string_view, kPassKinds> kNames = {"forward", "backward", "weight"};
  return kNames[static_cast<std::size_t>(kind)];
}

PipelinePasses pipeline_passes(const trace::Trace& trace) {
  PipelinePasses result;
  result.transfers = transfers_between_stages(trace);
  result.passes = marked_passes(trace);
  result.are_marked = !result.passes.empty();
  if (result.are_marked) {
    Numbering numbering(trace);
    for (PipelinePass& pass : result.passes) numbering.count(pass);
    for (PipelinePass& pass : result.passes) {
      if (pass.kind != PassKind::kForward) numbering.take_turn(pass);
    }
  } else {
    result.passes = operator_passes(trace, result.transfers);
  }
  const auto computing = computing_times(trace);
  for (PipelinePass& pass : result.passes) {
    const auto device = computing.find(pass.device);
    if (device != computing.end())
      pass.computing_ns = device->second.within(pass.start_ns, pass.end_ns);
  }
  return result;
}

}  // namespace npuprof::analyze
