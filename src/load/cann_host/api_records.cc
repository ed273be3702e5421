#include "load/cann_host/api_records.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/sort_order.h"
#include "format/host/levels.h"

namespace npuprof::load {
namespace {

using format::host::ApiEvent;

constexpr format::host::RecordKind kApiEventKind{format::host::Module::kApiEvent, "data", 0, 0};

// Two events that agree in all of this are the ends of one call.
struct EventKey {
  std::uint16_t level;
  std::uint32_t type;
  std::uint32_t thread_id;
  std::uint32_t request_id;
  std::uint64_t item_id;

  explicit EventKey(const ApiEvent& event)
      : level(event.level),
        type(event.type),
        thread_id(event.thread_id),
        request_id(event.request_id),
        item_id(event.item_id) {}
  friend bool operator==(const EventKey&, const EventKey&) = default;
};

struct EventKeyHash {
  std::size_t operator()(const EventKey& key) const {
    std::uint64_t hash = key.item_id;
    for (const std::uint64_t part : {format::host::type_key(key.level, key.type),
                                     std::uint64_t{key.thread_id} << 32 | key.request_id}) {
      hash = (hash ^ part) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

// Finds the begin of a call when its end comes.
class EventPairs {
 public:
  // The ticks of the begin if `event` is an end; else nothing, and it is kept as a begin.
  std::optional<std::uint64_t> add(const ApiEvent& event) {
    const auto [found, is_begin] = open_.try_emplace(EventKey(event), event.begin);
    if (is_begin) return std::nullopt;
    const std::uint64_t begin = found->second;
    open_.erase(found);
    return begin;
  }
  std::size_t unfinished() const { return open_.size(); }

 private:
  std::unordered_map<EventKey, std::uint64_t, EventKeyHash> open_;
};

// At the model level and for step marks the item is a number of its own, not a hash.
bool has_item_name(const ApiEvent& event) {
  if (event.level == format::host::kLevelModel) return false;
  return event.level != format::host::kLevelNode || event.type != format::host::kTypeNodeStepInfo;
}

}  // namespace

void decode_api_calls(DecodeContext& context, trace::ApiCalls& calls) {
  EventPairs pairs;
  std::size_t backwards = 0;
  decode_rows<ApiEvent>(
      context, kApiEventKind, calls, [&](const ApiEvent& event, const HostSlice&, std::size_t row) {
        std::uint64_t begin = event.begin;
        std::uint64_t end = event.end;
        if (event.is_event()) {
          const auto paired = pairs.add(event);
          if (!paired) return false;
          begin = *paired;
          end = event.begin;
        }
        if (begin == 0) return false;  // Not filled in by the runtime.
        if (end < begin) {
          ++backwards;
          return false;
        }
        calls.start_ns[row] = context.clock.to_wall_ns(begin);
        calls.end_ns[row] = context.clock.to_wall_ns(end);
        calls.level[row] = event.level;
        calls.type[row] = event.type;
        calls.tid[row] = event.thread_id;
        calls.request_id[row] = event.request_id;
        calls.item[row] = event.item_id;
        calls.name[row] = context.names.of_type(event.level, event.type);
        calls.item_name[row] =
            has_item_name(event) ? context.names.of_hash(event.item_id) : kEmptyString;
        return true;
      });
  const std::string file = (context.files.directory() / "*.api_event.data.*").native();
  if (backwards > 0) {
    context.losses.add(file, 0, backwards,
                       std::to_string(backwards) + " calls end before they begin; left out.");
  }
  if (pairs.unfinished() > 0) {
    context.losses.add(
        file, 0, pairs.unfinished(),
        std::to_string(pairs.unfinished()) + " calls have a begin but no end; they were left out.");
  }
}

std::vector<std::uint32_t> sort_api_calls(trace::ApiCalls& calls) {
  auto order = stable_order(std::span<const std::int64_t>(calls.start_ns));
  bool changed = !is_identity(order);
  const auto encloses = [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(calls.level[b], calls.end_ns[b]) <
           std::tuple(calls.level[a], calls.end_ns[a]);
  };
  for_each_tie(std::span<const std::int64_t>(calls.start_ns), order,
               [&](std::size_t begin, std::size_t end) {
                 const auto run = std::span(order).subspan(begin, end - begin);
                 if (std::is_sorted(run.begin(), run.end(), encloses)) return;
                 std::stable_sort(run.begin(), run.end(), encloses);
                 changed = true;
               });
  if (changed) trace::reorder_rows(calls, order);
  return order;
}

}  // namespace npuprof::load
