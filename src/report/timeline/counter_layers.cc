#include "report/timeline/counter_layers.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/samples/counter_tracks.h"
#include "report/timeline/sinks.h"
#include "trace/host/os_calls.h"

namespace npuprof::report {
namespace {

constexpr Layer kOsCallLayer{layer::kOsCalls, 13, true};
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// Values of all series of a counter by time: readers take the series of one event together.
std::vector<CounterSample> merge(std::span<const CounterSeries> series, std::uint32_t counter) {
  std::vector<CounterSample> merged;
  std::vector<std::size_t> next(series.size());
  for (;;) {
    std::optional<std::int64_t> time_ns;
    for (std::size_t s = 0; s < series.size(); ++s) {
      const auto& times = series[s].time_ns;
      if (next[s] == times.size()) continue;
      time_ns = std::min(time_ns.value_or(times[next[s]]), times[next[s]]);
    }
    if (!time_ns) return merged;
    CounterSample& sample = merged.emplace_back(CounterSample{counter, *time_ns, {}});
    for (std::size_t s = 0; s < series.size(); ++s) {
      const bool now = next[s] < series[s].time_ns.size() && series[s].time_ns[next[s]] == *time_ns;
      sample.values[s] = now ? series[s].values[next[s]++] : kAbsent;
    }
  }
}

}  // namespace

template <typename Sink>
void write_counter_layers(const TimelineContext& context,
                          const std::vector<analyze::Samples>& samples, Sink& sink) {
  std::uint64_t last_pid = 0;
  for (const CounterTrack& track : counter_tracks(samples)) {
    if (!context.options.shows(track.layer.name)) continue;
    const std::uint64_t pid = context.pid(track.layer, track.device);
    if (pid != last_pid) sink.layer(track.layer, pid, track.device);
    last_pid = pid;
    // A counter has a limited number of series; more of them go to another one of the same name.
    for (std::size_t first = 0; first < track.series.size(); first += CounterSample::kMaxSeries) {
      const auto series =
          std::span(track.series)
              .subspan(first, std::min(CounterSample::kMaxSeries, track.series.size() - first));
      std::vector<std::string> names;
      for (const CounterSeries& one : series) names.push_back(one.name);
      const auto merged = std::make_shared<const std::vector<CounterSample>>(
          merge(series, sink.counter(pid, track.name, names)));
      sink.samples(merged->size(), [merged](std::size_t row) { return (*merged)[row]; });
    }
  }
}

template <typename Sink>
void write_os_call_layer(const TimelineContext& context, Sink& sink) {
  const auto& calls = context.trace.os_calls();
  if (!context.options.shows(kOsCallLayer.name) || calls.size() == 0) return;
  const std::uint64_t pid = context.pid(kOsCallLayer, 0);
  sink.layer(kOsCallLayer, pid, 0);
  for (const std::uint32_t tid : std::set(calls.tid.begin(), calls.tid.end())) {
    sink.lane(pid, tid, "Thread " + std::to_string(tid), tid);
  }
  sink.slices(
      calls.size(),
      [&calls, pid](std::size_t row) {
        return SlicePlace{.pid = pid,
                          .tid = calls.tid[row],
                          .start_ns = calls.start_ns[row],
                          .end_ns = calls.end_ns[row]};
      },
      [&context, &calls](auto& event, std::size_t row) {
        event.name(context.view(calls.name[row]));
      });
}

#define NPUPROF_INSTANTIATE(Sink)                                                                  \
  template void write_counter_layers(const TimelineContext&, const std::vector<analyze::Samples>&, \
                                     Sink&);                                                       \
  template void write_os_call_layer(const TimelineContext&, Sink&);
NPUPROF_EACH_SINK(NPUPROF_INSTANTIATE)
#undef NPUPROF_INSTANTIATE

}  // namespace npuprof::report
