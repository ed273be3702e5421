#include "sim/prof/collection_options.h"

namespace npuprof::sim {

HostInfo simulated_host() {
  HostInfo host;
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

HostInfo this_host() {
  HostInfo host = record::this_host();
  host.hostname = "npusim";
  host.cpu_name = "npusim";
  return host;
}

}  // namespace npuprof::sim
