#pragma once

#include <cstdint>
#include <optional>

#include "load/chrome_trace/lanes.h"
#include "load/chrome_trace/timeline_event.h"
#include "load/chrome_trace/timeline_rows.h"

namespace npuprof::load {

// Where and when an event is.
struct EventPlace {
  std::uint64_t pid = 0;
  std::uint64_t tid = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// What time stamps count from, and where they are.
struct TimeBase {
  std::int64_t base_ns = 0;
  std::int64_t monotonic_to_wall_ns = 0;  // For times that lie before it.
  std::optional<std::int64_t> middle_ns;  // Of all events. What lies days from it is damaged.

  std::int64_t wall_ns(std::int64_t time_ns) const {
    time_ns += base_ns;
    return time_ns < monotonic_to_wall_ns ? time_ns + monotonic_to_wall_ns : time_ns;
  }
};

// Turns events into rows. Events that the trace has no table for are passed over and counted.
class EventRows {
 public:
  EventRows(const Lanes& lanes, const TimeBase& base, TimelineRows& rows)
      : lanes_(lanes),
        base_(base),
        rows_(rows),
        is_mindspore_(lanes.has_process(layer::kMindSpore)) {}

  void add(const Event& event);

 private:
  void add_known(const Event& event);
  void count_odd_values(const Event& event);
  void add_slice(const Event& event, const EventPlace& place);
  void add_arrow(const Event& event, const EventPlace& place, bool is_end);
  void add_launch_point(const Event& event, const EventPlace& place);
  void add_counter(const Event& event, const EventPlace& place);

  void add_operator(const Event& event, const EventPlace& place);
  void add_queue(const Event& event, const EventPlace& place, auto& ranges);
  void add_python_call(const Event& event, const EventPlace& place);
  void add_host_call(const Event& event, const EventPlace& place);
  void add_task(const Event& event, const EventPlace& place, std::uint16_t device);
  void add_display_task(const Event& event, const EventPlace& place, const Process& process);
  void add_communication(const Event& event, const EventPlace& place, std::uint16_t device);
  void add_collective(const Event& event, const EventPlace& place, std::uint16_t device,
                      const Lanes::GroupLane& lane);
  void add_part(const Event& event, const EventPlace& place, std::uint16_t device,
                const Lanes::GroupLane& lane);
  void add_overlap(const Event& event, const EventPlace& place, std::uint16_t device);
  // A slice of the step trace; false if it is of another kind.
  bool add_iteration(const Event& event, const EventPlace& place, std::uint16_t device);
  void add_mark(const Event& event, const EventPlace& place);
  void add_device_mark(const Event& event, const EventPlace& place, std::uint16_t device);

  void pass_over(std::string_view what);
  // By the name of its layer, or else by its category.
  void pass_over(const Event& event, const Process& process);

  StringId intern(std::string_view text) { return rows_.tables.strings.intern(text); }

  const Lanes& lanes_;
  TimeBase base_;
  TimelineRows& rows_;
  bool is_mindspore_;  // Whether operators have details of MindSpore.
};

// Slices of other devices than NPUs, as PyTorch's own profiler writes them (categories kernel,
// gpu_memcpy, cuda_runtime, ...). False if the slice is none of these.
bool add_foreign_slice(const Event& event, const EventPlace& place, TimelineRows& rows);

// The number by which calls and what they led to know each other; kNoConnection if there is none.
std::int64_t connection_of(const Event& event);

// Threads from this one on show sums of what the others show.
inline constexpr std::uint64_t kFirstDisplaySummary = 100000;

// A row of Tasks of which only time and place are known.
void append_task(trace::Tasks& tasks, const EventPlace& place, std::uint16_t device,
                 std::uint32_t stream);

}  // namespace npuprof::load
