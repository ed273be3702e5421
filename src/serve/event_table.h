#pragma once

// The slices of a lane as a table, in any order.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "serve/lane_index.h"

namespace npuprof::serve {

enum class EventOrder : std::uint8_t { kStart, kDuration, kName };

struct EventQuery {
  std::uint32_t lane = 0;
  EventOrder order = EventOrder::kStart;
  std::optional<std::uint32_t> name;  // Only slices of this name.

  friend bool operator==(const EventQuery&, const EventQuery&) = default;
};

// Slices of a lane in order: by start; longest first; by name, then by start.
std::vector<std::uint32_t> ordered_events(const LaneIndex& index, const EventQuery& query);

// The last orders that were asked for.
class EventTables {
 public:
  std::shared_ptr<const std::vector<std::uint32_t>> find(const LaneIndex& index,
                                                         const EventQuery& query);

 private:
  static constexpr std::size_t kKept = 8;
  struct Entry {
    EventQuery query;
    std::shared_ptr<const std::vector<std::uint32_t>> events;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace npuprof::serve
