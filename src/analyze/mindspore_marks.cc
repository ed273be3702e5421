#include "analyze/mindspore_marks.h"

#include <unordered_map>

#include "base/sort_order.h"
#include "format/mindspore/op_range.h"
#include "trace/framework/framework_ops.h"
#include "trace/host/marks.h"

namespace npuprof::analyze {
namespace {

// Records of one thread by begin. Marks ask in the order of their begins.
struct MarkRecords {
  std::vector<std::uint32_t> ops;
  std::size_t next = 0;
};

std::unordered_map<std::uint32_t, MarkRecords> mark_records(const trace::Trace& trace) {
  const trace::FrameworkOps& ops = trace.framework_ops();
  std::unordered_map<std::uint32_t, MarkRecords> by_thread;
  for (const std::uint32_t op : stable_order(ops.start_ns)) {
    if (!format::mindspore::is_mark_name(trace.strings.view(ops.name[op]))) continue;
    by_thread[ops.tid[op]].ops.push_back(op);
  }
  return by_thread;
}

}  // namespace

std::vector<std::uint32_t> mindspore_marks(const trace::Trace& trace) {
  if (trace.session.framework != trace::Framework::kMindSpore) return {};
  const trace::Marks& marks = trace.marks();
  std::vector<std::uint32_t> record_of(marks.size(), trace::kNone);
  if (marks.size() == 0) return record_of;
  const trace::FrameworkOps& ops = trace.framework_ops();
  auto by_thread = mark_records(trace);
  for (const std::uint32_t mark : stable_order(marks.start_ns)) {
    const auto found = by_thread.find(marks.tid[mark]);
    if (found == by_thread.end() || marks.is_mstx[mark] == 0) continue;
    MarkRecords& records = found->second;
    const std::int64_t time_ns = marks.start_ns[mark];
    const auto ends_before = [&](std::uint32_t op) { return ops.end_ns[op] < time_ns; };
    while (records.next < records.ops.size() && ends_before(records.ops[records.next])) {
      ++records.next;
    }
    if (records.next == records.ops.size()) continue;
    const std::uint32_t op = records.ops[records.next];
    if (ops.start_ns[op] <= time_ns) record_of[mark] = op;
  }
  return record_of;
}

}  // namespace npuprof::analyze
