#include "load/framework_times.h"

#include <cstddef>
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
#include "trace/framework/cpu_ops.h"
#include "trace/framework/framework_ops.h"
#include "trace/framework/memory_events.h"
#include "trace/framework/pool_totals.h"
#include "trace/host/api_calls.h"
#include "trace/host/marks.h"
#include "trace/table_list.h"

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

// Around when MindSpore wrote what has the time of the day, unlike its ranges.
std::optional<std::int64_t> time_of_host_files(const trace::Trace& trace) {
  if (trace.session.framework != trace::Framework::kMindSpore) return std::nullopt;
  const std::vector<std::int64_t>* const candidates[] = {
      &trace.cpu_ops().start_ns, &trace.pool_totals().time_ns, &trace.memory_events().time_ns};
  for (const auto* times : candidates) {
    if (!times->empty()) return middle_of(*times);
  }
  return std::nullopt;
}

// Whether the framework took the times of a table from the clock of its ranges.
bool has_clock_of_ranges(std::size_t table, trace::Framework framework) {
  if (trace::table_facts(table).room != trace::Room::kFramework) return false;
  if (framework != trace::Framework::kMindSpore) return true;
  return table != trace::kTableNumber<trace::CpuOps> &&
         table != trace::kTableNumber<trace::PoolTotals> &&
         table != trace::kTableNumber<trace::MemoryEvents>;
}

}  // namespace

void move_framework_to_cann(const Profile& profile, trace::Trace& trace, trace::Losses& losses) {
  const auto& ops = trace.framework_ops().start_ns;
  const std::optional<std::int64_t> cann_ns = time_of_cann(trace);
  const std::optional<std::int64_t> true_ns = cann_ns ? cann_ns : time_of_host_files(trace);
  if (ops.empty() || !true_ns || is_near(middle_of(ops), *true_ns)) return;
  const std::int64_t by_ns = saturated_difference(*true_ns, middle_of(ops));
  if (cann_ns) {
    losses.add(profile.path.native(), 0, ops.size(),
               fmt::format("Times of the framework lie {:.1f} days from those of CANN, so a clock "
                           "of the profile is wrong. They are moved there, and may be off by "
                           "seconds.",
                           -static_cast<double>(by_ns) / kFarNs));
  } else {
    // Without CANN there is no clock that could be wrong.
    losses.note(profile.path.native(), ops.size(),
                "Ranges of MindSpore have no time of the day here: they are moved to where its "
                "other files lie, and may be off by seconds.");
  }
  auto tables = trace::tables_of(trace);
  for (std::size_t number = 0; number < tables.size(); ++number) {
    if (!has_clock_of_ranges(number, trace.session.framework)) continue;
    trace::change_times(tables[number],
                        [&](std::int64_t time_ns) { return saturated_sum(time_ns, by_ns); });
  }
}

}  // namespace npuprof::load
