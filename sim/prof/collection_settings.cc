#include "sim/prof/collection_settings.h"

#include <algorithm>

namespace npuprof::sim {

MachineInfo simulated_host() {
  MachineInfo host;
  host.hostname = "npusim";
  host.os = "Linux";
  host.cpu_name = "npusim";
  host.memory_total_kb = 1583000000;
  host.cpu_count = 192;
  host.jiffies_per_second = 100;
  host.network_cards = {{"eth0", 25000}};
  host.up_time = "172163.58";
  return host;
}

MachineInfo this_host() {
  MachineInfo host = record::this_host();
  host.hostname = "npusim";
  host.cpu_name = "npusim";
  // Virtual machines do not know how fast their cards are, but readers divide by the sum of speeds.
  constexpr std::int64_t kAssumedSpeedMbitS = 10'000;
  auto& cards = host.network_cards;
  const bool none_known = std::none_of(cards.begin(), cards.end(),
                                       [](const auto& card) { return card.speed_mbit_s > 0; });
  if (none_known && !cards.empty()) cards.front().speed_mbit_s = kAssumedSpeedMbitS;
  return host;
}

}  // namespace npuprof::sim
