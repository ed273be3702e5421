// Iterations of models: the part of EventRows that reads the step trace.

#include <string_view>

#include "load/chrome_trace/event_rows.h"
#include "load/plausible.h"
#include "trace/linked/iteration_ranges.h"
#include "trace/linked/iterations.h"

namespace npuprof::load {

bool EventRows::add_iteration(const Event& event, const EventPlace& place, std::uint16_t device) {
  const std::string_view category = event.category;
  // What begins and ends with the points of an iteration says nothing new.
  if (category == category::kForwardBackward || category == category::kRefresh) return true;
  const std::uint64_t model = lanes_.model_of(place.pid, place.tid);
  const auto index = static_cast<std::uint64_t>(event.integer(argument::kIteration).value_or(0));
  if (category == category::kIteration) {
    const auto point = [&](std::string_view key) {
      const auto time = event_time_ns(event.argument(key));
      return time ? plausible(base_.wall_ns(*time)).value_or(0) : 0;
    };
    trace::Iterations& iterations = rows_.tables.iterations();
    iterations.device.push_back(device);
    iterations.model_id.push_back(model);
    iterations.index.push_back(index);
    iterations.start_ns.push_back(place.start_ns);
    iterations.forward_start_ns.push_back(point(argument::kForwardStart));
    iterations.backward_end_ns.push_back(point(argument::kBackwardEnd));
    iterations.end_ns.push_back(place.end_ns);
    iterations.previous_end_ns.push_back(0);
    return true;
  }
  const bool is_get_next = category == category::kGetNext;
  if (!is_get_next && category != "Reduce") return false;
  trace::IterationRanges& ranges = rows_.tables.iteration_ranges();
  ranges.device.push_back(device);
  ranges.model_id.push_back(model);
  ranges.index.push_back(index);
  ranges.start_ns.push_back(place.start_ns);
  ranges.end_ns.push_back(place.end_ns);
  ranges.is_get_next.push_back(is_get_next ? 1 : 0);
  return true;
}

}  // namespace npuprof::load
