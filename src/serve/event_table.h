#pragma once

// The slices of a lane as a table: those that are looked for, in any order.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serve/lane_index.h"
#include "serve/step_spans.h"

namespace npuprof::serve {

enum class EventOrder : std::uint8_t { kStart, kDuration, kSelf, kName, kRow };

struct EventQuery {
  std::uint32_t lane = 0;
  EventOrder order = EventOrder::kStart;
  bool falls = false;
  std::optional<std::uint32_t> name = {};  // Only slices of this name,
  std::string find = {};                   // or with this text in it, capitals or not.
  StepSpans spans = {};                    // In which they begin.

  friend bool operator==(const EventQuery&, const EventQuery&) = default;
};

// Slices of a lane in order; equal ones by start.
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
