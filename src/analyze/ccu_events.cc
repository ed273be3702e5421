#include "analyze/ccu_events.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "base/sort_order.h"
#include "trace/device/ccu_channels.h"
#include "trace/device/ccu_missions.h"
#include "trace/host/ccu_infos.h"

namespace npuprof::analyze {
namespace {

using trace::CcuInfoKind;
using trace::kNone;
using trace::Trace;

// Announcements by what they are about: (kind, task, instruction).
class Announcements {
 public:
  explicit Announcements(const trace::CcuInfos& infos) {
    for (std::uint32_t row = 0; row < infos.size(); ++row) {
      entries_.emplace_back(key_of(static_cast<CcuInfoKind>(infos.kind[row]), infos.task[row],
                                   infos.instruction[row], infos.die[row]),
                            row);
    }
    std::sort(entries_.begin(), entries_.end());
  }

  using Entry = std::pair<std::uint64_t, std::uint32_t>;  // Key, row.

  // Those for the die, or for any die if there is none: a task may run on both.
  std::span<const Entry> find(CcuInfoKind kind, std::uint32_t task, std::uint16_t instruction,
                              std::uint8_t die) const {
    const std::uint64_t exact = key_of(kind, task, instruction, die);
    const auto on_die = range(exact, exact);
    if (!on_die.empty()) return on_die;
    return range(key_of(kind, task, instruction, 0), key_of(kind, task, instruction, 0xFF));
  }

 private:
  // Kind 8 bits, task 32, instruction 16, die 8.
  static std::uint64_t key_of(CcuInfoKind kind, std::uint32_t task, std::uint16_t instruction,
                              std::uint8_t die) {
    return static_cast<std::uint64_t>(kind) << 56 | std::uint64_t{task} << 24 |
           std::uint64_t{instruction} << 8 | die;
  }
  std::span<const Entry> range(std::uint64_t first, std::uint64_t last) const {
    const auto begin = std::lower_bound(entries_.begin(), entries_.end(), Entry{first, 0});
    const auto end = std::upper_bound(begin, entries_.end(), Entry{last, kNone});
    return std::span(entries_).subspan(static_cast<std::size_t>(begin - entries_.begin()),
                                       static_cast<std::size_t>(end - begin));
  }

  std::vector<Entry> entries_;
};

// The greatest average delay of a channel up to a time.
class ChannelDelays {
 public:
  explicit ChannelDelays(const trace::CcuChannels& samples) {
    for (const std::uint32_t row : stable_order(samples.time_ns)) {
      auto& peaks = channels_[{samples.device[row], samples.die[row], samples.channel[row]}];
      const std::uint32_t before = peaks.empty() ? 0 : peaks.back().delay;
      if (peaks.empty() || samples.average_delay[row] > before) {
        peaks.push_back({samples.time_ns[row], samples.average_delay[row]});
      }
    }
  }

  std::uint32_t before(std::uint16_t device, std::uint8_t die, std::uint16_t channel,
                       std::int64_t time_ns) const {
    const auto found = channels_.find({device, die, channel});
    if (found == channels_.end()) return 0;
    const auto next = std::lower_bound(
        found->second.begin(), found->second.end(), time_ns,
        [](const Peak& peak, std::int64_t wanted) { return peak.time_ns < wanted; });
    return next == found->second.begin() ? 0 : std::prev(next)->delay;
  }

 private:
  struct Peak {
    std::int64_t time_ns;
    std::uint32_t delay;
  };
  std::map<std::tuple<std::uint16_t, std::uint8_t, std::uint16_t>, std::vector<Peak>> channels_;
};

class EventBuilder {
 public:
  explicit EventBuilder(const Trace& trace)
      : missions_(trace.ccu_missions()),
        infos_(trace.ccu_infos()),
        announcements_(trace.ccu_infos()),
        delays_(trace.ccu_channels()) {}

  CcuEvent loop(std::uint32_t mission) const {
    CcuEvent event{.start_ns = missions_.loop_start_ns[mission],
                   .end_ns = missions_.loop_end_ns[mission],
                   .mission = mission};
    const auto found =
        announcements_.find(CcuInfoKind::kTransfer, missions_.task[mission],
                            missions_.loop_instruction[mission], missions_.die[mission]);
    if (!found.empty()) event.info = found.front().second;
    return event;
  }

  CcuEvent wait(std::uint32_t mission) const {
    const trace::CcuWaits& waits = missions_.wait_ns[mission];
    // Of ranks that came together the one with the greatest index.
    const auto last = std::max_element(waits.rbegin(), waits.rend());
    CcuEvent event{.start_ns = missions_.wait_start_ns[mission],
                   .end_ns = missions_.wait_start_ns[mission] + *last,
                   .mission = mission,
                   .is_wait = true,
                   .last_rank = static_cast<std::uint8_t>(waits.rend() - last - 1)};
    const auto found =
        announcements_.find(CcuInfoKind::kWait, missions_.task[mission],
                            missions_.wait_instruction[mission], missions_.die[mission]);
    if (found.empty()) return event;
    event.info = found.front().second;
    for (const auto& [key, row] : found) find_slowest_channel(row, event);
    return event;
  }

 private:
  void find_slowest_channel(std::uint32_t info, CcuEvent& event) const {
    for (const std::uint16_t channel : infos_.channels[info]) {
      if (channel == trace::kNoCcuChannel) continue;
      const std::uint32_t delay = delays_.before(
          missions_.device[event.mission], missions_.die[event.mission], channel, event.end_ns);
      if (delay <= event.channel_delay) continue;
      event.slowest_channel = channel;
      event.channel_delay = delay;
    }
  }

  const trace::CcuMissions& missions_;
  const trace::CcuInfos& infos_;
  Announcements announcements_;
  ChannelDelays delays_;
};

}  // namespace

std::vector<CcuEvent> ccu_events(const Trace& trace) {
  std::vector<CcuEvent> events;
  const auto& missions = trace.ccu_missions();
  if (missions.size() == 0) return events;
  const EventBuilder builder(trace);
  for (std::uint32_t row = 0; row < missions.size(); ++row) {
    if (missions.has_loop[row] != 0) events.push_back(builder.loop(row));
    if (missions.has_wait[row] != 0) events.push_back(builder.wait(row));
  }
  std::erase_if(events,
                [&](const CcuEvent& event) { return event.start_ns < trace.session.begin_ns; });
  std::stable_sort(events.begin(), events.end(), [&](const CcuEvent& a, const CcuEvent& b) {
    return std::tuple(missions.device[a.mission], a.start_ns) <
           std::tuple(missions.device[b.mission], b.start_ns);
  });
  return events;
}

}  // namespace npuprof::analyze
