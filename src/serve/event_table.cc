#include "serve/event_table.h"

#include <algorithm>
#include <tuple>

namespace npuprof::serve {

std::vector<std::uint32_t> ordered_events(const LaneIndex& index, const EventQuery& query) {
  const report::Lane& lane = index.lanes()[query.lane];
  std::vector<std::uint32_t> events;
  for (std::uint32_t i = 0; i < lane.size(); ++i) {
    if (!query.name || lane.name_number[i] == *query.name) events.push_back(i);
  }
  const auto by_start = [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(lane.start_ns[a], a) < std::tie(lane.start_ns[b], b);
  };
  std::sort(events.begin(), events.end(), by_start);
  if (query.order == EventOrder::kDuration) {
    std::stable_sort(events.begin(), events.end(), [&](std::uint32_t a, std::uint32_t b) {
      return lane.duration(a) > lane.duration(b);
    });
  } else if (query.order == EventOrder::kName) {
    std::stable_sort(events.begin(), events.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t name_a = lane.name_number[a];
      const std::uint32_t name_b = lane.name_number[b];
      return name_a != name_b && index.name(name_a) < index.name(name_b);
    });
  }
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
