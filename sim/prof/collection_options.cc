#include "sim/prof/collection_options.h"

#include <algorithm>
#include <filesystem>

#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "format/host/host_text.h"
#include "format/text_scan.h"

namespace npuprof::sim {
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

}  // namespace

std::string HostSystem::text() const {
  std::string list;
  const auto add = [&](bool chosen, const char* name) {
    if (chosen) list.append(list.empty() ? "" : ",").append(name);
  };
  add(cpu, "cpu");
  add(memory, "mem");
  add(disk, "disk");
  add(network, "network");
  add(os_runtime, "osrt");
  return list;
}

HostInfo this_host() {
  HostInfo host;
  struct utsname name {};
  if (::uname(&name) == 0) {
    host.os = std::string(name.sysname) + "-" + name.release;
  }
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

}  // namespace npuprof::sim
