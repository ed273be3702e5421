#include "report/lanes/lane_timeline.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>

#include "base/release_memory.h"
#include "base/sort_order.h"
#include "report/lanes/lane_rows.h"
#include "report/timeline/nesting.h"
#include "trace/table.h"

namespace npuprof::report {
namespace {

constexpr std::string_view kPythonCategory = "python_function";
constexpr std::size_t kMostSources = std::numeric_limits<std::uint32_t>::max() - 1;

// Slices of a lane in the order in which they are kept: by row, then by start.
struct Arrangement {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> row_begin;
  bool nests = true;
};

Arrangement arrange_slices(std::span<const std::int64_t> starts,
                           std::span<const std::int64_t> ends) {
  const std::vector<std::uint32_t> nesting =
      nesting_order(starts, ends, EqualIntervals::kFirstIsOuter);
  const LaneRows lane_rows = nesting_rows(starts, ends, nesting);
  const std::vector<std::uint16_t>& rows = lane_rows.row;
  Arrangement arranged{.nests = lane_rows.nests};
  const std::uint32_t count = rows.empty() ? 0 : 1U + *std::max_element(rows.begin(), rows.end());
  arranged.row_begin.resize(count + 1);
  for (const std::uint16_t row : rows) ++arranged.row_begin[row + 1U];
  std::partial_sum(arranged.row_begin.begin(), arranged.row_begin.end(),
                   arranged.row_begin.begin());
  std::vector<std::uint32_t> next = arranged.row_begin;
  arranged.order.resize(rows.size());
  for (const std::uint32_t slice : nesting) arranged.order[next[rows[slice]]++] = slice;
  return arranged;
}

void put_durations(Lane& lane, std::span<const std::int64_t> ends,
                   std::span<const std::uint32_t> order) {
  lane.duration_ns.resize(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::int64_t duration = ends[order[i]] - lane.start_ns[i];
    if (duration < Lane::kLongDuration) {
      lane.duration_ns[i] = static_cast<std::uint32_t>(duration);
    } else {
      lane.duration_ns[i] = Lane::kLongDuration;
      lane.long_durations.emplace(i, duration);
    }
  }
}

template <typename Value>
std::vector<Value> in_order(const std::vector<Value>& values,
                            std::span<const std::uint32_t> order) {
  std::vector<Value> ordered(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) ordered[i] = values[order[i]];
  return ordered;
}

void sort_by_time(CounterLane& counter) {
  if (std::is_sorted(counter.time_ns.begin(), counter.time_ns.end())) return;
  const std::size_t series = counter.series.size();
  const std::vector<std::uint32_t> order = stable_order(counter.time_ns);
  std::vector<double> values(counter.values.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(counter.values.begin() + static_cast<std::ptrdiff_t>(order[i] * series), series,
                values.begin() + static_cast<std::ptrdiff_t>(i * series));
  }
  counter.time_ns = in_order(counter.time_ns, order);
  counter.values = std::move(values);
}

}  // namespace

std::uint32_t Lane::row_of(std::uint32_t slice) const {
  const auto after = std::upper_bound(row_begin.begin(), row_begin.end(), slice);
  return static_cast<std::uint32_t>(after - row_begin.begin() - 1);
}

void LaneTimeline::layer(const Layer& layer, std::uint64_t pid, std::uint32_t device) {
  if (group_of_pid_.contains(pid)) return;
  group_of_pid_[pid] = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back({.pid = pid,
                     .name = std::string(layer.name),
                     .label = layer_label(layer, device),
                     .sort_index = layer.sort_index,
                     .device = device,
                     .is_host = layer.is_host});
  number_of_text_.resize(groups_.size());
}

std::uint32_t LaneTimeline::group_of(std::uint64_t pid) {
  const auto known = group_of_pid_.find(pid);
  if (known != group_of_pid_.end()) return known->second;
  layer({"Process", 63, true}, pid, 0);
  return group_of_pid_.at(pid);
}

// Further tracks of a lane, which files need for slices that cross, are rows of it here.
void LaneTimeline::lane(std::uint64_t pid, std::uint64_t tid, std::string_view name,
                        std::uint64_t sort_index) {
  const std::uint32_t group = group_of(pid);
  if (lane_of_key_.contains({pid, tid})) return;
  const auto base = lane_of_key_.find({pid, tid & (kFirstOverlapTid - 1)});
  if (base != lane_of_key_.end() &&
      name.starts_with(filling_[base->second].name + " (overlapping ")) {
    lane_of_key_[{pid, tid}] = base->second;
    return;
  }
  lane_of_key_[{pid, tid}] = filling_.size();
  Filling& lane = filling_.emplace_back();
  lane.group = group;
  lane.tid = tid;
  lane.name = name;
  lane.sort_index = sort_index;
}

std::size_t LaneTimeline::lane_of(std::uint64_t pid, std::uint64_t tid, bool is_python) {
  const Key key{pid, tid};
  if (!lane_of_key_.contains(key)) lane(pid, tid, "Thread " + std::to_string(tid), tid);
  const std::size_t own = lane_of_key_.at(key);
  if (!is_python) return own;
  const auto [at, is_new] = python_lane_of_key_.try_emplace(key, filling_.size());
  if (is_new) {
    Filling frames;
    frames.group = filling_[own].group;
    frames.tid = tid;
    frames.name = filling_[own].name + " (Python)";
    frames.sort_index = filling_[own].sort_index;
    frames.is_python = true;
    filling_.push_back(std::move(frames));
  }
  return at->second;
}

void LaneTimeline::begin_batch(std::size_t count, Describe describe) {
  batches_.push_back({static_cast<std::uint32_t>(sources_), std::move(describe)});
  sources_ += count;
}

std::uint16_t LaneTimeline::origin_number(std::uint32_t group, std::string_view category) {
  const std::string& layer = groups_[group].name;
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    if (origins_[i].layer == layer && origins_[i].category == category) {
      return static_cast<std::uint16_t>(i);
    }
  }
  origins_.push_back({layer, std::string(category)});
  number_of_text_.resize(std::max(number_of_text_.size(), origins_.size()));
  return static_cast<std::uint16_t>(origins_.size() - 1);
}

std::uint32_t LaneTimeline::name_number(std::uint32_t group, const LaneEvent& event) {
  const std::uint16_t origin = origin_number(group, event.shown_category());
  const StringId text = texts_.intern(event.shown_name());
  std::vector<std::uint32_t>& numbers = number_of_text_[origin];
  if (numbers.size() <= to_index(text)) numbers.resize(texts_.size() + texts_.size() / 2 + 16);
  std::uint32_t& number = numbers[to_index(text)];
  if (number == 0) {
    names_.push_back({text, origin});
    number = static_cast<std::uint32_t>(names_.size());
  }
  return number - 1;
}

void LaneTimeline::put(const SlicePlace& where, const LaneEvent& event, std::size_t row) {
  const std::uint64_t source = batches_.back().first_source + row;
  if (source > kMostSources) return;
  Filling& lane =
      filling_[lane_of(where.pid, where.tid, event.shown_category() == kPythonCategory)];
  lane.start_ns.push_back(where.start_ns);
  lane.end_ns.push_back(std::max(where.start_ns, where.end_ns));
  lane.name_number.push_back(name_number(lane.group, event));
  lane.source.push_back(static_cast<std::uint32_t>(source));
  for (const EventArrow& arrow : event.arrows()) {
    ends_.push_back({arrow.id, static_cast<std::uint32_t>(source), arrow.kind, arrow.is_out});
  }
}

std::uint32_t LaneTimeline::counter(std::uint64_t pid, std::string_view name,
                                    const std::vector<std::string>& series) {
  CounterLane& counter = counters_.emplace_back();
  counter.group = group_of(pid);
  counter.name = name;
  counter.series = series;
  return static_cast<std::uint32_t>(counters_.size() - 1);
}

void LaneTimeline::put_sample(const CounterSample& sample) {
  if (sample.counter == trace::kNone) return;
  CounterLane& counter = counters_[sample.counter];
  counter.time_ns.push_back(sample.time_ns);
  counter.values.insert(counter.values.end(), sample.values.begin(),
                        sample.values.begin() + static_cast<std::ptrdiff_t>(counter.series.size()));
}

Status LaneTimeline::close() {
  std::vector<std::uint32_t> slice_of_source(sources_, trace::kNone);
  std::stable_sort(filling_.begin(), filling_.end(), [](const Filling& a, const Filling& b) {
    return std::tie(a.group, a.sort_index, a.tid) < std::tie(b.group, b.sort_index, b.tid);
  });
  first_slices_ = {0};
  for (Filling& from : filling_) {
    if (from.start_ns.empty()) continue;
    Lane& lane = lanes_.emplace_back();
    lane.group = from.group;
    lane.tid = from.tid;
    lane.name = std::move(from.name);
    lane.sort_index = from.sort_index;
    lane.is_python = from.is_python;
    Arrangement arranged = arrange_slices(from.start_ns, from.end_ns);
    lane.nests = arranged.nests;
    lane.row_begin = std::move(arranged.row_begin);
    lane.start_ns = in_order(from.start_ns, arranged.order);
    put_durations(lane, from.end_ns, arranged.order);
    lane.name_number = in_order(from.name_number, arranged.order);
    lane.source = in_order(from.source, arranged.order);
    from = Filling{};
    const std::uint32_t first = first_slices_.back();
    for (std::uint32_t i = 0; i < lane.source.size(); ++i)
      slice_of_source[lane.source[i]] = first + i;
    first_slices_.push_back(first + static_cast<std::uint32_t>(lane.size()));
  }
  release_memory(filling_);
  release_memory(number_of_text_);
  for (CounterLane& counter : counters_) sort_by_time(counter);
  join_arrows(slice_of_source);
  return ok_status();
}

// Ends of equal kind and number: each end that comes in belongs to the first that goes out.
void LaneTimeline::join_arrows(const std::vector<std::uint32_t>& slice_of_source) {
  std::sort(ends_.begin(), ends_.end(), [](const ArrowEnd& a, const ArrowEnd& b) {
    return std::tuple(a.kind, a.id, !a.is_out, a.source) <
           std::tuple(b.kind, b.id, !b.is_out, b.source);
  });
  const ArrowEnd* out = nullptr;
  for (const ArrowEnd& end : ends_) {
    if (end.is_out) {
      if (out == nullptr || out->kind != end.kind || out->id != end.id) out = &end;
    } else if (out != nullptr && out->kind == end.kind && out->id == end.id) {
      const std::uint32_t from = slice_of_source[out->source];
      const std::uint32_t to = slice_of_source[end.source];
      if (from != trace::kNone && to != trace::kNone) arrows_.push_back({from, to, end.kind});
    }
  }
  release_memory(ends_);
  std::sort(arrows_.begin(), arrows_.end(), [](const LaneArrow& a, const LaneArrow& b) {
    return std::tie(a.from, a.to, a.kind) < std::tie(b.from, b.to, b.kind);
  });
}

const LaneTimeline::Batch& LaneTimeline::batch_of(std::uint32_t source) const {
  const auto after = std::upper_bound(
      batches_.begin(), batches_.end(), source,
      [](std::uint32_t value, const Batch& batch) { return value < batch.first_source; });
  return *std::prev(after);
}

std::uint32_t LaneTimeline::described_row(const Lane& lane, std::uint32_t slice) const {
  return lane.source[slice] - batch_of(lane.source[slice]).first_source;
}

SliceDetails LaneTimeline::describe(const Lane& lane, std::uint32_t slice) const {
  const std::uint32_t source = lane.source[slice];
  const Batch& batch = batch_of(source);
  SliceDetails details;
  LaneEvent event(&details);
  batch.describe(event, source - batch.first_source);
  details.name = event.shown_name();
  details.category = event.shown_category();
  return details;
}

}  // namespace npuprof::report
