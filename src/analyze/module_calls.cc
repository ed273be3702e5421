#include "analyze/module_calls.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "analyze/mark_places.h"
#include "analyze/module_frames.h"
#include "analyze/module_tree.h"
#include "base/sort_order.h"
#include "format/host/msproftx.h"
#include "link/framework/handed_work.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/forward_backward.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

// Ranges that never end would make each step slow.
constexpr std::size_t kMostOpen = 256;

struct RangesInTime {
  std::vector<StringId> names;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  std::vector<std::uint32_t> tids;

  void add(StringId name, std::int64_t start_ns, std::int64_t end_ns, std::uint32_t tid) {
    names.push_back(name);
    starts.push_back(start_ns);
    ends.push_back(end_ns);
    tids.push_back(tid);
  }
};

RangesInTime ranges_of_marks(const trace::Trace& trace) {
  using format::host::Msproftx;
  RangesInTime ranges;
  const auto domain = trace.strings.find(kModuleDomain);
  if (!domain) return ranges;
  const auto& marks = trace.marks();
  MarkPlaces places(trace);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const bool is_range =
        marks.event_type[i] == Msproftx::kStartEnd || marks.event_type[i] == Msproftx::kPushPop;
    if (marks.domain[i] != *domain || !is_range) continue;
    const ThreadRange place = places.of(i);
    ranges.add(marks.message[i], place.start_ns, place.end_ns, place.tid);
  }
  return ranges;
}

// Of equal calls the last recorded one is the outer one, so they are taken backwards.
RangesInTime ranges_of_python(const trace::Trace& trace) {
  RangesInTime ranges;
  const auto& calls = trace.python_calls();
  std::vector<std::uint8_t> is_module(trace.strings.size());
  for (std::uint32_t id = 0; id < is_module.size(); ++id) {
    is_module[id] = module_of_frame(trace.strings.view(StringId{id})) ? 1 : 0;
  }
  for (std::size_t i = calls.size(); i-- > 0;) {
    if (calls.module_id[i] == kNone && is_module[to_index(calls.name[i])] == 0) continue;
    ranges.add(calls.name[i], calls.start_ns[i], calls.end_ns[i], calls.tid[i]);
  }
  return ranges;
}

// Calls that are open on each thread, while times go by.
class OpenCalls {
 public:
  explicit OpenCalls(const ModuleCalls& calls) : calls_(calls) {}

  void enter(std::uint32_t tid, std::uint32_t call) {
    std::vector<std::uint32_t>& open = open_of(tid);
    if (open.size() == kMostOpen) forget_ended(open, calls_.start_ns[std::size_t{call}]);
    if (open.size() < kMostOpen) open.push_back(call);
  }

  // kNone if no call contains all of it. Those that are over are forgotten; those that merely do
  // not contain it stay open.
  std::uint32_t innermost(std::uint32_t tid, const TimeInterval& time) {
    const auto& ends = calls_.end_ns;
    std::vector<std::uint32_t>& open = open_of(tid);
    forget_ended(open, time.start_ns);
    for (std::size_t i = open.size(); i-- > 0;) {
      if (ends[std::size_t{open[i]}] >= time.end_ns) return open[i];
    }
    return kNone;
  }

 private:
  // One thread usually does several things before another does one.
  std::vector<std::uint32_t>& open_of(std::uint32_t tid) {
    if (last_ == nullptr || last_tid_ != tid) {
      last_ = &open_of_[tid];
      last_tid_ = tid;
    }
    return *last_;
  }
  void forget_ended(std::vector<std::uint32_t>& open, std::int64_t time_ns) const {
    const auto& ends = calls_.end_ns;
    std::erase_if(open, [&](std::uint32_t call) { return ends[std::size_t{call}] < time_ns; });
  }

  const ModuleCalls& calls_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> open_of_;
  std::vector<std::uint32_t>* last_ = nullptr;
  std::uint32_t last_tid_ = 0;
};

class MembershipFinder {
 public:
  MembershipFinder(const trace::Trace& trace, const OperatorWork& work,
                   std::span<const std::uint32_t> others)
      : trace_(trace), ops_(trace.framework_ops()), has_work_(ops_.size()) {
    has_collective_.resize(ops_.size());
    for (std::size_t i = 0; i < work.size(); ++i) {
      const std::uint32_t op = work.op[i];
      if (op == kNone) continue;
      has_work_[op] = 1;
      if (work.kind[i] == static_cast<std::uint8_t>(WorkKind::kCollective)) has_collective_[op] = 1;
    }
    is_placed_ = has_work_;
    for (const std::uint32_t op : others) is_placed_[op] = 1;
    out_.call_of_op.assign(ops_.size(), kNone);
    out_.is_backward.assign(ops_.size(), 0);
  }

  ModuleMembership run() {
    RangesInTime ranges = ranges_of_marks(trace_);
    if (ranges.names.empty()) {
      ranges = ranges_of_python(trace_);
      out_.is_from_python = !ranges.names.empty();
    }
    if (ranges.names.empty()) return std::move(out_);
    nest(ranges);
    follow_handovers();
    follow_backward();
    fill_gaps();
    return std::move(out_);
  }

 private:
  std::vector<std::uint32_t> asked_ops() const;
  void nest(const RangesInTime& ranges);
  void place_in_calls(std::span<const std::uint32_t> call_tids, std::span<const std::uint32_t> rows,
                      const auto& table, std::vector<std::uint32_t>& call_of) const;
  void follow_handovers();
  void follow_backward();
  void fill_gaps();
  std::uint32_t common_call(std::uint32_t a, std::uint32_t b) const;

  const trace::Trace& trace_;
  const trace::FrameworkOps& ops_;
  std::vector<std::uint8_t> has_work_;  // By operator.
  std::vector<std::uint8_t> is_placed_;
  std::vector<std::uint8_t> has_collective_;
  std::vector<std::uint32_t> call_of_mark_;  // By row of FlowMarks.
  ModuleMembership out_;
};

// The operators that are placed, and those whose backward pass may have some of them.
std::vector<std::uint32_t> MembershipFinder::asked_ops() const {
  std::vector<std::uint8_t> is_asked = is_placed_;
  for (const std::uint32_t op : trace_.forward_backward().forward) is_asked[op] = 1;
  std::vector<std::uint32_t> asked;
  asked.reserve(static_cast<std::size_t>(std::count(is_asked.begin(), is_asked.end(), 1)));
  for (std::uint32_t op = 0; op < ops_.size(); ++op) {
    if (is_asked[op] != 0) asked.push_back(op);
  }
  sort_by_nesting(asked, ops_.start_ns, ops_.end_ns, EqualIntervals::kFirstIsOuter);
  return asked;
}

// All threads in one pass, with a stack of open calls for each; then again for each kind of what is
// placed in them.
void MembershipFinder::nest(const RangesInTime& ranges) {
  const std::vector<std::uint32_t> order =
      nesting_order(ranges.starts, ranges.ends, EqualIntervals::kFirstIsOuter);
  ModuleCalls& calls = out_.calls;
  trace::reserve_rows(calls, order.size());
  std::vector<std::uint32_t> tids;
  tids.reserve(order.size());
  OpenCalls open(calls);
  for (const std::uint32_t range : order) {
    const TimeInterval time{ranges.starts[range], ranges.ends[range]};
    const std::uint32_t around = open.innermost(ranges.tids[range], time);
    calls.name.push_back(ranges.names[range]);
    calls.start_ns.push_back(time.start_ns);
    calls.end_ns.push_back(time.end_ns);
    calls.parent.push_back(around);
    calls.depth.push_back(around == kNone ? 1 : calls.depth[std::size_t{around}] + 1);
    tids.push_back(ranges.tids[range]);
    open.enter(tids.back(), static_cast<std::uint32_t>(calls.size() - 1));
  }
  const std::vector<std::uint32_t> asked = asked_ops();
  place_in_calls(tids, asked, ops_, out_.call_of_op);
  const trace::FlowMarks& marks = trace_.flow_marks();
  call_of_mark_.assign(marks.size(), kNone);
  place_in_calls(tids, nesting_order(marks.start_ns, marks.end_ns, EqualIntervals::kFirstIsOuter),
                 marks, call_of_mark_);
}

// `rows` of a table, in nesting order.
void MembershipFinder::place_in_calls(std::span<const std::uint32_t> call_tids,
                                      std::span<const std::uint32_t> rows, const auto& table,
                                      std::vector<std::uint32_t>& call_of) const {
  const ModuleCalls& calls = out_.calls;
  OpenCalls open(calls);
  visit_nested(
      calls.size(),
      [&](std::size_t call) {
        return TimeInterval{calls.start_ns[call], calls.end_ns[call]};
      },
      rows.size(),
      [&](std::size_t i) {
        return TimeInterval{table.start_ns[std::size_t{rows[i]}],
                            table.end_ns[std::size_t{rows[i]}]};
      },
      [&](std::size_t call, const TimeInterval&) {
        open.enter(call_tids[call], static_cast<std::uint32_t>(call));
      },
      [&](std::size_t i, const TimeInterval& time) {
        call_of[rows[i]] = open.innermost(table.tid[std::size_t{rows[i]}], time);
      });
}

// Work that another thread handed on belongs to the module in which that was done.
void MembershipFinder::follow_handovers() {
  if (call_of_mark_.empty()) return;
  const link::HandedWork handed(trace_);
  for (std::uint32_t op = 0; op < ops_.size(); ++op) {
    if (is_placed_[op] == 0 || out_.call_of_op[op] != kNone) continue;
    handed.for_each_mark(op, [&](std::uint32_t mark) {
      out_.call_of_op[op] = call_of_mark_[mark];
      return call_of_mark_[mark] != kNone;
    });
  }
}

// Whatever is nearer decides: a module around the operator or an operator of the backward pass.
void MembershipFinder::follow_backward() {
  const auto& pairs = trace_.forward_backward();
  if (pairs.size() == 0) return;
  std::vector<std::uint32_t> forward_of(ops_.size(), kNone);
  for (std::size_t i = 0; i < pairs.size(); ++i) forward_of[pairs.backward[i]] = pairs.forward[i];
  const std::vector<std::uint32_t> direct = out_.call_of_op;
  for (std::uint32_t op = 0; op < ops_.size(); ++op) {
    if (is_placed_[op] == 0) continue;
    const std::uint32_t around = direct[op];
    const std::int64_t begin_ns =
        around == kNone ? INT64_MIN : out_.calls.start_ns[std::size_t{around}];
    for (std::uint32_t at = op; at != kNone && ops_.start_ns[std::size_t{at}] >= begin_ns;
         at = ops_.parent[std::size_t{at}]) {
      if (forward_of[at] == kNone) continue;
      out_.is_backward[op] = 1;
      if (direct[forward_of[at]] != kNone) out_.call_of_op[op] = direct[forward_of[at]];
      break;
    }
  }
}

void MembershipFinder::fill_gaps() {
  struct Known {
    std::int64_t start_ns;
    std::uint32_t call;
  };
  std::unordered_map<std::uint32_t, std::vector<Known>> known_of;  // By thread.
  for (std::size_t op = 0; op < ops_.size(); ++op) {
    if (out_.is_backward[op] == 0 || has_work_[op] == 0) continue;
    known_of[ops_.tid[op]].push_back({ops_.start_ns[op], out_.call_of_op[op]});
  }
  const auto before = [](const Known& a, const Known& b) { return a.start_ns < b.start_ns; };
  for (auto& [tid, known] : known_of) std::stable_sort(known.begin(), known.end(), before);
  for (std::size_t op = 0; op < ops_.size(); ++op) {
    if (is_placed_[op] == 0 || out_.call_of_op[op] != kNone || out_.is_backward[op] != 0) continue;
    const auto thread = known_of.find(ops_.tid[op]);
    if (thread == known_of.end()) continue;
    const std::vector<Known>& known = thread->second;
    const auto next =
        std::upper_bound(known.begin(), known.end(), Known{ops_.start_ns[op], kNone}, before);
    if (next == known.begin() || next == known.end()) continue;
    const std::uint32_t common = common_call((next - 1)->call, next->call);
    if (common == kNone) continue;
    out_.is_backward[op] = 1;
    // Gradients of many modules are reduced together, whenever enough of them are there.
    if (has_collective_[op] == 0) out_.call_of_op[op] = common;
  }
}

std::uint32_t MembershipFinder::common_call(std::uint32_t a, std::uint32_t b) const {
  const ModuleCalls& calls = out_.calls;
  while (a != kNone && b != kNone && a != b) {
    const bool is_a_deeper = calls.depth[std::size_t{a}] >= calls.depth[std::size_t{b}];
    std::uint32_t& deeper = is_a_deeper ? a : b;
    deeper = calls.parent[std::size_t{deeper}];
  }
  return a == b ? a : kNone;
}

}  // namespace

ModuleMembership module_membership(const trace::Trace& trace, const OperatorWork& work,
                                   std::span<const std::uint32_t> others) {
  return MembershipFinder(trace, work, others).run();
}

std::string_view plain_module_name(std::string_view name) {
  return module_of_frame(name).value_or(name);
}

}  // namespace npuprof::analyze
