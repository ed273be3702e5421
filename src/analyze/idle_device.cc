#include "analyze/idle_device.h"

#include <algorithm>
#include <unordered_map>

#include "analyze/idle_gaps.h"
#include "format/host/levels.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/kernels.h"
#include "trace/linked/tasks.h"
#include "trace/task_id.h"

namespace npuprof::analyze {
namespace {

using format::host::TaskType;
using trace::kNone;

// How far back a record of the event that a wait waited for is looked for. It is among the tasks
// that ended last.
constexpr std::uint32_t kRecordSearchTasks = 64;

// Devices take a few microseconds to begin; what takes longer waits for something unknown.
constexpr std::int64_t kLongestLatencyNs = 1'000'000;

bool is_event_record(std::uint16_t host_type) {
  return host_type == static_cast<std::uint16_t>(TaskType::kEventRecord) ||
         host_type == static_cast<std::uint16_t>(TaskType::kNotifyRecord);
}

}  // namespace

IdleDevice::IdleDevice(const trace::Trace& trace)
    : trace_(trace),
      previous_(trace.tasks().size(), kNone),
      collective_of_(trace.tasks().size(), kNone) {
  const trace::Tasks& tasks = trace.tasks();
  std::unordered_map<std::uint32_t, std::uint32_t> last_of_stream;
  for (std::uint32_t row = 0; row < tasks.size(); ++row) {
    const trace::StreamId stream{tasks.device[row], tasks.stream[row]};
    const auto [place, is_first] = last_of_stream.try_emplace(stream.key(), row);
    if (is_first) continue;
    previous_[row] = place->second;
    place->second = row;
  }
  const trace::CollectiveTasks& parts = trace.collective_tasks();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts.task[i] >= collective_of_.size()) continue;
    if (parts.op[i] < trace.collective_ops().size()) collective_of_[parts.task[i]] = parts.op[i];
  }
}

bool IdleDevice::is_work(std::uint32_t task) const {
  return trace_.tasks().kernel[task] != kNone || is_copy(trace_.tasks(), task) ||
         collective_of_[task] != kNone;
}

bool IdleDevice::is_wait(std::uint32_t task) {
  const std::uint16_t host_type = trace_.tasks().host_type[task];
  if (host_type == static_cast<std::uint16_t>(TaskType::kEventWait) ||
      host_type == static_cast<std::uint16_t>(TaskType::kNotifyWait)) {
    return true;
  }
  const std::size_t type = to_index(trace_.tasks().shown_type[task]);
  if (waits_by_type_.size() <= type) waits_by_type_.resize(trace_.strings.size(), 0);
  if (waits_by_type_[type] == 0) {
    const std::string_view name = trace_.strings.view(trace_.tasks().shown_type[task]);
    const bool waits = name.ends_with("_WAIT") || name.find("Notify Wait") != name.npos;
    waits_by_type_[type] = waits ? 2 : 1;
  }
  return waits_by_type_[type] == 2;
}

// Tasks do not say which event they wait for: it is taken to be the last one that another stream
// recorded before the wait ended.
std::uint32_t IdleDevice::waited_for(std::uint32_t wait) const {
  const trace::Tasks& tasks = trace_.tasks();
  std::uint32_t row = wait + 1;
  while (row < tasks.size() && row - wait < kRecordSearchTasks &&
         tasks.device[row] == tasks.device[wait] && tasks.start_ns[row] <= tasks.end_ns[wait]) {
    ++row;
  }
  std::uint32_t found = kNone;
  for (std::uint32_t tried = 0; row-- > 0 && tried < 2 * kRecordSearchTasks; ++tried) {
    if (tasks.device[row] != tasks.device[wait]) break;
    if (!is_event_record(tasks.host_type[row]) || tasks.stream[row] == tasks.stream[wait]) continue;
    if (tasks.end_ns[row] > tasks.end_ns[wait]) continue;
    if (found == kNone || tasks.end_ns[row] > tasks.end_ns[found]) found = row;
  }
  if (found == kNone) return kNone;
  for (std::uint32_t tried = 0; tried < kRecordSearchTasks; ++tried) {
    if (previous_[found] == kNone) break;
    found = previous_[found];
    if (is_work(found)) return found;
  }
  return found;
}

IdleRow IdleDevice::wait_row(const IdleRow& row, std::uint32_t wait) const {
  IdleRow part = row;
  part.waited_for = waited_for(wait);
  std::uint32_t collective = collective_of_[wait];
  if (collective == kNone && part.waited_for != kNone) {
    collective = collective_of_[part.waited_for];
  }
  if (collective != kNone) {
    part.cause = IdleCause::kRankWait;
    part.evidence = IdleEvidence::kCollective;
    part.evidence_row = collective;
    part.detail = trace_.collective_ops().name[collective];
    return part;
  }
  part.cause = IdleCause::kStreamWait;
  part.evidence = IdleEvidence::kTask;
  part.evidence_row = wait;
  if (part.waited_for != kNone) {
    const std::uint32_t kernel = trace_.tasks().kernel[part.waited_for];
    part.detail = kernel < trace_.kernels().size() ? trace_.kernels().name[kernel]
                                                   : trace_.tasks().shown_type[part.waited_for];
  }
  return part;
}

// From the end back over the waits of the task's stream; what lies between is latency.
void IdleDevice::add_causes(const IdleRow& row, std::vector<IdleRow>& rows) {
  const trace::Tasks& tasks = trace_.tasks();
  IdleRow latency = row;
  latency.cause = IdleCause::kStartLatency;
  if (row.task != kNone) {
    latency.evidence = IdleEvidence::kTask;
    latency.evidence_row = row.task;
    const std::uint32_t kernel = tasks.kernel[row.task];
    latency.detail = kernel < trace_.kernels().size() ? trace_.kernels().op_type[kernel]
                                                      : tasks.shown_type[row.task];
  }
  backwards_.clear();
  std::int64_t cursor_ns = row.end_ns;
  const auto add = [&](IdleRow part, std::int64_t start_ns) {
    start_ns = std::max(start_ns, row.start_ns);
    if (start_ns >= cursor_ns) return;
    part.start_ns = start_ns;
    part.end_ns = cursor_ns;
    if (part.cause == IdleCause::kStartLatency && cursor_ns - start_ns > kLongestLatencyNs) {
      part.cause = IdleCause::kUnexplained;
    }
    cursor_ns = start_ns;
    backwards_.push_back(part);
  };
  std::uint32_t task = row.task == kNone ? kNone : previous_[row.task];
  for (; task != kNone && tasks.end_ns[task] > row.start_ns && cursor_ns > row.start_ns;
       task = previous_[task]) {
    if (!is_wait(task)) continue;
    add(latency, tasks.end_ns[task]);
    add(wait_row(row, task), tasks.start_ns[task]);
  }
  add(latency, row.start_ns);
  rows.insert(rows.end(), backwards_.rbegin(), backwards_.rend());
}

}  // namespace npuprof::analyze
