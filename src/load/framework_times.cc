#include "load/framework_times.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/saturated.h"
#include "load/collection_clock.h"

namespace npuprof::load {
namespace {

// All times of a table.
template <trace::Columnar Table>
void move_times(Table& table, std::int64_t by_ns) {
  Table::columns(table, [&](std::string_view name, auto& column) {
    using Column = std::remove_cvref_t<decltype(column)>;
    if constexpr (std::is_same_v<Column, std::vector<std::int64_t>>) {
      if (name != "time_ns" && name != "start_ns" && name != "end_ns") return;
      for (std::int64_t& time_ns : column) time_ns = saturated_sum(time_ns, by_ns);
    }
  });
}

}  // namespace

void move_framework_to_cann(const Profile& profile, trace::Trace& trace, trace::Losses& losses) {
  const auto& ops = trace.framework_ops.start_ns;
  const auto& cann =
      trace.api_calls.size() > 0 ? trace.api_calls.start_ns : trace.device_tasks.start_ns;
  if (ops.empty() || cann.empty() || is_near(middle_of(ops), middle_of(cann))) return;
  const std::int64_t by_ns = saturated_difference(middle_of(cann), middle_of(ops));
  losses.add(profile.path.native(), 0, ops.size(),
             fmt::format("Times of the framework lie {:.1f} days from those of CANN, so a clock of "
                         "the profile is wrong. They are moved there, and may be off by seconds.",
                         -static_cast<double>(by_ns) / kFarNs));
  const auto move = [&](auto&... tables) { (move_times(tables, by_ns), ...); };
  move(trace.framework_ops, trace.queue_marks, trace.enqueues, trace.dequeues, trace.memory_events,
       trace.python_events, trace.python_calls, trace.garbage_collections, trace.program_counters);
}

}  // namespace npuprof::load
