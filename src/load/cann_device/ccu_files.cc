#include "load/cann_device/ccu_files.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "format/device/ccu.h"
#include "load/plausible.h"
#include "trace/device/ccu_channels.h"
#include "trace/device/ccu_missions.h"
#include "trace/device/unknown_stream.h"

namespace npuprof::load {
namespace {

using format::device::CcuChannel;
using format::device::CcuChannelDelays;
using format::device::CcuMission;

trace::CcuWaits waits_of(const CcuMission& mission, const DeviceConfig& config,
                         std::int64_t start_ns) {
  trace::CcuWaits waits{};
  for (std::size_t rank = 0; rank < waits.size(); ++rank) {
    const auto end = mission.end_of_rank(rank);
    const std::int64_t end_ns = end ? config.clock.from_syscnt(*end) : start_ns;
    if (!is_plausible(start_ns, end_ns)) continue;
    waits[rank] = static_cast<std::uint32_t>(
        std::min<std::int64_t>(end_ns - start_ns, std::numeric_limits<std::uint32_t>::max()));
  }
  return waits;
}

void append(const CcuMission& mission, std::uint8_t die, const DeviceConfig& config,
            trace::CcuMissions& table) {
  const std::int64_t loop_start_ns = config.clock.from_syscnt(mission.loop_start);
  const std::int64_t loop_end_ns = config.clock.from_syscnt(mission.loop_end);
  const std::int64_t wait_start_ns = config.clock.from_syscnt(mission.set_cke_start);
  const bool has_loop = mission.loop_start != 0 && is_plausible(loop_start_ns, loop_end_ns);
  const bool has_wait = mission.set_cke_start != 0 && is_plausible(wait_start_ns, wait_start_ns);
  if (!has_loop && !has_wait) return;
  const trace::CcuWaits waits =
      has_wait ? waits_of(mission, config, wait_start_ns) : trace::CcuWaits{};
  const std::int64_t longest_ns = *std::max_element(waits.begin(), waits.end());
  const std::int64_t wait_end_ns = has_wait ? wait_start_ns + longest_ns : wait_start_ns;

  table.start_ns.push_back(!has_wait   ? loop_start_ns
                           : !has_loop ? wait_start_ns
                                       : std::min(loop_start_ns, wait_start_ns));
  table.end_ns.push_back(!has_wait   ? loop_end_ns
                         : !has_loop ? wait_end_ns
                                     : std::max(loop_end_ns, wait_end_ns));
  table.device.push_back(config.info.id);
  table.stream.push_back(trace::kUnknownStream);
  table.die.push_back(die);
  table.task.push_back(mission.task_id);
  table.has_loop.push_back(has_loop ? 1 : 0);
  table.loop_start_ns.push_back(loop_start_ns);
  table.loop_end_ns.push_back(loop_end_ns);
  table.loop_instruction.push_back(mission.loop_id);
  table.has_wait.push_back(has_wait ? 1 : 0);
  table.wait_start_ns.push_back(wait_start_ns);
  table.wait_instruction.push_back(mission.set_cke_id);
  table.wait_ns.push_back(waits);
}

void load_channels(const DeviceFile& file, std::uint8_t die, const DeviceConfig& config,
                   DevicePart& out) {
  file.for_each_record<CcuChannelDelays>(out.losses, [&](const CcuChannelDelays& record) {
    for (std::size_t index = 0; index < CcuChannelDelays::kChannels; ++index) {
      const CcuChannel channel = record.channel(index);
      if (channel.syscnt == 0) continue;  // Not in use.
      trace::CcuChannels& table = out.tables.ccu_channels();
      table.time_ns.push_back(config.clock.from_syscnt(channel.syscnt));
      table.device.push_back(config.info.id);
      table.die.push_back(die);
      table.channel.push_back(static_cast<std::uint8_t>(index));
      table.average_delay.push_back(channel.average);
      table.min_delay.push_back(channel.minimum);
      table.max_delay.push_back(channel.maximum);
    }
    return true;
  });
}

}  // namespace

void load_ccu_files(const DeviceFiles& files, const DeviceConfig& config, DevicePart& out) {
  if (!is_v6(config.chip)) return;
  for (const std::uint8_t die : {std::uint8_t{0}, std::uint8_t{1}}) {
    const DeviceFile missions = files.open(fmt::format("ccu{}.instr", die), out.losses);
    missions.for_each_record<CcuMission>(out.losses, [&](const CcuMission& mission) {
      append(mission, die, config, out.tables.ccu_missions());
      return true;
    });
    load_channels(files.open(fmt::format("ccu{}.stat", die), out.losses), die, config, out);
  }
}

}  // namespace npuprof::load
