#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/host/control.h"

namespace npuprof::record {

// The machine a collection ran on, as info.json tells it.
struct MachineInfo {
  std::string hostname;
  std::string host_uid = "0";
  std::string os;
  std::string cpu_name;
  std::int64_t memory_total_kb = 0;
  std::int64_t cpu_count = 0;
  std::int64_t jiffies_per_second = 0;
  std::vector<format::host::NetworkCard> network_cards;
  std::string up_time;
};

// This computer; what cannot be found out stays empty.
MachineInfo this_host();

// The part of info.json that is about the machine.
void put_into(const MachineInfo& host, format::host::InfoJson& info);

}  // namespace npuprof::record
