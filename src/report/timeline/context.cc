#include "report/timeline/context.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "analyze/mindspore_launches.h"
#include "analyze/mindspore_marks.h"
#include "analyze/shown_tasks.h"
#include "base/sort_order.h"
#include "format/device/chips.h"
#include "format/device/task_types.h"
#include "report/timeline/cann_layers.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/logical_streams.h"
#include "trace/host/marks.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"
#include "trace/linked/forward_backward.h"
#include "trace/linked/kernel_ops.h"
#include "trace/linked/tasks.h"

namespace npuprof::report {
namespace {

using trace::kNone;

// Readers collect the ends of arrows by id alone, so each kind has a range of its own. Queue arrows
// keep the correlation id; ids stay below 2^53, which JavaScript can tell apart. (Perfetto would
// read a text as a hexadecimal number of 64 bits, and all longer ones as the greatest.)
constexpr std::uint64_t kFirstBackwardArrow = std::uint64_t{1} << 48;
constexpr std::uint64_t kFirstOperatorArrow = 1'000'000'000'000'000;

// With the last 15 digits of a start in ns, which come again after 11 days.
std::uint64_t operator_arrow_id(std::int64_t number) {
  return kFirstOperatorArrow + static_cast<std::uint64_t>(number) % kFirstOperatorArrow;
}

// Arrows from calls of CANN have 0 or 1 in the lower half of their ids.
bool is_of_call(std::uint64_t id) { return (id & 0xFFFFFFFF) <= 1; }

// Operators and tasks joined by an arrow: of the tasks of a collective, or else of those that one
// call of an operator led to, the first one that is shown.
trace::KernelOps arrows_of(const trace::Trace& trace, const std::vector<std::uint8_t>& is_shown) {
  trace::KernelOps pairs;
  const trace::CollectiveTasks& parts = trace.collective_tasks();
  std::vector<std::uint32_t> collective_of(trace.tasks().size(), kNone);
  for (std::size_t i = 0; i < parts.size(); ++i) collective_of[parts.task[i]] = parts.op[i];
  // The operator that each collective had its last arrow from.
  std::vector<std::uint32_t> seen_from(trace.collective_ops().size(), kNone);
  for (std::size_t i = 0; i < trace.kernel_ops().size(); ++i) {
    const auto op = trace.kernel_ops().op[i];
    const auto task = trace.kernel_ops().task[i];
    if (is_shown[task] == 0) continue;
    if (const std::uint32_t collective = collective_of[task]; collective != kNone) {
      if (std::exchange(seen_from[collective], op) == op) continue;
    }
    const auto api = trace.tasks().api[task];
    const bool again = pairs.size() > 0 && pairs.op.back() == op && api != kNone &&
                       trace.tasks().api[pairs.task.back()] == api;
    if (again) continue;
    pairs.op.push_back(op);
    pairs.task.push_back(task);
  }
  return pairs;
}

}  // namespace

std::string_view device_type_name(const trace::DeviceInfo& device, std::uint8_t type) {
  const format::device::Chip* chip = format::device::find_chip(device.chip);
  if (chip == nullptr) return {};
  const auto kind = format::device::sqe_kind_of(chip->family, type);
  return kind ? format::device::sqe_kind_name(*kind) : std::string_view();
}

ArrowEnds::ArrowEnds(std::size_t rows, const std::vector<ArrowEnd>& ends)
    : ends_(ends.size()), first_(rows + 1) {
  for (const ArrowEnd& end : ends) ++first_[end.row];
  std::uint32_t sum = 0;
  for (std::uint32_t& first : first_) first = std::exchange(sum, sum + first);
  std::vector<std::uint32_t> next = first_;
  for (const ArrowEnd& end : ends) ends_[next[end.row]++] = end;
}

TimelineContext::TimelineContext(const trace::Trace& trace_in, const TimelineOptions& options_in)
    : trace(trace_in), options(options_in), shown_tasks(analyze::shown_tasks(trace_in)) {
  const auto& streams = trace.logical_streams();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    logical_streams_.insert_or_assign(streams.physical[i], streams.logical[i]);
  }
  if (!options.framework) return;
  mindspore_launches = analyze::mindspore_launches(trace);
  find_operator_arrows();
}

void TimelineContext::add_backward_arrows(std::vector<ArrowEnd>& ends) const {
  const auto& pairs = trace.forward_backward();
  // An arrow has the sequence number as its number; threads may share one, then the next free one.
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& starts = trace.framework_ops().start_ns;
    if (!may_lead(starts[pairs.forward[i]], starts[pairs.backward[i]])) continue;
    const std::uint64_t number = std::max(next, static_cast<std::uint64_t>(pairs.sequence[i]));
    next = number + 1;
    const std::uint64_t id = kFirstBackwardArrow + number;
    ends.push_back({pairs.forward[i], ArrowKind::kBackward, true, id});
    ends.push_back({pairs.backward[i], ArrowKind::kBackward, false, id});
  }
}

// From where work was handed on to where it was taken up. Numbers of flows are small; one may come
// again, an arrow then has the next free one.
void TimelineContext::add_flow_arrows(std::vector<ArrowEnd>& ends) const {
  const auto& marks = trace.flow_marks();
  std::unordered_set<std::uint64_t> used(marks.flow.begin(), marks.flow.end());
  std::unordered_set<std::uint64_t> shown;
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks.from[i] == kNone || marks.to[i] == kNone) continue;
    std::uint64_t id = marks.flow[i] % kFirstBackwardArrow;
    if (!shown.insert(id).second) {
      while (used.contains(next)) ++next;
      id = next;
      used.insert(id);
    }
    ends.push_back({marks.from[i], ArrowKind::kMindSporeFlow, true, id});
    ends.push_back({marks.to[i], ArrowKind::kMindSporeFlow, false, id});
  }
}

void TimelineContext::add_mark_arrows(std::int64_t next, std::vector<ArrowEnd>& at_operators) {
  if (!options.shows(kHostMarks)) return;
  const std::vector<std::uint32_t> records = analyze::mindspore_marks(trace);
  std::vector<ArrowEnd> at_marks;
  for (std::uint32_t mark = 0; mark < records.size(); ++mark) {
    if (records[mark] == kNone) continue;
    while (is_of_call(operator_arrow_id(next))) ++next;
    const std::uint64_t id = operator_arrow_id(next++);
    at_operators.push_back({records[mark], ArrowKind::kMindSporeMark, true, id});
    at_marks.push_back({mark, ArrowKind::kMindSporeMark, false, id});
  }
  mark_arrows = ArrowEnds(trace.marks().size(), at_marks);
}

void TimelineContext::find_operator_arrows() {
  std::vector<std::uint8_t> is_shown(trace.tasks().size());
  if (options.shows(kHardwareLayer.name)) {
    for (const std::uint32_t task : shown_tasks) is_shown[task] = 1;
  }
  const trace::KernelOps pairs = arrows_of(trace, is_shown);
  std::vector<std::int64_t> starts(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) starts[i] = trace.tasks().start_ns[pairs.task[i]];

  std::vector<ArrowEnd> at_operators;
  std::vector<ArrowEnd> at_tasks;
  // An arrow has the start of its task as its number; where two tasks start together the next free
  // one.
  std::int64_t next = 0;
  const bool is_mindspore = trace.session.framework == trace::Framework::kMindSpore;
  const ArrowKind kind = is_mindspore ? ArrowKind::kMindSporeLaunch : ArrowKind::kOperator;
  for (const std::uint32_t i : stable_order(starts)) {
    if (is_mindspore && mindspore_launches[pairs.task[i].number()] == kNone) continue;
    if (!may_lead(trace.framework_ops().start_ns[pairs.op[i]], starts[i])) continue;
    std::int64_t number = std::max(next, starts[i]);
    while (is_of_call(operator_arrow_id(number))) ++number;
    next = number + 1;
    const std::uint64_t id = operator_arrow_id(number);
    at_operators.push_back({pairs.op[i], kind, true, id});
    at_tasks.push_back({pairs.task[i], kind, false, id});
  }
  add_backward_arrows(at_operators);
  add_flow_arrows(at_operators);
  add_mark_arrows(next, at_operators);
  operator_arrows = ArrowEnds(trace.framework_ops().size(), at_operators);
  task_arrows = ArrowEnds(trace.tasks().size(), at_tasks);
}

}  // namespace npuprof::report
