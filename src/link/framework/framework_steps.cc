#include "link/framework/framework_steps.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "format/framework/op_range.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/steps.h"
#include "trace/linked/tasks.h"

namespace npuprof::link {
namespace {

using trace::FrameworkOps;
using trace::kNone;
using trace::Steps;

std::optional<std::int64_t> step_id(std::string_view name) {
  const auto id = format::framework::profiler_step_id(name);
  return id ? parse_number<std::int64_t>(*id) : std::nullopt;
}

struct StepMark {
  std::int64_t id;
  std::uint32_t op;
};

class StepAtTime {
 public:
  explicit StepAtTime(const trace::Trace& trace) : trace_(trace), seen_(trace.strings.size()) {
    const FrameworkOps& ops = trace.framework_ops();
    for (std::uint32_t row = 0; row < ops.size(); ++row) {
      if (!is_step_name(ops.name[row]) || is_inside_step(row)) continue;
      marks_.push_back({*step_id(trace.strings.view(ops.name[row])), row});
    }
    std::stable_sort(marks_.begin(), marks_.end(), [&](const StepMark& a, const StepMark& b) {
      return ops.start_ns[a.op] < ops.start_ns[b.op];
    });
  }

  const std::vector<StepMark>& marks() const { return marks_; }

 private:
  enum Answer : std::uint8_t { kUnknown, kNo, kYes };

  // Each name is looked at once: millions of operators share a few hundred names.
  bool is_step_name(StringId name) {
    std::uint8_t& answer = seen_[to_index(name)];
    if (answer == kUnknown) answer = step_id(trace_.strings.view(name)) ? kYes : kNo;
    return answer == kYes;
  }

  bool is_inside_step(std::uint32_t row) {
    const FrameworkOps& ops = trace_.framework_ops();
    for (std::uint32_t op = ops.parent[row]; op != kNone; op = ops.parent[op]) {
      if (is_step_name(ops.name[op])) return true;
    }
    return false;
  }

  const trace::Trace& trace_;
  std::vector<std::uint8_t> seen_;  // By string id.
  std::vector<StepMark> marks_;
};

void append_step(Steps& steps, const FrameworkOps& ops, const StepMark& mark) {
  const std::int64_t start_ns = ops.start_ns[mark.op];
  const std::int64_t end_ns = std::max(start_ns, ops.end_ns[mark.op]);
  steps.id.push_back(mark.id);
  steps.host_start_ns.push_back(start_ns);
  steps.host_end_ns.push_back(end_ns);
  steps.device_start_ns.push_back(start_ns);
  steps.device_end_ns.push_back(end_ns);
  steps.has_kernels.push_back(0);
  steps.op.push_back(mark.op);
}

// The step that was running at that time, kNone between steps.
std::uint32_t step_at(const Steps& steps, std::int64_t time_ns) {
  const auto next =
      std::upper_bound(steps.host_start_ns.begin(), steps.host_start_ns.end(), time_ns);
  if (next == steps.host_start_ns.begin()) return kNone;
  const auto row = static_cast<std::uint32_t>(next - steps.host_start_ns.begin() - 1);
  return time_ns <= steps.host_end_ns[row] ? row : kNone;
}

}  // namespace

void link_steps(trace::Trace& trace, const std::vector<TaskOrigin>& origins) {
  Steps& steps = trace.steps();
  const StepAtTime found(trace);
  if (!found.marks().empty()) steps = {};
  for (const StepMark& mark : found.marks()) append_step(steps, trace.framework_ops(), mark);
  if (steps.size() == 0) return;
  const trace::Tasks& tasks = trace.tasks();
  for (std::uint32_t task = 0; task < origins.size(); ++task) {
    if (origins[task].asked_ns == TaskOrigin::kUnknownTime) continue;
    const std::uint32_t step = step_at(steps, origins[task].asked_ns);
    if (step == kNone) continue;
    const bool is_first = steps.has_kernels[step] == 0;
    steps.has_kernels[step] = 1;
    std::int64_t& start_ns = steps.device_start_ns[step];
    start_ns = is_first ? tasks.start_ns[task] : std::min(start_ns, tasks.start_ns[task]);
    steps.device_end_ns[step] = std::max(steps.device_end_ns[step], tasks.end_ns[task]);
  }
}

}  // namespace npuprof::link
