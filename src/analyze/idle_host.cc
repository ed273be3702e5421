#include "analyze/idle_host.h"

#include <algorithm>
#include <utility>

#include "base/sort_order.h"
#include "format/host/levels.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/steps.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/linked/forward_backward.h"

namespace npuprof::analyze {
namespace {

using trace::kNone;

// Rows of `whole`: the table is in the two upper bits.
enum class WholeTable : std::uint32_t { kOp = 0, kFrame = 1, kMark = 2 };
constexpr std::uint32_t kWholeRowBits = 30;
constexpr std::uint32_t kWholeRowMask = (1u << kWholeRowBits) - 1;

struct WholeRange {
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint32_t label;
};

std::span<const std::uint32_t> rows_of_thread(const link::ThreadOrder& order, std::uint32_t tid) {
  const std::size_t thread = order.find(tid);
  if (thread == link::ThreadOrder::kNoThread) return {};
  return order.rows(thread);
}

}  // namespace

IdleHost::IdleHost(const trace::Trace& trace)
    : trace_(trace),
      names_(trace.strings),
      // Host calls are in nesting order already.
      call_rows_(link::ThreadOrder::of_events(trace.api_calls().tid, trace.api_calls().start_ns)),
      op_rows_(link::ThreadOrder::of_ranges(
          trace.framework_ops().tid, trace.framework_ops().start_ns, trace.framework_ops().end_ns)),
      frame_rows_(link::ThreadOrder::of_ranges(
          trace.python_calls().tid, trace.python_calls().start_ns, trace.python_calls().end_ns)),
      mark_rows_(link::ThreadOrder::of_ranges(trace.marks().tid, trace.marks().start_ns,
                                              trace.marks().end_ns)),
      module_domain_(trace.strings.find("Module").value_or(kEmptyString)) {
  add_collections();
  const trace::ForwardBackward& pairs = trace.forward_backward();
  const trace::FrameworkOps& ops = trace.framework_ops();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs.forward[i] >= ops.size() || pairs.backward[i] >= ops.size()) continue;
    const std::uint32_t forward = ops.tid[pairs.forward[i]];
    const std::uint32_t backward = ops.tid[pairs.backward[i]];
    if (forward == backward) continue;
    for (const auto& [from, to] : {std::pair(forward, backward), std::pair(backward, forward)}) {
      std::vector<std::uint32_t>& others = links_[from];
      if (std::find(others.begin(), others.end(), to) == others.end()) others.push_back(to);
    }
  }
}

void IdleHost::add_collections() {
  const trace::GarbageCollections& rows = trace_.garbage_collections();
  TimeLayer::Builder builder(collections_);
  for (const std::uint32_t row :
       nesting_order(rows.start_ns, rows.end_ns, EqualIntervals::kLastIsOuter)) {
    builder.begin(rows.start_ns[row], rows.end_ns[row], row);
  }
  builder.finish();
}

IdleHost::Thread& IdleHost::thread(std::uint32_t tid) {
  // Two threads are asked in turn: the one that launches and the one that asks for work.
  if (last_thread_ != nullptr && last_thread_->tid == tid) return *last_thread_;
  std::swap(last_thread_, other_thread_);
  if (last_thread_ != nullptr && last_thread_->tid == tid) return *last_thread_;
  std::unique_ptr<Thread>& place = threads_[tid];
  if (place == nullptr) {
    place = std::make_unique<Thread>();
    place->tid = tid;
    add_calls(*place);
    add_ops(*place);
    add_frames(*place);
    add_marks(*place);
    add_whole(*place);
  }
  last_thread_ = place.get();
  return *place;
}

const std::vector<IdleHost::Thread*>& IdleHost::linked(Thread& thread) {
  if (thread.is_linked) return thread.linked;
  thread.is_linked = true;
  if (const auto found = links_.find(thread.tid); found != links_.end()) {
    for (const std::uint32_t other : found->second) {
      thread.linked.push_back(&this->thread(other));
    }
  }
  return thread.linked;
}

// What is called inside of a wait is part of it.
void IdleHost::add_calls(Thread& thread) {
  const trace::ApiCalls& calls = trace_.api_calls();
  TimeLayer::Builder builder(thread.calls);
  for (const std::uint32_t row : rows_of_thread(call_rows_, thread.tid)) {
    const std::uint32_t outer = builder.enclosing(calls.start_ns[row]);
    const bool is_waiting = outer != kNone && names_.waits_for_device(calls.name[outer]);
    builder.begin(calls.start_ns[row], calls.end_ns[row], is_waiting ? outer : row);
  }
  builder.finish();
}

// Steps are no work; what ends on another thread says nothing about this one.
void IdleHost::add_ops(Thread& thread) {
  const trace::FrameworkOps& ops = trace_.framework_ops();
  TimeLayer::Builder builder(thread.ops);
  for (const std::uint32_t row : rows_of_thread(op_rows_, thread.tid)) {
    if (ops.is_async[row] != 0 || names_.is_step(ops.name[row])) continue;
    builder.begin(ops.start_ns[row], ops.end_ns[row], row);
  }
  builder.finish();
}

void IdleHost::add_frames(Thread& thread) {
  const trace::PythonCalls& calls = trace_.python_calls();
  TimeLayer::Builder frames(thread.frames);
  TimeLayer::Builder lines(thread.lines);
  TimeLayer::Builder modules(thread.module_frames);
  for (const std::uint32_t row : rows_of_thread(frame_rows_, thread.tid)) {
    frames.begin(calls.start_ns[row], calls.end_ns[row], row);
    if (!names_.is_built_in(calls.name[row])) {
      lines.begin(calls.start_ns[row], calls.end_ns[row], row);
    }
    if (calls.module_id[row] == kNone) continue;
    modules.begin(calls.start_ns[row], calls.end_ns[row], to_index(calls.name[row]));
  }
  frames.finish();
  lines.finish();
  modules.finish();
}

// Marks of modules say where, not what.
void IdleHost::add_marks(Thread& thread) {
  const trace::Marks& marks = trace_.marks();
  TimeLayer::Builder builder(thread.marks);
  TimeLayer::Builder modules(thread.module_marks);
  for (const std::uint32_t row : rows_of_thread(mark_rows_, thread.tid)) {
    if (marks.domain[row] == module_domain_ && module_domain_ != kEmptyString) {
      modules.begin(marks.start_ns[row], marks.end_ns[row], to_index(marks.message[row]));
    } else if (!names_.is_step(marks.message[row])) {
      builder.begin(marks.start_ns[row], marks.end_ns[row], row);
    }
  }
  builder.finish();
  modules.finish();
}

void IdleHost::add_whole(Thread& thread) {
  std::vector<WholeRange> ranges;
  const auto add = [&](const auto& table, std::uint32_t row, WholeTable kind) {
    if (row > kWholeRowMask) return;
    ranges.push_back({table.start_ns[row], table.end_ns[row],
                      static_cast<std::uint32_t>(kind) << kWholeRowBits | row});
  };
  const trace::FrameworkOps& ops = trace_.framework_ops();
  for (const std::uint32_t row : rows_of_thread(op_rows_, thread.tid)) {
    if (names_.is_loading(ops.name[row])) add(ops, row, WholeTable::kOp);
  }
  const trace::PythonCalls& calls = trace_.python_calls();
  for (const std::uint32_t row : rows_of_thread(frame_rows_, thread.tid)) {
    if (names_.is_loading_frame(calls.name[row])) add(calls, row, WholeTable::kFrame);
  }
  const trace::Marks& marks = trace_.marks();
  for (const std::uint32_t row : rows_of_thread(mark_rows_, thread.tid)) {
    if (names_.is_loading(marks.message[row]) || names_.is_loading(marks.domain[row]) ||
        names_.is_checkpoint(marks.message[row])) {
      add(marks, row, WholeTable::kMark);
    }
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const WholeRange& a, const WholeRange& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  TimeLayer::Builder builder(thread.whole);
  for (const WholeRange& range : ranges) {
    const std::uint32_t outer = builder.enclosing(range.start_ns);
    builder.begin(range.start_ns, range.end_ns, outer != kNone ? outer : range.label);
  }
  builder.finish();
}

void IdleHost::set_call(std::uint32_t call, IdleMoment& moment) {
  const trace::ApiCalls& calls = trace_.api_calls();
  moment.cause =
      names_.waits_for_device(calls.name[call]) ? IdleCause::kSynchronization : IdleCause::kLaunch;
  moment.evidence = IdleEvidence::kApiCall;
  moment.evidence_row = call;
  const bool by_item =
      calls.level[call] == format::host::kLevelHccl && calls.item_name[call] != kEmptyString;
  moment.detail = by_item ? calls.item_name[call] : calls.name[call];
}

// The one that started last is inside of the others.
void IdleHost::set_innermost(std::uint32_t op, std::uint32_t frame, std::uint32_t mark,
                             IdleMoment& moment) {
  std::int64_t latest_ns = INT64_MIN;
  const auto take = [&](std::uint32_t row, std::int64_t start_ns, IdleCause cause,
                        IdleEvidence evidence, StringId detail) {
    if (start_ns < latest_ns) return;
    latest_ns = start_ns;
    moment.cause = cause;
    moment.evidence = evidence;
    moment.evidence_row = row;
    moment.detail = detail;
  };
  const trace::Marks& marks = trace_.marks();
  const trace::PythonCalls& calls = trace_.python_calls();
  const trace::FrameworkOps& ops = trace_.framework_ops();
  if (frame != kNone) {
    take(frame, calls.start_ns[frame], IdleCause::kPython, IdleEvidence::kPythonCall,
         calls.name[frame]);
  }
  if (mark != kNone) {
    take(mark, marks.start_ns[mark], IdleCause::kMark, IdleEvidence::kMark, marks.message[mark]);
  }
  if (op != kNone) {
    take(op, ops.start_ns[op], IdleCause::kOperator, IdleEvidence::kOperator, ops.name[op]);
  }
}

// Ranges that went through the queue are recorded by the thread that launches.
LayerHit IdleHost::find_with_launcher(TimeLayer Thread::*layer, Thread& thread, Thread* launcher,
                                      std::int64_t time_ns) {
  LayerHit hit = (thread.*layer).find(time_ns);
  if (hit.label != kNone || launcher == nullptr) return hit;
  const LayerHit other = (launcher->*layer).find(time_ns);
  hit.label = other.label;
  hit.until_ns = std::min(hit.until_ns, other.until_ns);
  hit.since_ns = std::max(hit.since_ns, other.since_ns);
  return hit;
}

void IdleHost::set_whole(std::uint32_t label, IdleMoment& moment) {
  const std::uint32_t row = label & kWholeRowMask;
  moment.evidence_row = row;
  moment.cause = IdleCause::kDataLoader;
  switch (static_cast<WholeTable>(label >> kWholeRowBits)) {
    case WholeTable::kOp:
      moment.evidence = IdleEvidence::kOperator;
      moment.detail = trace_.framework_ops().name[row];
      break;
    case WholeTable::kFrame:
      moment.evidence = IdleEvidence::kPythonCall;
      moment.detail = trace_.python_calls().name[row];
      break;
    case WholeTable::kMark: {
      const trace::Marks& marks = trace_.marks();
      moment.evidence = IdleEvidence::kMark;
      moment.detail = marks.message[row];
      const bool loads =
          names_.is_loading(marks.message[row]) || names_.is_loading(marks.domain[row]);
      if (!loads) moment.cause = IdleCause::kMark;
      break;
    }
  }
}

bool IdleHost::find_strong(Thread& thread, Thread* launcher, std::int64_t time_ns,
                           IdleMoment& moment) {
  const LayerHit whole = find_with_launcher(&Thread::whole, thread, launcher, time_ns);
  const LayerHit call = thread.calls.find(time_ns);
  const LayerHit op = thread.ops.find(time_ns);
  const LayerHit frame = thread.frames.find(time_ns);
  const LayerHit mark = find_with_launcher(&Thread::marks, thread, launcher, time_ns);
  moment.until_ns = std::min(moment.until_ns, whole.until_ns);
  if (whole.label == kNone) {
    moment.until_ns =
        std::min({moment.until_ns, call.until_ns, op.until_ns, frame.until_ns, mark.until_ns});
    if (call.label == kNone && op.label == kNone) return false;
  }
  moment.thread = thread.tid;
  moment.op = op.label;
  moment.python_call = thread.lines.find(time_ns).label;
  if (whole.label != kNone) {
    set_whole(whole.label, moment);
  } else if (call.label != kNone) {
    set_call(call.label, moment);
  } else {
    set_innermost(op.label, frame.label, mark.label, moment);
  }
  return true;
}

bool IdleHost::find_weak(Thread& thread, Thread* launcher, std::int64_t time_ns,
                         IdleMoment& moment) {
  const std::uint32_t frame = thread.frames.find(time_ns).label;
  const std::uint32_t mark = find_with_launcher(&Thread::marks, thread, launcher, time_ns).label;
  if (frame == kNone && mark == kNone) return false;
  moment.thread = thread.tid;
  moment.python_call = thread.lines.find(time_ns).label;
  set_innermost(kNone, frame, mark, moment);
  return true;
}

// Nothing was recorded until `until_ns`: is that because a step ended or began?
void IdleHost::find_step(Thread& thread, std::int64_t time_ns, std::int64_t until_ns,
                         IdleMoment& moment) {
  const trace::Steps& steps = trace_.steps();
  moment.thread = thread.tid;
  const auto next =
      std::upper_bound(steps.host_start_ns.begin(), steps.host_start_ns.end(), time_ns) -
      steps.host_start_ns.begin();
  if (next == 0) return;
  const auto step = static_cast<std::uint32_t>(next - 1);
  const std::int64_t step_start_ns = steps.host_start_ns[step];
  const std::int64_t step_end_ns = steps.host_end_ns[step];
  const bool is_behind_last = time_ns >= step_end_ns && step + 1 == steps.size();
  if (is_behind_last) return;
  const std::int64_t since_ns =
      std::max({thread.ops.find(time_ns).since_ns, thread.calls.find(time_ns).since_ns,
                collections_.find(time_ns).since_ns});
  const bool is_edge =
      time_ns >= step_end_ns || since_ns <= step_start_ns || until_ns >= step_end_ns;
  if (!is_edge) return;
  moment.cause = IdleCause::kStepBoundary;
  moment.evidence = IdleEvidence::kStep;
  moment.evidence_row = step;
  const std::uint32_t op = steps.op[step];
  if (op < trace_.framework_ops().size()) moment.detail = trace_.framework_ops().name[op];
}

IdleMoment IdleHost::producer_at(std::uint32_t tid, std::uint32_t launcher, std::int64_t time_ns) {
  IdleMoment moment;
  const LayerHit collection = collections_.find(time_ns);
  moment.until_ns = collection.until_ns;
  if (collection.label != kNone) {
    moment.cause = IdleCause::kGarbageCollection;
    moment.evidence = IdleEvidence::kGarbageCollection;
    moment.evidence_row = collection.label;
    moment.thread = tid;
    if (tid != kNone) moment.python_call = python_call_at(tid, time_ns);
    return moment;
  }
  if (tid == kNone) return moment;
  Thread& own = thread(tid);
  const std::vector<Thread*>& others = linked(own);
  Thread* marking = launcher == kNone || launcher == tid ? nullptr : &thread(launcher);
  bool is_found = find_strong(own, marking, time_ns, moment);
  for (std::size_t i = 0; i < others.size() && !is_found; ++i) {
    is_found = find_strong(*others[i], nullptr, time_ns, moment);
  }
  if (!is_found) is_found = find_weak(own, marking, time_ns, moment);
  for (std::size_t i = 0; i < others.size() && !is_found; ++i) {
    is_found = find_weak(*others[i], nullptr, time_ns, moment);
  }
  if (!is_found) find_step(own, time_ns, moment.until_ns, moment);
  moment.module = module_at(moment.thread, launcher, time_ns);
  return moment;
}

IdleMoment IdleHost::launcher_at(std::uint32_t tid, std::int64_t time_ns) {
  IdleMoment moment;
  moment.thread = tid;
  const LayerHit call = thread(tid).calls.find(time_ns);
  moment.until_ns = call.until_ns;
  if (call.label != kNone) set_call(call.label, moment);
  return moment;
}

std::uint32_t IdleHost::python_call_at(std::uint32_t tid, std::int64_t time_ns) {
  return thread(tid).lines.find(time_ns).label;
}

StringId IdleHost::module_at(std::uint32_t tid, std::uint32_t launcher, std::int64_t time_ns) {
  std::uint32_t label = kNone;
  for (const std::uint32_t asked : {tid, launcher}) {
    if (label != kNone || asked == kNone) continue;
    label = thread(asked).module_frames.find(time_ns).label;
    if (label == kNone) label = thread(asked).module_marks.find(time_ns).label;
  }
  return label == kNone ? kEmptyString : static_cast<StringId>(label);
}

}  // namespace npuprof::analyze
