#include "serve/slice_path.h"

#include <algorithm>
#include <cmath>

#include "analyze/module_frames.h"
#include "report/timeline/cann_layers.h"
#include "serve/culprit.h"
#include "serve/slice_family.h"
#include "trace/framework/framework_ops.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"

namespace npuprof::serve {
namespace {

using trace::kNone;

constexpr std::size_t kMostPathKernels = 50;

class PathFinder {
 public:
  PathFinder(const ShownProfile& profile, SliceId slice)
      : index_(profile.lanes),
        trace_(profile.trace()),
        facts_(profile.work()),
        slice_(slice),
        lane_(index_.lanes()[slice.lane]),
        start_ns_(lane_.start_ns[slice.slice]),
        end_ns_(lane_.end_ns(slice.slice)) {}

  SlicePath find() {
    const std::string_view layer = index_.groups()[lane_.group].name;
    if (layer == report::kHardwareLayer.name) {
      of_task();
    } else if (index_.groups()[lane_.group].is_host) {
      of_host();
    }
    return std::move(path_);
  }

 private:
  // The task that the slice is of.
  std::uint32_t task_of_slice() const {
    const auto& tasks = trace_.tasks();
    const auto& order = facts_.tasks_by_start;
    auto at = std::lower_bound(
        order.begin(), order.end(), start_ns_,
        [&](std::uint32_t task, std::int64_t time_ns) { return tasks.start_ns[task] < time_ns; });
    for (; at != order.end() && tasks.start_ns[*at] == start_ns_; ++at) {
      if (tasks.end_ns[*at] != end_ns_) continue;
      if (tasks.device[*at] == index_.groups()[lane_.group].device &&
          index_.stream_lane(tasks.stream[*at]) == lane_.tid) {
        return *at;
      }
    }
    return kNone;
  }

  void of_task() {
    const std::uint32_t task = task_of_slice();
    if (task == kNone) return;
    path_.kernel = trace_.tasks().kernel[task];
    if (path_.kernel != kNone) {
      add_work(path_.kernel);
    }
    take_module(task);
    const std::uint32_t op = facts_.op_of_task[task];
    if (op == kNone) return;
    const auto& ops = trace_.framework_ops();
    path_.op = index_.find_slice("", ops.tid[op], ops.start_ns[op], ops.end_ns[op]);
    add_frames(ops.tid[op], ops.start_ns[op], ops.end_ns[op]);
  }

  void take_module(std::uint32_t task) {
    if (!path_.module.empty() || facts_.modules.empty()) return;
    const std::uint32_t place = facts_.modules.of_task[task];
    if (place != kNone) path_.module = facts_.modules.paths[place];
  }

  // An operator, a frame or a mark: what was launched on its thread while it ran.
  void of_host() {
    const auto& ops = trace_.framework_ops();
    const auto& tasks = trace_.tasks();
    for (const std::uint32_t task : facts_.tasks_by_start) {
      const std::uint32_t op = facts_.op_of_task[task];
      const std::uint32_t kernel = tasks.kernel[task];
      if (op == kNone || kernel == kNone || ops.tid[op] != lane_.tid) continue;
      if (ops.start_ns[op] < start_ns_ || ops.start_ns[op] >= end_ns_) continue;
      if (path_.kernel_count == 0) take_module(task);
      ++path_.kernel_count;
      path_.kernel_ns += tasks.end_ns[task] - tasks.start_ns[task];
      add_work(kernel);
      if (path_.kernels.size() >= kMostPathKernels) continue;
      if (const auto found = task_slice(trace_, index_, task)) path_.kernels.push_back(*found);
    }
    if (path_.kernel_count == 0) return;
    add_frames(static_cast<std::uint32_t>(lane_.tid), start_ns_, end_ns_);
  }

  void add_work(std::uint32_t kernel) {
    const std::uint32_t row = facts_.work_of_kernel[kernel];
    if (row == kNone) return;
    if (!std::isnan(facts_.flops.flops[row])) path_.flops += facts_.flops.flops[row];
    if (!std::isnan(facts_.flops.ideal_ns[row])) path_.ideal_ns += facts_.flops.ideal_ns[row];
  }

  // Frames of modules of the thread that are open all of the time.
  void add_frames(std::uint32_t tid, std::int64_t start_ns, std::int64_t end_ns) {
    for (std::uint32_t number = 0; number < index_.lanes().size(); ++number) {
      const report::Lane& lane = index_.lanes()[number];
      if (!lane.is_python || lane.tid != tid) continue;
      for (std::uint32_t row = 0; row < lane.rows(); ++row) {
        const auto open = index_.slice_at(lane, row, index_.from_zero(start_ns), 0);
        if (!open || lane.start_ns[*open] > start_ns || lane.end_ns(*open) < end_ns) continue;
        const SliceId frame{number, *open};
        const std::string_view name = index_.name(lane.name_number[*open]);
        if (frame != slice_ && analyze::module_of_frame(name)) path_.frames.push_back(frame);
      }
    }
  }

  const LaneIndex& index_;
  const trace::Trace& trace_;
  const WorkFacts& facts_;
  SliceId slice_;
  const report::Lane& lane_;
  std::int64_t start_ns_;
  std::int64_t end_ns_;
  SlicePath path_;
};

}  // namespace

SlicePath path_of_slice(const ShownProfile& profile, SliceId slice) {
  return PathFinder(profile, slice).find();
}

}  // namespace npuprof::serve
