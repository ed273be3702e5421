#include "base/available_memory.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace npuprof {
namespace {

// "MemAvailable:   12345 kB"
std::optional<std::uint64_t> available_in_system() {
  const auto text = read_file("/proc/meminfo");
  if (!text.ok()) return std::nullopt;
  for (const std::string_view line : split(*text, '\n')) {
    constexpr std::string_view kKey = "MemAvailable:";
    constexpr std::string_view kUnit = " kB";
    if (!line.starts_with(kKey) || !line.ends_with(kUnit)) continue;
    const auto number = trim(line.substr(kKey.size(), line.size() - kKey.size() - kUnit.size()));
    const auto kilobytes = parse_number<std::uint64_t>(number);
    if (kilobytes) return *kilobytes * 1024;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_in(const char* path) {
  const auto text = read_file(path);
  if (!text.ok()) return std::nullopt;
  return parse_number<std::uint64_t>(trim(*text));  // "max" is no number.
}

// As a container sees its own group, in version 2 and version 1 of the interface.
std::optional<std::uint64_t> left_in_group(const char* limit_path, const char* used_path) {
  const auto limit = number_in(limit_path);
  const auto used = number_in(used_path);
  if (!limit || !used) return std::nullopt;
  return *limit - std::min(*limit, *used);
}

}  // namespace

std::uint64_t available_memory_bytes() {
  std::optional<std::uint64_t> least = available_in_system();
  for (const auto left :
       {left_in_group("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        left_in_group("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                      "/sys/fs/cgroup/memory/memory.usage_in_bytes")}) {
    if (left && (!least || *left < *least)) least = left;
  }
  return least.value_or(0);
}

}  // namespace npuprof
