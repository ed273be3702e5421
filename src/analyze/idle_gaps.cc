#include "analyze/idle_gaps.h"

#include <algorithm>
#include <map>

#include "analyze/step_finder.h"
#include "format/host/levels.h"
#include "trace/framework/steps.h"
#include "trace/linked/overlap_intervals.h"
#include "trace/linked/tasks.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

// The copies of one device in order of start.
struct CopyList {
  std::vector<std::uint32_t> tasks;
  std::vector<std::int64_t> latest_end_ns;  // Of this copy and all before it.
};

class IdleGapFinder {
 public:
  explicit IdleGapFinder(const trace::Trace& trace)
      : trace_(trace), steps_(trace.steps(), StepFinder::End::kExcluded) {
    list_copies();
    const trace::OverlapIntervals& intervals = trace.overlap_intervals();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const auto kind = static_cast<trace::OverlapKind>(intervals.kind[i]);
      if (kind != trace::OverlapKind::kComputing && kind != trace::OverlapKind::kCommunication) {
        continue;
      }
      const auto [place, is_new] =
          last_busy_ns_.try_emplace(intervals.device[i], intervals.end_ns[i]);
      if (!is_new) place->second = std::max(place->second, intervals.end_ns[i]);
    }
  }

  std::vector<IdleGap> find() {
    const trace::OverlapIntervals& intervals = trace_.overlap_intervals();
    for (std::uint32_t i = 0; i < intervals.size(); ++i) {
      if (intervals.kind[i] != static_cast<std::uint8_t>(trace::OverlapKind::kFree)) continue;
      if (intervals.end_ns[i] <= intervals.start_ns[i]) continue;
      IdleGap gap{.start_ns = intervals.start_ns[i],
                  .end_ns = intervals.end_ns[i],
                  .interval = i,
                  .device = intervals.device[i]};
      if (!steps_.empty()) {
        gap.step = steps_.find(gap.start_ns);
        if (gap.step == kNone) continue;
      }
      split_at_copies(gap);
    }
    const auto is_before = [](const IdleGap& a, const IdleGap& b) {
      return std::pair(a.device, a.start_ns) < std::pair(b.device, b.start_ns);
    };
    if (!std::is_sorted(gaps_.begin(), gaps_.end(), is_before)) {
      std::stable_sort(gaps_.begin(), gaps_.end(), is_before);
    }
    return std::move(gaps_);
  }

 private:
  void list_copies() {
    const trace::Tasks& tasks = trace_.tasks();
    for (std::uint32_t row = 0; row < tasks.size(); ++row) {
      if (!is_copy(tasks, row)) continue;
      CopyList& list = copies_[tasks.device[row]];
      list.tasks.push_back(row);
      const std::int64_t before =
          list.latest_end_ns.empty() ? INT64_MIN : list.latest_end_ns.back();
      list.latest_end_ns.push_back(std::max(before, tasks.end_ns[row]));
    }
  }

  void split_at_copies(IdleGap gap) {
    const std::int64_t end_ns = gap.end_ns;
    const auto found = copies_.find(gap.device);
    if (found != copies_.end()) {
      const CopyList& list = found->second;
      const auto first =
          std::upper_bound(list.latest_end_ns.begin(), list.latest_end_ns.end(), gap.start_ns) -
          list.latest_end_ns.begin();
      for (auto i = static_cast<std::size_t>(first); i < list.tasks.size(); ++i) {
        const std::uint32_t copy = list.tasks[i];
        const std::int64_t copy_start_ns = std::max(trace_.tasks().start_ns[copy], gap.start_ns);
        const std::int64_t copy_end_ns = std::min(trace_.tasks().end_ns[copy], end_ns);
        if (trace_.tasks().start_ns[copy] >= end_ns) break;
        if (copy_end_ns <= copy_start_ns) continue;
        add_gap(gap, copy_start_ns, kNone);
        add_gap(gap, copy_end_ns, copy);
      }
    }
    add_gap(gap, end_ns, kNone);
  }

  // The part of `gap` up to `end_ns`; the rest is left in it.
  void add_gap(IdleGap& gap, std::int64_t end_ns, std::uint32_t copy) {
    if (end_ns <= gap.start_ns) return;
    const auto busy = last_busy_ns_.find(gap.device);
    IdleGap part = gap;
    part.end_ns = end_ns;
    part.copy = copy;
    part.is_trailing = busy == last_busy_ns_.end() || busy->second <= gap.start_ns;
    gaps_.push_back(part);
    gap.start_ns = end_ns;
  }

  const trace::Trace& trace_;
  StepFinder steps_;
  std::map<std::uint16_t, CopyList> copies_;
  std::map<std::uint16_t, std::int64_t> last_busy_ns_;
  std::vector<IdleGap> gaps_;
};

}  // namespace

bool is_copy(const trace::Tasks& tasks, std::uint32_t task) {
  return tasks.copy_direction[task] != kNone ||
         tasks.host_type[task] == static_cast<std::uint16_t>(format::host::TaskType::kMemcpyAsync);
}

std::vector<IdleGap> find_idle_gaps(const trace::Trace& trace) {
  return IdleGapFinder(trace).find();
}

std::pair<std::uint32_t, std::uint32_t> tasks_starting_at(const trace::Tasks& tasks,
                                                          std::uint16_t device,
                                                          std::int64_t start_ns) {
  const auto first_not = [&](auto&& is_before) {
    std::uint32_t low = 0;
    std::uint32_t high = static_cast<std::uint32_t>(tasks.size());
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (is_before(std::pair(tasks.device[middle], tasks.start_ns[middle]))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const std::pair wanted(device, start_ns);
  const std::uint32_t first = first_not([&](const auto& key) { return key < wanted; });
  std::uint32_t last = first;
  while (last < tasks.size() && tasks.device[last] == device && tasks.start_ns[last] == start_ns) {
    ++last;
  }
  return {first, last};
}

}  // namespace npuprof::analyze
