#include "serve/lane_index.h"

#include <algorithm>
#include <limits>

#include "report/result_files.h"
#include "report/timeline/cann_layers.h"
#include "report/timeline/write_timeline.h"
#include "serve/idle_lane.h"
#include "trace/linked/tasks.h"
#include "trace/table.h"

namespace npuprof::serve {
namespace {

report::TimelineOptions options_of_page(const trace::Trace& trace) {
  report::TimelineOptions options = report::timeline_options(trace, true, {});
  options.has_backward_arrows = true;
  return options;
}

}  // namespace

LaneIndex::LaneIndex(const answers::Request& request)
    : context_(request.trace, options_of_page(request.trace)) {
  report::write_layers(context_, request.results.samples(), timeline_);
  idle_rows_ = analyze::idle_causes(request.trace);
  write_idle_layer(request.trace, idle_rows_, timeline_);
  (void)timeline_.close();
  palette_ = palette_of_names(timeline_, request.trace);
  marks_ = SliceMarks(request.trace, timeline_, idle_rows_);
  find_task_lanes(request.trace);
  find_span();
  count_names();
  arrows_ = ArrowIndex(timeline_);
  for (const report::Lane& lane : lanes()) pyramids_.emplace_back(lane, zero_ns_);
}

void LaneIndex::count_names() {
  name_counts_.resize(name_count());
  for (const report::Lane& lane : lanes()) {
    for (const std::uint32_t name : lane.name_number) ++name_counts_[name];
  }
}

SliceId LaneIndex::slice_of_number(std::uint32_t number) const {
  const auto& firsts = timeline_.first_slices();
  const auto after = std::upper_bound(firsts.begin(), firsts.end(), number);
  const auto lane = static_cast<std::uint32_t>(after - firsts.begin() - 1);
  return {lane, number - firsts[lane]};
}

std::optional<std::uint32_t> LaneIndex::slice_at(const report::Lane& lane, std::uint32_t row,
                                                 std::int64_t time_ns,
                                                 std::int64_t tolerance_ns) const {
  if (row >= lane.rows()) return std::nullopt;
  const std::int64_t wall_ns = time_ns + zero_ns_;
  const auto begin = lane.start_ns.begin() + lane.row_begin[row];
  const auto end = lane.start_ns.begin() + lane.row_begin[row + 1];
  const auto after = std::upper_bound(begin, end, wall_ns);
  const auto place = static_cast<std::uint32_t>(after - lane.start_ns.begin());
  if (after != begin && lane.end_ns(place - 1) + tolerance_ns >= wall_ns) return place - 1;
  if (after != end && *after - tolerance_ns <= wall_ns) return place;
  return std::nullopt;
}

std::optional<SliceId> LaneIndex::find_slice(std::string_view layer, std::uint32_t tid,
                                             std::int64_t start_ns, std::int64_t end_ns) const {
  for (std::uint32_t number = 0; number < lanes().size(); ++number) {
    const report::Lane& lane = lanes()[number];
    if (!layer.empty() && groups()[lane.group].name != layer) continue;
    if (tid != trace::kNone && lane.tid != tid) continue;
    for (std::uint32_t row = 0; row < lane.rows(); ++row) {
      const auto begin = lane.start_ns.begin() + lane.row_begin[row];
      const auto end = lane.start_ns.begin() + lane.row_begin[row + 1];
      for (auto at = std::lower_bound(begin, end, start_ns); at != end && *at == start_ns; ++at) {
        const auto slice = static_cast<std::uint32_t>(at - lane.start_ns.begin());
        if (lane.end_ns(slice) == end_ns) return SliceId{number, slice};
      }
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> LaneIndex::find_name(const report::LaneTimeline& other,
                                                  std::uint32_t number) const {
  const report::SliceName& wanted = other.names()[number];
  for (std::uint32_t i = 0; i < name_count(); ++i) {
    if (name(i) == other.text_of(wanted) &&
        timeline_.origin_of(timeline_.names()[i]) == other.origin_of(wanted)) {
      return i;
    }
  }
  return std::nullopt;
}

const analyze::IdleRow* LaneIndex::idle_row(SliceId slice) const {
  const report::Lane& lane = lanes()[slice.lane];
  if (!is_idle_lane(lane)) return nullptr;
  return &idle_rows_[timeline_.described_row(lane, slice.slice)];
}

// Iterations of graphs and marks have lanes in the same layer, which tell of no task.
void LaneIndex::find_task_lanes(const trace::Trace& trace) {
  const trace::Tasks& tasks = trace.tasks();
  for (const std::uint32_t task : context_.shown_tasks) {
    task_lanes_.emplace(tasks.device[task], context_.lane_of_stream(tasks.stream[task]));
  }
}

std::optional<std::uint32_t> LaneIndex::idle_lane_of(const report::Lane& lane) const {
  const report::LaneGroup& group = groups()[lane.group];
  if (group.name != report::kHardwareLayer.name) return std::nullopt;
  if (!task_lanes_.contains({group.device, lane.tid})) return std::nullopt;
  for (std::uint32_t i = 0; i < lanes().size(); ++i) {
    if (is_idle_lane(lanes()[i]) && groups()[lanes()[i].group].device == group.device) return i;
  }
  return std::nullopt;
}

// Times before 1970 are none; they are shown, but do not stretch the axis.
void LaneIndex::find_span() {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  const auto see = [&](std::int64_t from, std::int64_t to) {
    if (from > 0) begin = std::min(begin, from);
    end = std::max(end, to);
  };
  for (const report::Lane& lane : lanes()) {
    for (std::uint32_t i = 0; i < lane.size(); ++i) see(lane.start_ns[i], lane.end_ns(i));
  }
  for (const report::CounterLane& counter : counters()) {
    if (!counter.time_ns.empty()) see(counter.time_ns.front(), counter.time_ns.back());
  }
  if (begin > end) return;
  zero_ns_ = begin;
  span_ = {0, end - begin};
}

const report::Lane* LaneIndex::lane(std::uint32_t number) const {
  return number < lanes().size() ? &lanes()[number] : nullptr;
}

const report::CounterLane* LaneIndex::counter(std::uint32_t number) const {
  if (number < lanes().size() || number >= size()) return nullptr;
  return &counters()[number - lanes().size()];
}

}  // namespace npuprof::serve
