#include "load/framework_times.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/saturated.h"
#include "load/collection_clock.h"
#include "trace/device/device_tasks.h"
#include "trace/framework/flow_marks.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/garbage_collections.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/program_counters.h"
#include "trace/framework/python_calls.h"
#include "trace/framework/python_events.h"
#include "trace/framework/queue_marks.h"
#include "trace/framework/queue_ranges.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"

namespace npuprof::load {
namespace {

// Around when CANN collected its part.
std::optional<std::int64_t> time_of_cann(const trace::Trace& trace) {
  const std::vector<std::int64_t>* const candidates[] = {&trace.api_calls().start_ns,
                                                         &trace.device_tasks().start_ns};
  for (const auto* times : candidates) {
    if (!times->empty()) return middle_of(*times);
  }
  if (trace.session.begin_ns != 0) return trace.session.begin_ns;
  if (!trace.marks().start_ns.empty()) return middle_of(trace.marks().start_ns);
  return std::nullopt;
}

// All times of a table.
template <trace::Columnar Table>
void move_times(Table& table, std::int64_t by_ns) {
  trace::for_each_time(table, [&](auto& column) {
    for (std::int64_t& time_ns : column) time_ns = saturated_sum(time_ns, by_ns);
  });
}

}  // namespace

void move_framework_to_cann(const Profile& profile, trace::Trace& trace, trace::Losses& losses) {
  const auto& ops = trace.framework_ops().start_ns;
  const std::optional<std::int64_t> cann_ns = time_of_cann(trace);
  if (ops.empty() || !cann_ns || is_near(middle_of(ops), *cann_ns)) return;
  const std::int64_t by_ns = saturated_difference(*cann_ns, middle_of(ops));
  losses.add(profile.path.native(), 0, ops.size(),
             fmt::format("Times of the framework lie {:.1f} days from those of CANN, so a clock of "
                         "the profile is wrong. They are moved there, and may be off by seconds.",
                         -static_cast<double>(by_ns) / kFarNs));
  const auto move = [&](auto&... tables) { (move_times(tables, by_ns), ...); };
  move(trace.framework_ops(), trace.queue_marks(), trace.enqueues(), trace.dequeues(),
       trace.memory_events(), trace.python_events(), trace.python_calls(),
       trace.garbage_collections(), trace.program_counters(), trace.flow_marks());
}

}  // namespace npuprof::load
