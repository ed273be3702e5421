#include "load/chrome_trace/chrome_trace.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/first_error.h"
#include "base/text.h"
#include "load/chrome_trace/event_rows.h"
#include "load/chrome_trace/lanes.h"
#include "load/chrome_trace/timeline_joins.h"
#include "load/chrome_trace/trace_text.h"
#include "load/cleaned_texts.h"
#include "load/impossible_times.h"
#include "load/plausible.h"
#include "trace/linked/tasks.h"

namespace npuprof::load {
namespace {

// Events that one thread parses in one go.
constexpr std::size_t kEventsPerRange = 1 << 14;
// Ranges whose rows are held beside the whole before they are appended to it.
constexpr std::size_t kRangesAtOnce = 16;

// The names of lanes may come after the events in them, so they are read first.
Lanes read_lanes(const TraceText& trace, ThreadPool& pool) {
  const std::size_t count = trace.events().size();
  std::vector<Lanes> parts((count + kEventsPerRange - 1) / kEventsPerRange);
  pool.parallel_for_ranges(count, kEventsPerRange, [&](IndexRange range) {
    EventParser parser;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const std::string_view json = trace.event(i);
      if (json.find("\"M\"") == std::string_view::npos) continue;
      const Event* event = parser.parse(json);
      if (event != nullptr && event->phase == 'M') parts[range.number].add(*event);
    }
  });
  Lanes lanes;
  for (Lanes& part : parts) lanes.append(std::move(part));
  return lanes;
}

void read_events(const TraceText& trace, const Lanes& lanes, const TimeBase& base, IndexRange range,
                 TimelineRows& rows) {
  EventParser parser;
  EventRows events(lanes, base, rows);
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Event* event = parser.parse(trace.event(i));
    if (event == nullptr) {
      ++rows.unusable_events;
    } else {
      events.add(*event);
    }
  }
}

// Newer profilers count time stamps from a moment that they give beside the events.
std::int64_t base_of(const TraceText& trace) {
  return plausible(parse_number<std::int64_t>(trace.value("baseTimeNanoseconds"))).value_or(0);
}

void read_rank(const TraceText& trace, trace::Session& session) {
  if (session.rank >= 0) return;
  const auto info = nlohmann::json::parse(trace.value("distributedInfo"), nullptr, false);
  if (!info.is_object()) return;
  const auto rank = info.find("rank");
  if (rank != info.end() && rank->is_number_integer()) {
    session.rank = static_cast<std::int32_t>(rank->get<std::int64_t>());
  }
}

// The middle of the times of some events, so that single damaged ones do not count.
std::optional<std::int64_t> middle_of_events(const TraceText& trace, const TimeBase& base) {
  constexpr std::size_t kLookedAt = 1000;
  const std::size_t count = trace.events().size();
  std::vector<std::int64_t> times;
  EventParser parser;
  for (std::size_t i = 0; i < count; i += count / kLookedAt + 1) {
    const Event* event = parser.parse(trace.event(i));
    if (event == nullptr || event->phase == 'M') continue;
    const auto time = event_time_ns(event->time);
    if (const auto wall = time ? plausible(base.wall_ns(*time)) : std::nullopt) {
      times.push_back(*wall);
    }
  }
  if (times.empty()) return std::nullopt;
  return median_of(std::move(times));
}

void append_rows_of(const TraceText& trace, const Lanes& lanes, const TimelineOrigin& origin,
                    TimelineRows& rows, ThreadPool& pool) {
  TimeBase base{base_of(trace), origin.monotonic_to_wall_ns, std::nullopt};
  base.middle_ns = middle_of_events(trace, base);
  const std::size_t count = trace.events().size();
  constexpr std::size_t kAtOnce = kEventsPerRange * kRangesAtOnce;
  for (std::size_t begin = 0; begin < count; begin += kAtOnce) {
    const std::size_t size = std::min(kAtOnce, count - begin);
    std::vector<TimelineRows> parts((size + kEventsPerRange - 1) / kEventsPerRange);
    pool.parallel_for_ranges(size, kEventsPerRange, [&](IndexRange range) {
      read_events(trace, lanes, base, {begin + range.begin, begin + range.end, 0},
                  parts[range.number]);
    });
    for (TimelineRows& part : parts) rows.append(std::move(part));
  }
}

// Fails if there is nothing but what is passed over.
Status say_passed_over(const std::string& file, const TimelineRows& rows, trace::Losses& losses) {
  if (rows.passed_over.empty()) return ok_status();
  std::uint64_t events = 0;
  std::string kinds;
  for (const auto& [what, count] : rows.passed_over) {
    events += count;
    if (!kinds.empty()) kinds += ", ";
    kinds += what + " " + std::to_string(count);
  }
  const std::string sentence =
      std::to_string(events) + " events are passed over, no table is for them: " + kinds;
  if (!rows.empty()) {
    losses.note(file, events, sentence);
    return ok_status();
  }
  losses.add(file, 0, events, sentence);
  return Error{ErrorCode::kUnsupported, "nothing in '" + file + "' is known: " + sentence};
}

}  // namespace

Status load_chrome_trace(std::span<const std::filesystem::path> paths, trace::Trace& trace,
                         trace::Losses& losses, ThreadPool& pool, const TimelineOrigin& origin) {
  std::vector<TraceText> texts;
  Lanes lanes;
  FirstError first;
  for (const std::filesystem::path& path : paths) {
    auto text = TraceText::open(path, losses);
    if (!text.ok()) {
      losses.add(path.native(), 0, 0, text.error().message);
      first.keep(std::move(text.error()));
      continue;
    }
    lanes.append(read_lanes(*text, pool));
    read_rank(*text, trace.session);
    texts.push_back(std::move(text).value());
  }
  if (texts.empty()) {
    first.keep(Error{ErrorCode::kNotFound, "there is no timeline to load"});
    return first.status();
  }
  if (lanes.classify(origin) == LaneIds::kUnknown) {
    losses.add(paths.front().native(), 0, 0,
               "the process ids of its layers are of no known kind: all of them are taken for "
               "device " +
                   std::to_string(origin.device));
  }
  trace.session.origin = trace::Origin::kResults;
  if (lanes.has_process(layer::kMindSpore) || lanes.has_process(layer::kCpuOperators)) {
    trace.session.framework = trace::Framework::kMindSpore;
  }
  TimelineRows rows;
  for (TraceText& text : texts) {
    append_rows_of(text, lanes, origin, rows, pool);
    text = TraceText();
  }
  if (rows.unusable_events > 0) {
    losses.add(paths.front().native(), 0, rows.unusable_events,
               std::to_string(rows.unusable_events) +
                   " events are left out: they are no valid JSON or have no time");
  }
  if (const Status said = say_passed_over(paths.front().native(), rows, losses); !said.ok()) {
    return said;
  }
  if (rows.far_events > 0) {
    losses.add(
        paths.front().native(), 0, rows.far_events,
        std::to_string(rows.far_events) + " events are left out: they lie days from all others");
  }
  if (rows.odd_values > 0) {
    losses.add(paths.front().native(), 0, rows.odd_values,
               std::to_string(rows.odd_values) +
                   " values of events are missing or of the wrong type: where these events are, or "
                   "what they belong to, is not known");
  }
  const TimelineLosses lost = join_timeline(std::move(rows), lanes, trace);
  report_cleaned_texts(trace.strings, paths.front().native(), losses);
  if (lanes.is_display() && trace.tasks().size() > 0 &&
      trace.tasks().start_ns[0] < kFirstWallTimeNs) {
    losses.note(paths.front().native(), 0,
                "times count from the first operator: when that was is not in the file");
  }
  if (lost.parts > 0) {
    losses.add(paths.front().native(), 0, lost.parts,
               std::to_string(lost.parts) +
                   " tasks of collectives are left out: no collective of their group was running");
  }
  if (lost.half_arrows > 0) {
    losses.add(
        paths.front().native(), 0, lost.half_arrows,
        std::to_string(lost.half_arrows) + " arrows are left out: only one of their ends is there");
  }
  if (lost.backward_arrows > 0) {
    losses.add(paths.front().native(), 0, lost.backward_arrows,
               std::to_string(lost.backward_arrows) +
                   " arrows are left out: they lead to what had begun before they start");
  }
  if (lost.unmarked > 0) {
    losses.note(paths.front().native(), lost.unmarked,
                std::to_string(lost.unmarked) +
                    " slices beside tasks are passed over: they are neither tasks nor marks");
  }
  if (lost.arrows > 0) {
    losses.note(paths.front().native(), lost.arrows,
                std::to_string(lost.arrows) +
                    " arrows are passed over: they lead from or to nothing that is shown");
  }
  return ok_status();
}

}  // namespace npuprof::load
