#include "link/framework/call_stacks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "format/framework/python_tracer.h"
#include "link/framework/handed_work.h"
#include "link/time_order.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/python_calls.h"

namespace npuprof::link {
namespace {

using trace::kNone;

struct Asked {
  std::int64_t time_ns;
  std::uint32_t op;
};

// What was asked for on each thread of `callers`, in order of time.
std::vector<std::vector<Asked>> asked_on_threads(const trace::Trace& trace,
                                                 const ThreadOrder& callers) {
  std::vector<std::vector<Asked>> asked(callers.thread_count());
  const HandedWork handed(trace);
  for (std::uint32_t op = 0; op < trace.framework_ops().size(); ++op) {
    const CallPlace place = handed.called_on(op, callers);
    if (place.thread != ThreadOrder::kNoThread) asked[place.thread].push_back({place.time_ns, op});
  }
  for (std::vector<Asked>& of_thread : asked) {
    std::stable_sort(of_thread.begin(), of_thread.end(),
                     [](const Asked& a, const Asked& b) { return a.time_ns < b.time_ns; });
  }
  return asked;
}

// The stack of open calls of one thread after the other.
class OpenCalls {
 public:
  explicit OpenCalls(trace::Trace& trace)
      : calls_(trace.python_calls()),
        strings_(trace.strings),
        stack_of_call_(calls_.size(), kEmptyString) {}

  void open(std::uint32_t call) {
    close_until(calls_.start_ns[call]);
    open_.push_back(call);
  }
  void close_all() { open_.clear(); }

  StringId stack_at(std::int64_t time_ns) {
    close_until(time_ns);
    if (open_.empty()) return kEmptyString;
    StringId& stack = stack_of_call_[open_.back()];
    if (stack == kEmptyString) stack = strings_.intern(joined());
    return stack;
  }

 private:
  void close_until(std::int64_t time_ns) {
    while (!open_.empty() && calls_.end_ns[open_.back()] <= time_ns) open_.pop_back();
  }
  std::string_view joined() {
    text_.clear();
    for (auto call = open_.rbegin(); call != open_.rend(); ++call) {
      if (!text_.empty()) text_ += ';';
      text_ += format::framework::frame_without_address(strings_.view(calls_.name[*call]));
    }
    return text_;
  }

  const trace::PythonCalls& calls_;
  StringPool& strings_;
  std::vector<std::uint32_t> open_;      // Outermost first.
  std::vector<StringId> stack_of_call_;  // Empty until somebody asked.
  std::string text_;
};

}  // namespace

void link_call_stacks(trace::Trace& trace) {
  const trace::PythonCalls& calls = trace.python_calls();
  if (trace.session.framework != trace::Framework::kMindSpore || calls.size() == 0) return;
  const ThreadOrder callers = ThreadOrder::of_ranges(calls.tid, calls.start_ns, calls.end_ns);
  const std::vector<std::vector<Asked>> asked = asked_on_threads(trace, callers);
  OpenCalls open(trace);
  for (std::size_t thread = 0; thread < callers.thread_count(); ++thread) {
    const auto rows = callers.rows(thread);
    auto next = rows.begin();
    for (const Asked& each : asked[thread]) {
      while (next != rows.end() && calls.start_ns[*next] <= each.time_ns) open.open(*next++);
      trace.framework_ops().stack[each.op] = open.stack_at(each.time_ns);
    }
    open.close_all();
  }
}

}  // namespace npuprof::link
