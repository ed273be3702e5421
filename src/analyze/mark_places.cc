#include "analyze/mark_places.h"

#include <algorithm>
#include <map>

#include "trace/framework/framework_ops.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/marks.h"

namespace npuprof::analyze {

using trace::kNone;

MarkPlaces::MarkPlaces(const trace::Trace& trace)
    : trace_(trace),
      dequeue_rows_(link::ThreadOrder::of_events(trace.dequeues().tid, trace.dequeues().start_ns)),
      last_dequeue_(dequeue_rows_, trace.dequeues().start_ns) {
  const auto& ops = trace.framework_ops();
  std::map<std::uint32_t, std::size_t> counts;
  for (std::size_t i = 0; i < ops.size();) {
    // Rows of one thread come in runs.
    std::size_t end = i + 1;
    while (end < ops.size() && ops.tid[end] == ops.tid[i]) ++end;
    counts[ops.tid[i]] += end - i;
    i = end;
  }
  std::size_t most = 0;
  for (const auto& [tid, count] : counts) {
    op_threads_.push_back(tid);
    if (count <= most) continue;
    most = count;
    main_thread_ = tid;
  }
}

std::uint32_t MarkPlaces::enqueue_at(std::uint32_t tid, std::int64_t time_ns) {
  const auto& dequeues = trace_.dequeues();
  const std::uint32_t dequeue = last_dequeue_.find(tid, time_ns);
  if (dequeue == kNone || time_ns > dequeues.end_ns[std::size_t{dequeue}]) return kNone;
  return dequeues.partner[std::size_t{dequeue}];
}

ThreadRange MarkPlaces::of(std::size_t mark) {
  const auto& marks = trace_.marks();
  const auto& enqueues = trace_.enqueues();
  const std::uint32_t tid = marks.tid[mark];
  ThreadRange range{marks.start_ns[mark], marks.end_ns[mark], tid};
  const std::uint32_t begin = enqueue_at(tid, range.start_ns);
  if (begin != kNone) {
    const std::uint32_t end = enqueue_at(tid, range.end_ns);
    range.start_ns = enqueues.start_ns[std::size_t{begin}];
    range.tid = enqueues.tid[std::size_t{begin}];
    if (end != kNone) range.end_ns = enqueues.end_ns[std::size_t{end}];
  } else if (main_thread_ != kNone &&
             !std::binary_search(op_threads_.begin(), op_threads_.end(), tid)) {
    range.tid = main_thread_;
  }
  return range;
}

}  // namespace npuprof::analyze
