#include "link/framework/queue.h"

#include <unordered_map>
#include <vector>

#include "base/sort_order.h"
#include "format/framework/op_mark.h"
#include "link/row_map.h"
#include "link/time_order.h"
#include "trace/framework/queue_marks.h"
#include "trace/framework/queue_ranges.h"

namespace npuprof::link {
namespace {

using format::framework::OpMarkCategory;
using trace::kNone;
using trace::QueueMarks;

// For each end mark the start mark it closes, kNone for all other marks.
class MarkPairs {
 public:
  explicit MarkPairs(const QueueMarks& marks) : marks_(marks), starts_(marks.size(), kNone) {
    const auto threads = ThreadOrder::of_events(marks.tid, marks.time_ns);
    for (std::size_t thread = 0; thread < threads.thread_count(); ++thread) {
      open_enqueues_.clear();
      open_dequeue_ = kNone;
      for (const std::uint32_t row : threads.rows(thread)) take(row);
    }
  }

  std::uint32_t start_of(std::uint32_t end_row) const { return starts_[end_row]; }

 private:
  void take(std::uint32_t row) {
    switch (static_cast<OpMarkCategory>(marks_.category[row])) {
      case OpMarkCategory::kEnqueueStart:
        open_enqueues_[to_index(marks_.name[row])] = row;
        break;
      case OpMarkCategory::kEnqueueEnd: {
        const auto open = open_enqueues_.find(to_index(marks_.name[row]));
        if (open == open_enqueues_.end()) break;
        starts_[row] = open->second;
        open_enqueues_.erase(open);
        break;
      }
      case OpMarkCategory::kDequeueStart:
        open_dequeue_ = row;
        break;
      case OpMarkCategory::kDequeueEnd:
        if (open_dequeue_ != kNone &&
            marks_.correlation[open_dequeue_] == marks_.correlation[row]) {
          starts_[row] = open_dequeue_;
        }
        open_dequeue_ = kNone;
        break;
    }
  }

  const QueueMarks& marks_;
  std::vector<std::uint32_t> starts_;
  // Of the thread at hand.
  std::unordered_map<std::uint32_t, std::uint32_t> open_enqueues_;  // Name to start mark.
  std::uint32_t open_dequeue_ = kNone;
};

// `ranges`: enqueues or dequeues.
void append_range(auto& ranges, const QueueMarks& marks, std::uint32_t start, std::uint32_t end) {
  ranges.start_ns.push_back(marks.time_ns[start]);
  ranges.end_ns.push_back(marks.time_ns[end]);
  ranges.correlation.push_back(marks.correlation[end]);
  ranges.tid.push_back(marks.tid[end]);
  ranges.pid.push_back(marks.pid[end]);
  ranges.name.push_back(marks.name[end]);
  ranges.partner.push_back(kNone);
  ranges.op.push_back(kNone);
}

}  // namespace

void join_queues(trace::Trace& trace) {
  trace::Enqueues& enqueues = trace.enqueues();
  trace::Dequeues& dequeues = trace.dequeues();
  RowMap enqueue_of(enqueues.size());
  for (std::uint32_t row = 0; row < enqueues.size(); ++row) {
    enqueue_of[{enqueues.correlation[row], enqueues.pid[row]}] = row;
  }
  for (std::uint32_t row = 0; row < dequeues.size(); ++row) {
    const std::uint32_t enqueue = enqueue_of.find({dequeues.correlation[row], dequeues.pid[row]});
    if (enqueue == kNone) continue;
    dequeues.partner[row] = enqueue;
    enqueues.partner[enqueue] = row;
  }
}

void link_queue(trace::Trace& trace) {
  const QueueMarks& marks = trace.queue_marks();
  trace.enqueues() = {};
  trace.dequeues() = {};
  const MarkPairs pairs(marks);
  for (const std::uint32_t row : stable_order(marks.time_ns)) {
    const std::uint32_t start = pairs.start_of(row);
    if (start == kNone) continue;
    const auto category = static_cast<OpMarkCategory>(marks.category[row]);
    if (category == OpMarkCategory::kEnqueueEnd) {
      append_range(trace.enqueues(), marks, start, row);
    } else {
      append_range(trace.dequeues(), marks, start, row);
    }
  }
  join_queues(trace);
}

}  // namespace npuprof::link
