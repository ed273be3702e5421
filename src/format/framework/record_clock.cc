#include "format/framework/record_clock.h"

#include <cmath>
#include <string>

#include "base/saturated.h"
#include "base/text.h"

namespace npuprof::format::framework {
namespace {

constexpr double kDefaultFrequencyMhz = 100;
constexpr double kHighestFrequencyMhz = 1e9;

TickClock counter_of(bool enabled, double frequency_mhz, std::int64_t start_count,
                     std::int64_t start_monotonic_ns) {
  if (!enabled) return {};
  // The comparison also turns down NaN. Less than half a hertz would round to "no counter".
  if (!(frequency_mhz >= 1e-6 && frequency_mhz <= kHighestFrequencyMhz)) {
    frequency_mhz = kDefaultFrequencyMhz;
  }
  return {.ticks_at_anchor = start_count < 0 ? 0 : static_cast<std::uint64_t>(start_count),
          .ns_at_anchor = start_monotonic_ns,
          .frequency_hz = static_cast<std::uint64_t>(std::llround(frequency_mhz * 1e6))};
}

double frequency_of(const ClockSources& sources) {
  if (!sources.cpu_frequency) return sources.start_frequency_mhz;
  return parse_number<double>(*sources.cpu_frequency).value_or(kDefaultFrequencyMhz);
}

bool has_host_anchor(const ClockSources& sources) {
  return sources.host_count && sources.host_monotonic_ns;
}

std::int64_t wall_offset_of(const ClockSources& sources) {
  if (sources.wall_offset_ns) return *sources.wall_offset_ns;
  std::optional<std::int64_t> begin_ns;
  if (sources.collection_time_begin_us) {
    begin_ns = microseconds_text_to_ns(*sources.collection_time_begin_us);
  }
  if (begin_ns && sources.clock_monotonic_raw_ns) {
    const auto offset = saturated_difference(*begin_ns, *sources.clock_monotonic_raw_ns);
    if (offset != 0) return offset;
  }
  // This mixes CLOCK_MONOTONIC with stamps based on the RAW clock: off by the slew of NTP.
  return saturated_difference(sources.collection_time_end_ns, sources.monotonic_time_end_ns);
}

}  // namespace

Clock::Clock(bool counter_enabled, double frequency_mhz, std::int64_t start_count,
             std::int64_t start_monotonic_ns, std::int64_t wall_offset_ns)
    : counter_(counter_of(counter_enabled, frequency_mhz, start_count, start_monotonic_ns)),
      wall_offset_ns_(wall_offset_ns) {}

Clock::Clock(const ClockSources& sources)
    : Clock(sources.counter_enabled, frequency_of(sources),
            has_host_anchor(sources) ? *sources.host_count : sources.start_count,
            has_host_anchor(sources) ? *sources.host_monotonic_ns : sources.start_monotonic_ns,
            wall_offset_of(sources)) {}

std::int64_t Clock::wall_ns(std::int64_t stamp) const {
  return saturated_sum(monotonic_ns(stamp), wall_offset_ns_);
}

std::optional<std::int64_t> microseconds_text_to_ns(std::string_view text) {
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  if (digits.empty()) return std::nullopt;
  std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1, 3));
  fraction.resize(3, '0');
  return parse_number<std::int64_t>(digits + fraction);
}

}  // namespace npuprof::format::framework
