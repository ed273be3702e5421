#include "link/device/launches_to_tasks.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sort_order.h"
#include "format/device/chips.h"
#include "format/device/task_types.h"
#include "format/host/levels.h"
#include "link/device/device_streams.h"
#include "link/device/kernel_rows.h"
#include "link/device_rows.h"
#include "link/host/stream_order.h"
#include "trace/device/device_tasks.h"
#include "trace/host/task_tracks.h"
#include "trace/launched/launches.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::link {
namespace {

using trace::kNone;
using trace::TaskId;

// What a device task takes from the host.
struct Match {
  std::uint32_t launch = kNone;
  bool shows_operator = true;  // False: the launch's operator is shown by another task of it.
};

// Joins the tasks of one device. Tasks and launches are put into order of their identities, then
// merged; positions below are places in that order.
class DeviceJoin {
 public:
  DeviceJoin(const trace::Trace& trace, std::uint16_t device, std::span<Match> matches,
             TaskJoin& counts)
      : tasks_(trace.device_tasks()),
        launches_(trace.launches()),
        matches_(matches),
        counts_(counts),
        uses_batches_(
            format::device::writes_flips(trace.session.chip, trace.session.driver_version)) {
    sort_tasks(device);
    sort_launches(device);
  }

  void run() {
    launch_used_.assign(launch_rows_.size(), 0);
    std::uint32_t launch = 0;
    const auto task_count = static_cast<std::uint32_t>(task_rows_.size());
    for (std::uint32_t begin = 0; begin < task_count;) {
      const std::uint64_t task = TaskId::task_part(task_keys_[begin]);
      std::uint32_t end = begin;
      while (end < task_count && TaskId::task_part(task_keys_[end]) == task) ++end;
      while (launch < launch_rows_.size() && launch_task(launch) < task) ++launch;
      std::uint32_t launch_end = launch;
      while (launch_end < launch_rows_.size() && launch_task(launch_end) == task) ++launch_end;
      join_task({begin, end}, {launch, launch_end});
      launch = launch_end;
      begin = end;
    }
    counts_.unused_launches +=
        static_cast<std::uint64_t>(std::count(launch_used_.begin(), launch_used_.end(), 0));
  }

 private:
  // Positions [begin, end).
  struct Range {
    std::uint32_t begin;
    std::uint32_t end;
    bool empty() const { return begin == end; }
    std::uint32_t size() const { return end - begin; }
  };

  // Drivers that report no flips leave it open which wrap of the task ids a task is from: there the
  // order in time has to do.
  template <typename Table>
  std::uint64_t key(const Table& table, std::uint32_t row) const {
    TaskId id = task_id(table, row);
    if (!uses_batches_) id.batch = 0;
    return id.key();
  }

  void sort_tasks(std::uint16_t device) {
    const auto [first, last] = device_rows(tasks_.device, device);
    std::vector<std::uint64_t> keys;
    keys.reserve(last - first);
    for (std::uint32_t row = first; row < last; ++row) {
      keys.push_back(key(tasks_, row));
    }
    take_order(keys, stable_order(keys), first, task_keys_, task_rows_);
  }

  void sort_launches(std::uint16_t device) {
    const auto [first, last] = device_rows(launches_.device, device);
    std::vector<std::uint64_t> keys;
    keys.reserve(last - first);
    for (std::uint32_t row = first; row < last; ++row) {
      keys.push_back(key(launches_, row));
      first_launch_ns_ = std::min(first_launch_ns_, launches_.time_ns[row]);
    }
    std::vector<std::uint32_t> order = stable_order(keys);
    if (!uses_batches_) {
      const auto times = std::span(launches_.time_ns).subspan(first);
      const auto is_earlier = [times](std::uint32_t a, std::uint32_t b) {
        return times[a] < times[b];
      };
      for_each_tie(std::span<const std::uint64_t>(keys), std::span<const std::uint32_t>(order),
                   [&](std::size_t begin, std::size_t end) {
                     std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                      order.begin() + static_cast<std::ptrdiff_t>(end), is_earlier);
                   });
    }
    take_order(keys, order, first, launch_keys_, launch_rows_);
  }

  static void take_order(const std::vector<std::uint64_t>& keys,
                         const std::vector<std::uint32_t>& order, std::uint32_t first_row,
                         std::vector<std::uint64_t>& sorted_keys,
                         std::vector<std::uint32_t>& rows) {
    sorted_keys.reserve(keys.size());
    rows.reserve(keys.size());
    for (const std::uint32_t position : order) {
      sorted_keys.push_back(keys[position]);
      rows.push_back(first_row + position);
    }
  }

  std::uint64_t launch_task(std::uint32_t launch) const {
    return TaskId::task_part(launch_keys_[launch]);
  }
  Match& match_of(std::uint32_t task) { return matches_[task_rows_[task]]; }

  // All executions and contexts of one task: by context, then by time, "no context" last.
  void join_task(Range tasks, Range launches) {
    if (launches.empty()) return count_matches(tasks);
    std::uint32_t launch = launches.begin;
    bool contexts_matched = false;
    std::uint32_t contexts_end = tasks.begin;
    for (std::uint32_t begin = tasks.begin; begin < tasks.end;) {
      const std::uint64_t key = task_keys_[begin];
      std::uint32_t end = begin;
      while (end < tasks.end && task_keys_[end] == key) ++end;
      while (launch < launches.end && launch_keys_[launch] < key) ++launch;
      std::uint32_t launch_end = launch;
      while (launch_end < launches.end && launch_keys_[launch_end] == key) ++launch_end;
      const bool found = match_executions({begin, end}, {launch, launch_end});
      if (TaskId::has_context(key)) {
        contexts_matched = contexts_matched || found;
        contexts_end = end;
      }
      launch = launch_end;
      begin = end;
    }
    if (contexts_end > tasks.begin) {
      adopt_contexts({tasks.begin, contexts_end}, {contexts_end, tasks.end}, launches,
                     contexts_matched);
    }
    count_matches(tasks);
  }

  void count_matches(Range tasks) {
    for (std::uint32_t task = tasks.begin; task < tasks.end; ++task) {
      if (match_of(task).launch != kNone) {
        ++counts_.matched_tasks;
      } else if (tasks_.start_ns[task_rows_[task]] < first_launch_ns_) {
        ++counts_.early_tasks;
      } else {
        ++counts_.unmatched_tasks;
      }
    }
  }

  // Tasks and launches of one identity, both by time. Returns whether there is a launch.
  bool match_executions(Range tasks, Range launches) {
    if (launches.empty()) return false;
    if (launches.size() > 1) counts_.ambiguous_tasks += tasks.size();
    std::uint32_t launch = launches.begin;
    for (std::uint32_t task = tasks.begin; task < tasks.end; ++task) {
      if (launches.size() == tasks.size()) {
        launch = launches.begin + (task - tasks.begin);
      } else {
        // The last launch before the task began.
        while (launch + 1 < launches.end &&
               launches_.time_ns[launch_rows_[launch + 1]] <= tasks_.start_ns[task_rows_[task]]) {
          ++launch;
        }
      }
      match_of(task).launch = launch_rows_[launch];
      launch_used_[launch] = 1;
    }
    return true;
  }

  // Contexts that the host did not report belong to the launch of the whole task. If context 0 is
  // the only one, this is a MIX kernel and the operator is the context's.
  void adopt_contexts(Range contexts, Range whole_tasks, Range launches, bool contexts_matched) {
    while (!launches.empty() && TaskId::has_context(launch_keys_[launches.begin])) {
      ++launches.begin;
    }
    if (launches.empty()) return;
    bool is_mix_kernel = !contexts_matched;
    for (std::uint32_t task = contexts.begin; task < contexts.end; ++task) {
      is_mix_kernel = is_mix_kernel && TaskId::context_part(task_keys_[task]) == 0;
    }
    for (std::uint32_t task = contexts.begin; task < contexts.end; ++task) {
      if (match_of(task).launch != kNone) continue;
      match_executions({task, task + 1}, launches);
      match_of(task).shows_operator = is_mix_kernel;
    }
    for (std::uint32_t task = whole_tasks.begin; is_mix_kernel && task < whole_tasks.end; ++task) {
      match_of(task).shows_operator = false;
    }
  }

  const trace::DeviceTasks& tasks_;
  const trace::Launches& launches_;
  std::span<Match> matches_;
  TaskJoin& counts_;
  bool uses_batches_;
  std::int64_t first_launch_ns_ = std::numeric_limits<std::int64_t>::max();
  std::vector<std::uint64_t> task_keys_;    // In order.
  std::vector<std::uint32_t> task_rows_;    // Row in DeviceTasks at each position.
  std::vector<std::uint64_t> launch_keys_;  // In order.
  std::vector<std::uint32_t> launch_rows_;
  std::vector<std::uint8_t> launch_used_;
};

// The texts for task types, interned once.
class ShownTypes {
 public:
  explicit ShownTypes(trace::Trace& trace) : trace_(trace) {
    for (const trace::DeviceInfo& device : trace.devices) {
      const format::device::Chip* chip = format::device::find_chip(device.chip);
      if (chip != nullptr) families_.emplace_back(device.id, chip->family);
    }
  }

  StringId of(std::uint32_t task, std::uint32_t launch) {
    if (launch != kNone) {
      const StringId host = host_type(launch);
      if (host != kEmptyString) return host;
    }
    const trace::Tasks& tasks = trace_.tasks();
    return device_type(tasks.device[task], tasks.device_type[task], tasks.context[task] != kNone);
  }

 private:
  static constexpr std::size_t kCodes = 256;

  // Empty where the device knows better.
  StringId host_type(std::uint32_t launch) const {
    if (trace_.launches().type[launch] ==
        static_cast<std::uint16_t>(format::host::TaskType::kFftsPlus)) {
      return kEmptyString;
    }
    const auto track = trace_.launches().track[launch];
    if (track >= trace_.task_tracks().type_name.size()) return kEmptyString;
    return trace_.task_tracks().type_name[track];
  }

  StringId device_type(std::uint16_t device, std::uint8_t code, bool is_context) {
    if (device != current_device_ || texts_.empty()) select(device);
    StringId& text = texts_[code + (is_context ? kCodes : 0)];
    if (text == kEmptyString) text = trace_.strings.intern(text_of(code, is_context));
    return text;
  }

  void select(std::uint16_t device) {
    current_device_ = device;
    texts_.assign(2 * kCodes, kEmptyString);
    family_ = format::device::ChipFamily::kStars;
    for (const auto& [id, family] : families_) {
      if (id == device) family_ = family;
    }
  }

  std::string_view text_of(std::uint8_t code, bool is_context) const {
    std::string_view text;
    if (is_context) {
      text = format::device::sub_task_type_name(code);
    } else if (const auto kind = format::device::sqe_kind_of(family_, code)) {
      text = format::device::sqe_kind_name(*kind);
    }
    return text.empty() ? "UNKNOWN" : text;
  }

  trace::Trace& trace_;
  std::vector<std::pair<std::uint16_t, format::device::ChipFamily>> families_;
  std::uint16_t current_device_ = 0;
  format::device::ChipFamily family_ = format::device::ChipFamily::kStars;
  std::vector<StringId> texts_;  // SQE types, then sub-task types.
};

// Takes the columns of DeviceTasks, which nobody needs any more.
void fill_tasks(trace::Trace& trace, std::span<const Match> matches) {
  trace::Tasks& out = trace.tasks();
  trace::DeviceTasks& in = trace.device_tasks();
  const trace::Launches& launches = trace.launches();
  out.start_ns = std::move(in.start_ns);
  out.end_ns = std::move(in.end_ns);
  out.device = std::move(in.device);
  out.stream = std::move(in.stream);
  out.task = std::move(in.task);
  out.batch = std::move(in.batch);
  out.context = std::move(in.context);
  out.device_type = std::move(in.type);
  trace::clear_rows(in);
  trace::resize_rows(out, matches.size());
  ShownTypes shown_types(trace);
  for (std::uint32_t row = 0; row < out.size(); ++row) {
    const std::uint32_t launch = matches[row].launch;
    const bool known = launch != kNone;
    out.launch[row] = launch;
    out.host_type[row] = known ? launches.type[launch] : trace::kNoHostType;
    if (known) out.api[row] = launches.api[launch];
    out.model_id[row] = known ? launches.model_id[launch] : kNone;
    out.request_id[row] = known ? launches.request_id[launch] : kNone;
    out.launch_ns[row] = known ? launches.time_ns[launch] : 0;
    out.tid[row] = known ? launches.tid[launch] : 0;
    out.copy_direction[row] = known ? launches.copy_direction[launch] : kNone;
    out.copy_bytes[row] = known ? launches.copy_bytes[launch] : 0;
    const std::uint32_t track = known ? launches.track[launch].number() : kNone;
    if (track < trace.task_tracks().kernel_name.size()) {
      out.kernel_name[row] = trace.task_tracks().kernel_name[track];
    }
    // A captured graph is executed outside of any call that names its model.
    if (out.model_id[row] == kNone && track < trace.task_tracks().model_id.size()) {
      out.model_id[row] = trace.task_tracks().model_id[track];
    }
    out.kernel[row] = kNone;
    out.shown_type[row] = shown_types.of(row, launch);
  }
}

bool is_sorted(const trace::DeviceTasks& tasks) {
  for (std::size_t row = 1; row < tasks.size(); ++row) {
    if (std::pair(tasks.device[row], tasks.start_ns[row]) <
        std::pair(tasks.device[row - 1], tasks.start_ns[row - 1])) {
      return false;
    }
  }
  return true;
}

void sort_device_tasks(trace::DeviceTasks& tasks) {
  if (is_sorted(tasks)) return;
  trace::reorder_rows(tasks, stable_order(std::span<const std::int64_t>(tasks.start_ns)));
  const std::vector<std::uint64_t> devices(tasks.device.begin(), tasks.device.end());
  trace::reorder_rows(tasks, stable_order(devices));
}

}  // namespace

TaskJoin link_tasks(trace::Trace& trace) {
  trace::clear_rows(trace.tasks());
  trace::clear_rows(trace.kernels());
  sort_device_tasks(trace.device_tasks());
  fill_missing_streams(trace);

  TaskJoin counts;
  std::vector<Match> matches(trace.device_tasks().size());
  const std::vector<std::uint16_t> devices = distinct_devices(trace.device_tasks().device);
  for (const std::uint16_t device : devices) DeviceJoin(trace, device, matches, counts).run();
  counts.unused_launches += static_cast<std::uint64_t>(std::count_if(
      trace.launches().device.begin(), trace.launches().device.end(), [&](std::uint16_t device) {
        return !std::binary_search(devices.begin(), devices.end(), device);
      }));
  fill_tasks(trace, matches);

  std::vector<std::uint32_t> kernel_tasks;
  for (std::uint32_t row = 0; row < matches.size(); ++row) {
    const std::uint32_t launch = matches[row].launch;
    if (launch == kNone || !matches[row].shows_operator) continue;
    if (trace.launches().op[launch] != kNone) kernel_tasks.push_back(row);
  }
  fill_kernels(trace, kernel_tasks);
  join_counters(trace);
  return counts;
}

}  // namespace npuprof::link
