#include "serve/event_table.h"

#include <algorithm>
#include <tuple>

#include "serve/slice_family.h"

namespace npuprof::serve {
namespace {

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains_in_any_case(std::string_view text, std::string_view wanted) {
  const auto found = std::search(text.begin(), text.end(), wanted.begin(), wanted.end(),
                                 [](char a, char b) { return lower_case(a) == lower_case(b); });
  return found != text.end();
}

// By name, whether slices of it are looked for.
std::vector<std::uint8_t> wanted_names(const LaneIndex& index, const EventQuery& query) {
  std::vector<std::uint8_t> wanted(index.name_count());
  for (std::uint32_t name = 0; name < wanted.size(); ++name) {
    if (query.name && name != *query.name) continue;
    wanted[name] = contains_in_any_case(index.name(name), query.find) ? 1 : 0;
  }
  return wanted;
}

// What events are ordered by, as a number for each slice of the lane.
std::vector<std::int64_t> order_keys(const LaneIndex& index, const EventQuery& query) {
  const report::Lane& lane = index.lanes()[query.lane];
  std::vector<std::int64_t> keys(lane.size());
  std::vector<std::uint32_t> rank_of_name;
  if (query.order == EventOrder::kName) {
    std::vector<std::uint32_t> names(index.name_count());
    for (std::uint32_t i = 0; i < names.size(); ++i) names[i] = i;
    std::stable_sort(names.begin(), names.end(), [&](std::uint32_t a, std::uint32_t b) {
      return index.name(a) < index.name(b);
    });
    rank_of_name.resize(names.size());
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      const bool is_as_before = i > 0 && index.name(names[i]) == index.name(names[i - 1]);
      rank_of_name[names[i]] = is_as_before ? rank_of_name[names[i - 1]] : i;
    }
  }
  for (std::uint32_t row = 0; row < lane.rows(); ++row) {
    for (std::uint32_t i = lane.row_begin[row]; i < lane.row_begin[row + 1]; ++i) {
      switch (query.order) {
        case EventOrder::kStart:
          keys[i] = lane.start_ns[i];
          break;
        case EventOrder::kDuration:
          keys[i] = lane.duration(i);
          break;
        case EventOrder::kSelf:
          keys[i] = self_ns(lane, row, i);
          break;
        case EventOrder::kName:
          keys[i] = rank_of_name[lane.name_number[i]];
          break;
        case EventOrder::kRow:
          keys[i] = row;
          break;
      }
    }
  }
  return keys;
}

}  // namespace

std::vector<std::uint32_t> ordered_events(const LaneIndex& index, const EventQuery& query) {
  const report::Lane& lane = index.lanes()[query.lane];
  const std::vector<std::uint8_t> is_wanted = wanted_names(index, query);
  const Span& span = query.spans.of(index, lane);
  std::vector<std::uint32_t> events;
  for (std::uint32_t i = 0; i < lane.size(); ++i) {
    if (is_wanted[lane.name_number[i]] == 0) continue;
    if (span.contains(index.from_zero(lane.start_ns[i]))) events.push_back(i);
  }
  const std::vector<std::int64_t> keys = order_keys(index, query);
  std::sort(events.begin(), events.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (keys[a] != keys[b]) return query.falls ? keys[a] > keys[b] : keys[a] < keys[b];
    return std::tie(lane.start_ns[a], a) < std::tie(lane.start_ns[b], b);
  });
  return events;
}

std::shared_ptr<const std::vector<std::uint32_t>> EventTables::find(const LaneIndex& index,
                                                                    const EventQuery& query) {
  {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (entry.query == query) return entry.events;
    }
  }
  auto events = std::make_shared<const std::vector<std::uint32_t>>(ordered_events(index, query));
  const std::lock_guard lock(mutex_);
  entries_.insert(entries_.begin(), {query, events});
  if (entries_.size() > kKept) entries_.pop_back();
  return events;
}

}  // namespace npuprof::serve
