#include "trace/device/core_samples.h"

#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/sample_tables.h"
#include "trace/device/pmu_counters.h"

namespace npuprof::analyze {
namespace {

// The n-th samples of all cores of a kind are one round; its time is that of the first of them.
struct Round {
  std::int64_t time_ns = 0;
  double percent = 0;
  std::size_t cores = 0;
};
using CoreKey = std::tuple<std::uint16_t, std::uint8_t, std::uint8_t>;  // Device, kind, number.

}  // namespace

void add_core_samples(const trace::Trace& trace, SampleTables& tables) {
  const auto& rows = trace.core_samples();
  std::map<CoreKey, std::pair<std::int64_t, std::size_t>> last;  // Time and number of samples.
  std::map<std::pair<std::uint16_t, std::uint8_t>, std::vector<Round>> rounds;
  const auto label = [](std::uint8_t core) -> std::string_view {
    return static_cast<trace::PmuCore>(core) == trace::PmuCore::kAiv ? "AIV" : "AIC";
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const trace::DeviceInfo* device = find_device(trace, rows.device[i]);
    if (device == nullptr || device->aic_mhz <= 0) continue;
    const auto cycles = static_cast<double>(rows.cycles[i]);
    const auto [place, is_first] =
        last.try_emplace({rows.device[i], rows.core[i], rows.core_id[i]}, rows.time_ns[i], 0);
    auto& [last_ns, samples] = place->second;
    const std::int64_t passed_ns =
        interval_ns(std::exchange(last_ns, rows.time_ns[i]), rows.time_ns[i]);
    double percent = kNoRate;
    if (!is_first) {
      constexpr double kNsPerMicrosecond = 1000;
      const double possible = device->aic_mhz * static_cast<double>(passed_ns) / kNsPerMicrosecond;
      percent = possible > 0 ? cycles * 100 / possible : 0;
      std::vector<Round>& all = rounds[{rows.device[i], rows.core[i]}];
      if (samples == all.size()) all.push_back({.time_ns = rows.time_ns[i]});
      all[samples].percent += percent;
      ++all[samples].cores;
      ++samples;
    }
    tables.of(SampleKind::kCoreUsage)
        .add(rows.time_ns[i], rows.device[i], rows.core_id[i], label(rows.core[i]),
             {cycles, percent, device->aic_mhz});
  }
  for (const auto& [key, all] : rounds) {
    for (const Round& round : all) {
      tables.of(SampleKind::kCoreAverage)
          .add(round.time_ns, key.first, trace::kNone, label(key.second),
               {round.percent / static_cast<double>(round.cores)});
    }
  }
}

}  // namespace npuprof::analyze
