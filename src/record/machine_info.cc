#include "record/machine_info.h"

#include <algorithm>
#include <filesystem>

#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "format/host/proc_blocks.h"
#include "format/text_scan.h"

namespace npuprof::record {
namespace {

std::int64_t memory_total_kb() {
  const auto text = read_file("/proc/meminfo");
  if (!text.ok()) return 0;
  std::string_view rest = *text;
  std::string_view line;
  while (format::take_line(rest, line)) {
    const auto memory = format::host::parse_memory_line(line);
    if (memory && memory->name == "MemTotal") return static_cast<std::int64_t>(memory->kilobytes);
  }
  return 0;
}

std::vector<format::host::NetworkCard> network_cards() {
  std::vector<format::host::NetworkCard> cards;
  std::error_code error;
  std::filesystem::directory_iterator entries("/sys/class/net", error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename();
    const auto text = read_file(entries->path() / "speed");
    const auto speed = text.ok() ? parse_number<std::int64_t>(trim(*text)) : std::nullopt;
    if (name != "lo") cards.push_back({name, speed.value_or(-1)});
  }
  std::sort(cards.begin(), cards.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return cards;
}

std::string cpu_name() {
  const auto text = read_file("/proc/cpuinfo");
  if (!text.ok()) return {};
  std::string_view rest = *text;
  std::string_view line;
  while (format::take_line(rest, line)) {
    const auto entry = format::split_at_colon(line);
    if (entry && trim(entry->key) == "model name") return std::string(trim(entry->value));
  }
  return {};
}

}  // namespace

MachineInfo this_host() {
  MachineInfo host;
  struct utsname name {};
  if (::uname(&name) == 0) {
    host.hostname = name.nodename;
    host.os = std::string(name.sysname) + "-" + name.release;
  }
  host.cpu_name = cpu_name();
  host.memory_total_kb = memory_total_kb();
  host.cpu_count = ::sysconf(_SC_NPROCESSORS_CONF);
  host.jiffies_per_second = ::sysconf(_SC_CLK_TCK);
  host.network_cards = network_cards();
  if (const auto text = read_file("/proc/uptime"); text.ok()) {
    std::string_view words = *text;
    host.up_time = format::take_word(words);
  }
  return host;
}

void put_into(const MachineInfo& host, format::host::InfoJson& info) {
  info.os = host.os;
  info.hostname = host.hostname;
  info.host_uid = host.host_uid;
  info.memory_total_kb = host.memory_total_kb;
  info.cpu_count = host.cpu_count;
  info.jiffies_per_second = host.jiffies_per_second;
  info.cpu_cores = host.cpu_count;
  info.network_card_count = static_cast<std::int64_t>(host.network_cards.size());
  info.network_cards = host.network_cards;
  info.up_time = host.up_time;
  info.cpus = {format::host::HostCpu{.name = host.cpu_name,
                                     .logical_cpu_count = std::to_string(host.cpu_count),
                                     .type = host.cpu_name}};
}

}  // namespace npuprof::record
