#include "serve/idle_lane.h"

#include <set>
#include <string>

namespace npuprof::serve {
namespace {

// Between the streams of a device and what else is known of it.
constexpr report::Layer kIdleLayer{kIdleLayerName, 15, false};

// Layers of files have smaller numbers.
constexpr std::uint64_t idle_pid(std::uint16_t device) { return (std::uint64_t{1} << 62) + device; }

}  // namespace

void write_idle_layer(const trace::Trace& trace, const std::vector<analyze::IdleRow>& rows,
                      report::LaneTimeline& timeline) {
  std::set<std::uint16_t> devices;
  for (const analyze::IdleRow& row : rows) devices.insert(row.device);
  for (const std::uint16_t device : devices) {
    timeline.layer(kIdleLayer, idle_pid(device), device);
    timeline.lane(idle_pid(device), 0, "Why the device was idle", 0);
  }
  timeline.slices(
      rows.size(),
      [&rows](std::size_t i) {
        return report::SlicePlace{idle_pid(rows[i].device), 0, rows[i].start_ns, rows[i].end_ns};
      },
      [&rows, &trace](auto& event, std::size_t i) {
        const analyze::IdleRow& row = rows[i];
        event.name(analyze::idle_cause_name(row.cause));
        if (row.detail != kEmptyString) event.argument("detail", trace.strings.view(row.detail));
        if (row.module != kEmptyString) event.argument("module", trace.strings.view(row.module));
        if (row.thread != trace::kNone) event.argument("thread", row.thread);
        if (row.is_guess)
          event.argument("note", std::string_view("the time of the launch is a guess"));
        if (row.is_starved) {
          event.argument("host", std::string_view("the process had less than 90 % of a core"));
        }
      });
}

}  // namespace npuprof::serve
