#include "link/device/step_trace.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "format/device/ts_track.h"
#include "trace/device/step_marks.h"
#include "trace/linked/device_steps.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"

namespace npuprof::link {
namespace {

using format::device::StepTag;

struct Mark {
  std::int64_t time_ns;
  std::uint64_t model_id;
  std::uint64_t index;
  std::uint16_t stream;
  std::uint16_t tag;
};

struct Range {
  std::int64_t start_ns;
  std::int64_t end_ns;
  bool is_get_next;
};

bool is_iteration_tag(std::uint16_t tag) {
  return tag == StepTag::kForwardStart || tag == StepTag::kBackwardEnd ||
         tag == StepTag::kIterationEnd;
}

// Puts the marks of one model, sorted by time, into the order of their iterations.
class IterationOrder {
 public:
  std::vector<Mark> sort(const std::vector<Mark>& marks) {
    for (const Mark& mark : marks) {
      if (mark.tag == StepTag::kModelStart) {
        open(mark);
      } else if (mark.tag == StepTag::kModelEnd) {
        flush_first_run();
        sorted_.push_back(mark);
      } else if (is_iteration_tag(mark.tag)) {
        add_iteration_mark(mark);
      } else if (StepTag::is_reduce(mark.tag)) {
        add_reduce_mark(mark);
      } else if (StepTag::is_get_next(mark.tag) && !open_.empty()) {
        open_.back().marks.push_back(mark);
      }
    }
    while (!open_.empty()) flush_front();
    return std::move(sorted_);
  }

 private:
  struct Iteration {
    std::uint16_t first_tag;
    std::uint16_t last_tag;  // Of model start, forward start, backward end, iteration end.
    std::vector<Mark> marks;
  };

  void open(const Mark& mark) { open_.push_back({mark.tag, mark.tag, {mark}}); }

  void flush_front() {
    const std::vector<Mark>& marks = open_.front().marks;
    sorted_.insert(sorted_.end(), marks.begin(), marks.end());
    open_.pop_front();
  }

  // The iterations of the oldest model run: all up to the next model start.
  void flush_first_run() {
    int starts = 0;
    while (!open_.empty()) {
      if (open_.front().first_tag == StepTag::kModelStart && ++starts == 2) return;
      flush_front();
    }
  }

  void add_iteration_mark(const Mark& mark) {
    for (Iteration& iteration : open_) {
      if (iteration.last_tag >= mark.tag) continue;
      iteration.last_tag = mark.tag;
      iteration.marks.push_back(mark);
      return;
    }
    open(mark);
  }

  void add_reduce_mark(const Mark& mark) {
    for (Iteration& iteration : open_) {
      if (iteration.last_tag == StepTag::kIterationEnd) continue;
      iteration.marks.push_back(mark);
      return;
    }
  }

  std::deque<Iteration> open_;
  std::vector<Mark> sorted_;
};

// Cuts the sorted marks of one model into iterations and appends them to the tables.
class IterationCutter {
 public:
  IterationCutter(trace::Trace& trace, std::uint16_t device) : trace_(trace), device_(device) {}

  void run(const std::vector<Mark>& marks) {
    for (const Mark& mark : marks) {
      if (mark.tag == StepTag::kModelStart) {
        if (state_ != State::kRunning) begin(mark.time_ns);
        state_ = State::kRunning;
      } else if (mark.tag == StepTag::kIterationEnd && state_ != State::kIdle) {
        close(mark);
        start_ns_ = mark.time_ns;
        state_ = State::kBetween;
      } else if (mark.tag == StepTag::kModelEnd && state_ == State::kRunning) {
        close(mark);
        state_ = State::kIdle;
      } else if (state_ != State::kIdle) {
        add_inner(mark);
      }
    }
  }

 private:
  // kBetween: an iteration ended and the next is taken to begin there, unless the model starts
  // anew.
  enum class State : std::uint8_t { kIdle, kRunning, kBetween };

  void begin(std::int64_t start_ns) {
    start_ns_ = start_ns;
    if (state_ == State::kBetween) return;  // Marks since the last end stay in this iteration.
    clear();
  }

  void clear() {
    forward_start_ns_ = 0;
    backward_end_ns_ = 0;
    ranges_.clear();
    pending_.clear();
  }

  void add_inner(const Mark& mark) {
    if (mark.tag == StepTag::kForwardStart) {
      if (forward_start_ns_ == 0) forward_start_ns_ = mark.time_ns;
    } else if (mark.tag == StepTag::kBackwardEnd) {
      backward_end_ns_ = mark.time_ns;
    } else {
      add_range_mark(mark);
    }
  }

  // Several get-next calls may run side by side on one stream; reductions may not.
  void add_range_mark(const Mark& mark) {
    const bool is_get_next = StepTag::is_get_next(mark.tag);
    const auto key = std::make_pair(
        mark.stream,
        static_cast<std::uint16_t>(is_get_next ? mark.tag / 2 : StepTag::kReduceFirst));
    if (StepTag::is_start(mark.tag)) {
      pending_[key] = mark.time_ns;
      return;
    }
    const auto found = pending_.find(key);
    if (found == pending_.end()) return;
    ranges_.push_back({found->second, mark.time_ns, is_get_next});
    pending_.erase(found);
  }

  void close(const Mark& mark) {
    if (start_ns_ < mark.time_ns) append(mark);
    ++index_;
    clear();
  }

  void append(const Mark& mark) {
    trace::Iterations& table = trace_.iterations();
    table.device.push_back(device_);
    table.model_id.push_back(mark.model_id);
    table.index.push_back(index_);
    table.start_ns.push_back(start_ns_);
    table.forward_start_ns.push_back(forward_start_ns_);
    table.backward_end_ns.push_back(backward_end_ns_);
    table.end_ns.push_back(mark.time_ns);
    table.previous_end_ns.push_back(0);
    std::stable_sort(ranges_.begin(), ranges_.end(),
                     [](const Range& a, const Range& b) { return a.start_ns < b.start_ns; });
    for (const Range& range : ranges_) {
      trace::IterationRanges& out = trace_.iteration_ranges();
      out.device.push_back(device_);
      out.model_id.push_back(mark.model_id);
      out.index.push_back(index_);
      out.start_ns.push_back(range.start_ns);
      out.end_ns.push_back(range.end_ns);
      out.is_get_next.push_back(range.is_get_next ? 1 : 0);
    }
  }

  trace::Trace& trace_;
  std::uint16_t device_;
  State state_ = State::kIdle;
  std::uint64_t index_ = 1;
  std::int64_t start_ns_ = 0;
  std::int64_t forward_start_ns_ = 0;
  std::int64_t backward_end_ns_ = 0;
  std::vector<Range> ranges_;
  std::map<std::pair<std::uint16_t, std::uint16_t>, std::int64_t> pending_;
};

// Sorts the iterations by end and finds for each forward start the latest end before it.
void finish_iterations(trace::Iterations& table) {
  std::vector<std::uint32_t> order(table.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::make_pair(table.device[a], table.end_ns[a]) <
           std::make_pair(table.device[b], table.end_ns[b]);
  });
  trace::reorder_rows(table, order);
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.forward_start_ns[row] == 0) continue;
    for (std::size_t earlier = row; earlier-- > 0 && table.device[earlier] == table.device[row];) {
      if (table.end_ns[earlier] >= table.forward_start_ns[row]) continue;
      table.previous_end_ns[row] = table.end_ns[earlier];
      break;
    }
  }
}

// A step counts if it has exactly one start and one end.
void link_device_steps(const std::vector<Mark>& marks, std::uint16_t device,
                       trace::DeviceSteps& table) {
  struct Step {
    std::uint64_t model_id = 0;
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    int starts = 0;
    int ends = 0;
  };
  std::map<std::uint64_t, Step> steps;
  for (const Mark& mark : marks) {
    Step& step = steps[mark.index];
    if (mark.tag == StepTag::kStepStart) {
      step.model_id = mark.model_id;
      step.start_ns = mark.time_ns;
      ++step.starts;
    } else {
      step.end_ns = mark.time_ns;
      ++step.ends;
    }
  }
  std::vector<std::pair<std::uint64_t, Step>> whole;
  for (const auto& [index, step] : steps) {
    if (step.starts == 1 && step.ends == 1 && step.start_ns <= step.end_ns) {
      whole.emplace_back(index, step);
    }
  }
  std::stable_sort(whole.begin(), whole.end(),
                   [](const auto& a, const auto& b) { return a.second.end_ns < b.second.end_ns; });
  for (const auto& [index, step] : whole) {
    table.device.push_back(device);
    table.model_id.push_back(step.model_id);
    table.index.push_back(index);
    table.start_ns.push_back(step.start_ns);
    table.end_ns.push_back(step.end_ns);
  }
}

}  // namespace

void link_step_trace(trace::Trace& trace) {
  trace::clear_rows(trace.iterations());
  trace::clear_rows(trace.iteration_ranges());
  trace::clear_rows(trace.device_steps());
  const trace::StepMarks& table = trace.step_marks();
  // Ordered maps, so that the result does not depend on the order of files.
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::vector<Mark>> models;
  std::map<std::uint16_t, std::vector<Mark>> steps;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const Mark mark{table.time_ns[row], table.model_id[row], table.index[row], table.stream[row],
                    table.tag[row]};
    if (mark.tag == StepTag::kStepStart || mark.tag == StepTag::kStepEnd) {
      steps[table.device[row]].push_back(mark);
    } else if (mark.tag != StepTag::kMark) {
      models[{table.device[row], mark.model_id}].push_back(mark);
    }
  }
  for (auto& [key, marks] : models) {
    std::stable_sort(marks.begin(), marks.end(),
                     [](const Mark& a, const Mark& b) { return a.time_ns < b.time_ns; });
    IterationCutter(trace, key.first).run(IterationOrder().sort(marks));
  }
  finish_iterations(trace.iterations());
  for (const auto& [device, marks] : steps) link_device_steps(marks, device, trace.device_steps());
}

}  // namespace npuprof::link
