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

  void reserve(std::size_t count) {
    names.reserve(count);
    starts.reserve(count);
    ends.reserve(count);
    tids.reserve(count);
  }
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

class MembershipFinder {
 public:
  MembershipFinder(const trace::Trace& trace, const OperatorWork& work)
      : trace_(trace), ops_(trace.framework_ops()), has_work_(ops_.size()) {
    has_collective_.resize(ops_.size());
    for (std::size_t i = 0; i < work.size(); ++i) {
      const std::uint32_t op = work.op[i];
      if (op == kNone) continue;
      has_work_[op] = 1;
      if (work.kind[i] == static_cast<std::uint8_t>(WorkKind::kCollective)) has_collective_[op] = 1;
    }
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
    nest(std::move(ranges));
    follow_handovers();
    follow_backward();
    fill_gaps();
    return std::move(out_);
  }

 private:
  void nest(RangesInTime ranges);
  std::uint32_t innermost(std::vector<std::uint32_t>& open, std::int64_t start_ns,
                          std::int64_t end_ns) const;
  void follow_handovers();
  void follow_backward();
  void fill_gaps();
  std::uint32_t common_call(std::uint32_t a, std::uint32_t b) const;

  const trace::Trace& trace_;
  const trace::FrameworkOps& ops_;
  std::vector<std::uint8_t> has_work_;  // By operator.
  std::vector<std::uint8_t> has_collective_;
  std::vector<std::uint32_t> call_of_mark_;  // By row of FlowMarks.
  ModuleMembership out_;
};

// All threads in one pass, with a stack of open calls for each.
void MembershipFinder::nest(RangesInTime ranges) {
  const std::size_t range_count = ranges.names.size();
  std::vector<std::uint8_t> is_asked = has_work_;
  for (const std::uint32_t op : trace_.forward_backward().forward) is_asked[op] = 1;
  const auto asked_count =
      static_cast<std::size_t>(std::count(is_asked.begin(), is_asked.end(), 1));
  std::vector<std::uint32_t> asked;
  asked.reserve(asked_count);
  ranges.reserve(range_count + asked_count + trace_.flow_marks().size());
  for (std::uint32_t op = 0; op < ops_.size(); ++op) {
    if (is_asked[op] == 0) continue;
    asked.push_back(op);
    const std::size_t row = op;
    ranges.add(ops_.name[row], ops_.start_ns[row], ops_.end_ns[row], ops_.tid[row]);
  }
  const trace::FlowMarks& marks = trace_.flow_marks();
  for (std::size_t mark = 0; mark < marks.size(); ++mark) {
    ranges.add(kEmptyString, marks.start_ns[mark], marks.end_ns[mark], marks.tid[mark]);
  }
  call_of_mark_.assign(marks.size(), kNone);
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> open_of;
  ModuleCalls& calls = out_.calls;
  for (const std::uint32_t node :
       nesting_order(ranges.starts, ranges.ends, EqualIntervals::kFirstIsOuter)) {
    std::vector<std::uint32_t>& open = open_of[ranges.tids[node]];
    const std::uint32_t around = innermost(open, ranges.starts[node], ranges.ends[node]);
    if (node >= range_count) {
      const std::size_t place = node - range_count;
      std::uint32_t& call = place < asked.size() ? out_.call_of_op[asked[place]]
                                                 : call_of_mark_[place - asked.size()];
      call = around;
      continue;
    }
    if (open.size() < kMostOpen) open.push_back(static_cast<std::uint32_t>(calls.size()));
    calls.name.push_back(ranges.names[node]);
    calls.start_ns.push_back(ranges.starts[node]);
    calls.end_ns.push_back(ranges.ends[node]);
    calls.parent.push_back(around);
    calls.depth.push_back(around == kNone ? 1 : calls.depth[std::size_t{around}] + 1);
  }
}

// Those that are over are forgotten; those that merely do not contain it stay open.
std::uint32_t MembershipFinder::innermost(std::vector<std::uint32_t>& open, std::int64_t start_ns,
                                          std::int64_t end_ns) const {
  const auto& ends = out_.calls.end_ns;
  std::erase_if(open, [&](std::uint32_t call) { return ends[std::size_t{call}] < start_ns; });
  for (std::size_t i = open.size(); i-- > 0;) {
    if (ends[std::size_t{open[i]}] >= end_ns) return open[i];
  }
  return kNone;
}

// Work that another thread handed on belongs to the module in which that was done.
void MembershipFinder::follow_handovers() {
  if (call_of_mark_.empty()) return;
  const link::HandedWork handed(trace_);
  for (std::uint32_t op = 0; op < ops_.size(); ++op) {
    if (has_work_[op] == 0 || out_.call_of_op[op] != kNone) continue;
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
    if (has_work_[op] == 0) continue;
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
    if (out_.is_backward[op] == 0) continue;
    known_of[ops_.tid[op]].push_back({ops_.start_ns[op], out_.call_of_op[op]});
  }
  const auto before = [](const Known& a, const Known& b) { return a.start_ns < b.start_ns; };
  for (auto& [tid, known] : known_of) std::stable_sort(known.begin(), known.end(), before);
  for (std::size_t op = 0; op < ops_.size(); ++op) {
    if (has_work_[op] == 0 || out_.call_of_op[op] != kNone || out_.is_backward[op] != 0) continue;
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

ModuleMembership module_membership(const trace::Trace& trace, const OperatorWork& work) {
  return MembershipFinder(trace, work).run();
}

std::string_view plain_module_name(std::string_view name) {
  return module_of_frame(name).value_or(name);
}

}  // namespace npuprof::analyze
