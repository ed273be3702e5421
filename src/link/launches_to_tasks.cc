#include "link/launches_to_tasks.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/sort_order.h"
#include "format/device/chips.h"
#include "format/device/task_types.h"
#include "format/host/levels.h"
#include "link/device_streams.h"
#include "link/kernels.h"
#include "link/task_key.h"

namespace npuprof::link {
namespace {

using trace::kNone;

// What a device task takes from the host.
struct Match {
  std::uint32_t launch = kNone;
  bool shows_operator = true;  // False: the launch's operator is shown by another task of it.
};

// Joins the tasks of one device.
class DeviceJoin {
 public:
  DeviceJoin(const trace::Trace& trace, std::uint16_t device, std::span<Match> matches,
             TaskJoin& counts)
      : tasks_(trace.device_tasks),
        launches_(trace.launches),
        matches_(matches),
        counts_(counts),
        packing_(TaskKeyPacking::for_tasks(trace.device_tasks.task, trace.launches.task)) {
    std::tie(first_task_, last_task_) = device_rows(tasks_.device, device);
    std::tie(first_launch_, last_launch_) = device_rows(launches_.device, device);
  }

  void run() {
    task_keys_.reserve(last_task_ - first_task_);
    for (std::uint32_t row = first_task_; row < last_task_; ++row) {
      task_keys_.push_back(packing_.pack(tasks_.stream[row], tasks_.batch[row], tasks_.task[row],
                                         tasks_.context[row]));
    }
    const std::vector<std::uint32_t> order = stable_order(task_keys_);
    launch_used_.assign(last_launch_ - first_launch_, 0);

    std::uint32_t launch = first_launch_;
    for (std::size_t begin = 0; begin < order.size();) {
      const std::uint64_t task = TaskKeyPacking::task_part(task_keys_[order[begin]]);
      std::size_t end = begin;
      while (end < order.size() && TaskKeyPacking::task_part(task_keys_[order[end]]) == task) ++end;
      while (launch < last_launch_ && launch_task(launch) < task) ++launch;
      std::uint32_t launch_end = launch;
      while (launch_end < last_launch_ && launch_task(launch_end) == task) ++launch_end;
      join_task(std::span(order).subspan(begin, end - begin), launch, launch_end);
      launch = launch_end;
      begin = end;
    }
    counts_.unused_launches +=
        static_cast<std::uint64_t>(std::count(launch_used_.begin(), launch_used_.end(), 0));
  }

 private:
  std::uint64_t launch_key(std::uint32_t row) const {
    return packing_.pack(launches_.stream[row], launches_.batch[row], launches_.task[row],
                         launches_.context[row]);
  }
  std::uint64_t launch_task(std::uint32_t row) const {
    return TaskKeyPacking::task_part(launch_key(row));
  }
  std::uint32_t row_of(std::uint32_t position) const { return first_task_ + position; }

  // All executions and contexts of one task: `positions` into task_keys_, by context, then time;
  // launches [first, last) likewise.
  void join_task(std::span<const std::uint32_t> positions, std::uint32_t first,
                 std::uint32_t last) {
    if (first == last) {
      counts_.unmatched_tasks += positions.size();
      return;
    }
    std::uint32_t launch = first;
    bool contexts_matched = false;
    std::size_t context_rows = 0;
    for (std::size_t begin = 0; begin < positions.size();) {
      const std::uint64_t key = task_keys_[positions[begin]];
      std::size_t end = begin;
      while (end < positions.size() && task_keys_[positions[end]] == key) ++end;
      while (launch < last && launch_key(launch) < key) ++launch;
      std::uint32_t launch_end = launch;
      while (launch_end < last && launch_key(launch_end) == key) ++launch_end;
      const bool found =
          match_executions(positions.subspan(begin, end - begin), launch, launch_end);
      if (TaskKeyPacking::has_context(key)) {
        contexts_matched = contexts_matched || found;
        context_rows = end;
      }
      launch = launch_end;
      begin = end;
    }
    if (context_rows > 0) {
      adopt_contexts(positions.first(context_rows), positions.subspan(context_rows), first, last,
                     contexts_matched);
    }
    for (const std::uint32_t position : positions) {
      const bool matched = matches_[row_of(position)].launch != kNone;
      ++(matched ? counts_.matched_tasks : counts_.unmatched_tasks);
    }
  }

  // Tasks and launches of one identity, both by time. Returns whether there is a launch.
  bool match_executions(std::span<const std::uint32_t> positions, std::uint32_t first,
                        std::uint32_t last) {
    if (first == last) return false;
    const std::uint32_t launch_count = last - first;
    if (launch_count > 1) counts_.ambiguous_tasks += positions.size();
    std::uint32_t launch = first;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::uint32_t row = row_of(positions[i]);
      if (launch_count == positions.size()) {
        launch = first + static_cast<std::uint32_t>(i);
      } else {
        // The last launch before the task began.
        while (launch + 1 < last && launches_.time_ns[launch + 1] <= tasks_.start_ns[row]) ++launch;
      }
      matches_[row].launch = launch;
      launch_used_[launch - first_launch_] = 1;
    }
    return true;
  }

  // Contexts that the host did not report belong to the launch of the whole task. If context 0 is
  // the only one, this is a MIX kernel and the operator is the context's.
  void adopt_contexts(std::span<const std::uint32_t> contexts,
                      std::span<const std::uint32_t> whole_tasks, std::uint32_t first,
                      std::uint32_t last, bool contexts_matched) {
    while (first < last && TaskKeyPacking::has_context(launch_key(first))) ++first;
    if (first == last) return;
    const bool is_mix_kernel =
        !contexts_matched && std::all_of(contexts.begin(), contexts.end(), [&](std::uint32_t p) {
          return TaskKeyPacking::context_part(task_keys_[p]) == 0;
        });
    for (const std::uint32_t position : contexts) {
      Match& match = matches_[row_of(position)];
      if (match.launch != kNone) continue;
      match_executions({&position, 1}, first, last);
      match.shows_operator = is_mix_kernel;
    }
    if (!is_mix_kernel) return;
    for (const std::uint32_t position : whole_tasks) {
      matches_[row_of(position)].shows_operator = false;
    }
  }

  const trace::DeviceTasks& tasks_;
  const trace::Launches& launches_;
  std::span<Match> matches_;
  TaskJoin& counts_;
  TaskKeyPacking packing_;
  std::uint32_t first_task_ = 0;
  std::uint32_t last_task_ = 0;
  std::uint32_t first_launch_ = 0;
  std::uint32_t last_launch_ = 0;
  std::vector<std::uint64_t> task_keys_;
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
    return device_type(trace_.device_tasks.device[task], trace_.device_tasks.type[task],
                       trace_.device_tasks.context[task] != kNone);
  }

 private:
  static constexpr std::size_t kCodes = 256;

  // Empty where the device knows better.
  StringId host_type(std::uint32_t launch) const {
    if (trace_.launches.type[launch] ==
        static_cast<std::uint16_t>(format::host::TaskType::kFftsPlus)) {
      return kEmptyString;
    }
    const std::uint32_t track = trace_.launches.track[launch];
    if (track >= trace_.task_tracks.type_name.size()) return kEmptyString;
    return trace_.task_tracks.type_name[track];
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

void fill_tasks(trace::Trace& trace, std::span<const Match> matches) {
  trace::Tasks& out = trace.tasks;
  const trace::DeviceTasks& in = trace.device_tasks;
  const trace::Launches& launches = trace.launches;
  trace::resize_rows(out, in.size());
  out.start_ns = in.start_ns;
  out.end_ns = in.end_ns;
  out.device = in.device;
  out.stream = in.stream;
  out.task = in.task;
  out.batch = in.batch;
  out.context = in.context;
  out.device_type = in.type;
  ShownTypes shown_types(trace);
  for (std::uint32_t row = 0; row < in.size(); ++row) {
    const std::uint32_t launch = matches[row].launch;
    const bool known = launch != kNone;
    out.launch[row] = launch;
    out.host_type[row] = known ? launches.type[launch] : trace::kNoHostType;
    out.api[row] = known ? launches.api[launch] : kNone;
    out.model_id[row] = known ? launches.model_id[launch] : kNone;
    out.request_id[row] = known ? launches.request_id[launch] : kNone;
    out.launch_ns[row] = known ? launches.time_ns[launch] : 0;
    out.tid[row] = known ? launches.tid[launch] : 0;
    out.copy_direction[row] = known ? launches.copy_direction[launch] : kNone;
    out.copy_bytes[row] = known ? launches.copy_bytes[launch] : 0;
    const std::uint32_t track = known ? launches.track[launch] : kNone;
    if (track < trace.task_tracks.kernel_name.size()) {
      out.kernel_name[row] = trace.task_tracks.kernel_name[track];
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
  trace::clear_rows(trace.tasks);
  trace::clear_rows(trace.kernels);
  sort_device_tasks(trace.device_tasks);
  fill_missing_streams(trace);

  TaskJoin counts;
  std::vector<Match> matches(trace.device_tasks.size());
  for (const std::uint16_t device : distinct_devices(trace.device_tasks.device)) {
    DeviceJoin(trace, device, matches, counts).run();
  }
  fill_tasks(trace, matches);

  std::vector<std::uint32_t> kernel_tasks;
  for (std::uint32_t row = 0; row < matches.size(); ++row) {
    const std::uint32_t launch = matches[row].launch;
    if (launch == kNone || !matches[row].shows_operator) continue;
    if (trace.launches.op[launch] != kNone) kernel_tasks.push_back(row);
  }
  fill_kernels(trace, kernel_tasks);
  join_counters(trace);
  return counts;
}

}  // namespace npuprof::link
