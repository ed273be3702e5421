#include "analyze/task_modules.h"

#include <string_view>
#include <unordered_map>

#include "analyze/module_calls.h"
#include "analyze/operator_work.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

constexpr std::string_view kBackwardSuffix = " (backward)";

// Paths of calls: one for all calls of the same modules in each other, and one for their backward
// pass.
class CallPaths {
 public:
  CallPaths(const ModuleCalls& calls, const StringPool& strings, std::vector<std::string>& paths)
      : paths_(paths), of_call_(calls.size()) {
    std::unordered_map<std::uint64_t, std::uint32_t> known;  // By the path around it and the name.
    for (std::size_t call = 0; call < calls.size(); ++call) {
      const std::uint32_t parent = calls.parent[call];
      const std::uint32_t above = parent == kNone ? kNone : of_call_[parent];
      const std::uint64_t key = std::uint64_t{above} << 32 | to_index(calls.name[call]);
      const auto [place, is_new] =
          known.try_emplace(key, static_cast<std::uint32_t>(paths_.size()));
      if (is_new) {
        std::string path = above == kNone ? std::string() : paths_[above] + '/';
        paths_.push_back(path.append(plain_module_name(strings.view(calls.name[call]))));
      }
      of_call_[call] = place->second;
    }
  }

  std::uint32_t of(std::uint32_t call, bool is_backward) {
    const std::uint32_t path = of_call_[call];
    if (!is_backward) return path;
    const auto [place, is_new] =
        backward_.try_emplace(path, static_cast<std::uint32_t>(paths_.size()));
    if (is_new) paths_.push_back(paths_[path] + std::string(kBackwardSuffix));
    return place->second;
  }

 private:
  std::vector<std::string>& paths_;
  std::vector<std::uint32_t> of_call_;
  std::unordered_map<std::uint32_t, std::uint32_t> backward_;  // By path.
};

}  // namespace

TaskModules task_modules(const trace::Trace& trace) {
  TaskModules modules;
  modules.of_task.assign(trace.tasks().size(), kNone);
  const trace::KernelOps& launched = trace.kernel_ops();
  const std::vector<std::uint32_t> ops(launched.op.begin(), launched.op.end());
  const ModuleMembership membership = module_membership(trace, operator_work(trace), ops);
  CallPaths paths(membership.calls, trace.strings, modules.paths);
  for (std::size_t i = 0; i < launched.size(); ++i) {
    const std::uint32_t op = launched.op[i];
    const std::uint32_t call = membership.call_of_op[op];
    if (call == kNone) continue;
    modules.of_task[launched.task[i]] = paths.of(call, membership.is_backward[op] != 0);
  }
  return modules;
}

}  // namespace npuprof::analyze
