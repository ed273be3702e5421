#pragma once

// The lanes of one profile as the page asks for them. Times are counted from a zero of the profile,
// so that they are exact as the numbers of JavaScript; lanes and slices have small numbers.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/idle_causes.h"
#include "answers/mode.h"
#include "report/lanes/lane_timeline.h"
#include "report/timeline/context.h"
#include "serve/arrow_index.h"
#include "serve/idle_lane.h"
#include "serve/lane_pyramid.h"
#include "serve/palette.h"
#include "serve/slice_marks.h"
#include "serve/span.h"

namespace npuprof::serve {

// A slice of a lane.
struct SliceId {
  std::uint32_t lane = 0;
  std::uint32_t slice = 0;

  friend bool operator==(const SliceId&, const SliceId&) = default;
};

// Lanes of slices come first, then counters; a number stands for either.
class LaneIndex {
 public:
  explicit LaneIndex(const answers::Request& request);
  LaneIndex(const LaneIndex&) = delete;
  LaneIndex& operator=(const LaneIndex&) = delete;

  const std::vector<report::LaneGroup>& groups() const { return timeline_.groups(); }
  const std::vector<report::Lane>& lanes() const { return timeline_.lanes(); }
  const std::vector<report::CounterLane>& counters() const { return timeline_.counters(); }
  std::size_t size() const { return lanes().size() + counters().size(); }
  // Null for numbers of the other kind.
  const report::Lane* lane(std::uint32_t number) const;
  const report::CounterLane* counter(std::uint32_t number) const;

  std::size_t name_count() const { return timeline_.names().size(); }
  std::string_view name(std::uint32_t number) const {
    return timeline_.text_of(timeline_.names()[number]);
  }
  // The name with the text and the origin of one of another timeline.
  std::optional<std::uint32_t> find_name(const report::LaneTimeline& other,
                                         std::uint32_t number) const;
  Palette palette_of(std::uint32_t name) const { return palette_[name]; }
  const report::LaneTimeline& timeline() const { return timeline_; }
  std::uint64_t count_of_name(std::uint32_t name) const { return name_counts_[name]; }

  const LanePyramid& pyramid(std::uint32_t lane) const { return pyramids_[lane]; }
  const ArrowIndex& arrows() const { return arrows_; }
  // Of slices that are numbered through all lanes, and back.
  SliceId slice_of_number(std::uint32_t number) const;
  std::uint32_t number_of(SliceId slice) const {
    return timeline_.first_slices()[slice.lane] + slice.slice;
  }

  // The slice of a row that is open at a time, counted from zero, or the one that begins next to it
  // within `tolerance_ns`.
  std::optional<std::uint32_t> slice_at(const report::Lane& lane, std::uint32_t row,
                                        std::int64_t time_ns, std::int64_t tolerance_ns) const;
  // A slice of any lane of a layer with these times of the wall clock. An empty layer is any, and
  // so is a `tid` of kNone.
  std::optional<SliceId> find_slice(std::string_view layer, std::uint32_t tid,
                                    std::int64_t start_ns, std::int64_t end_ns) const;
  // The cause that a slice of the idle layer stands for; null for all others.
  const analyze::IdleRow* idle_row(SliceId slice) const;
  const std::vector<analyze::IdleRow>& idle_rows() const { return idle_rows_; }
  bool is_idle_lane(const report::Lane& lane) const {
    return groups()[lane.group].name == kIdleLayerName;
  }

  // The tid of the lane in which a stream is shown.
  std::uint64_t stream_lane(std::uint16_t stream) const { return context_.lane_of_stream(stream); }
  // Of the lane of a stream that runs tasks: the lane that tells why its device was idle.
  std::optional<std::uint32_t> idle_lane_of(const report::Lane& lane) const;

  const SliceMarks& marks() const { return marks_; }

  std::int64_t zero_ns() const { return zero_ns_; }
  // All that is shown.
  Span span() const { return span_; }
  std::int64_t from_zero(std::int64_t wall_ns) const { return wall_ns - zero_ns_; }

 private:
  void find_span();
  void find_task_lanes(const trace::Trace& trace);
  void count_names();

  report::TimelineContext context_;
  report::LaneTimeline timeline_;
  std::vector<analyze::IdleRow> idle_rows_;
  std::vector<Palette> palette_;  // By name.
  std::vector<std::uint32_t> name_counts_;
  std::set<std::pair<std::uint32_t, std::uint64_t>> task_lanes_;  // Device and tid of streams.
  SliceMarks marks_;
  ArrowIndex arrows_;
  std::deque<LanePyramid> pyramids_;  // By lane.
  std::int64_t zero_ns_ = 0;
  Span span_;
};

}  // namespace npuprof::serve
