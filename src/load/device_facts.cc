#include "load/device_facts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "format/host/control.h"
#include "format/host/file_names.h"
#include "format/results/file_names.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;

// Directories whose names begin so, by name.
std::vector<fs::path> folders_in(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().native().starts_with(prefix) && entry->is_directory(ignored)) {
      found.push_back(entry->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::uint32_t core_count(std::int64_t stated) {
  constexpr std::int64_t kMost = 0xFFFF;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(stated, 0, kMost));
}

void read_facts(const fs::path& collection, trace::Trace& trace) {
  for (trace::DeviceInfo& device : trace.devices) {
    if (device.ai_core_count > 0) continue;
    const std::string number = std::to_string(device.id);
    const auto text = read_file(collection / ("device_" + number) /
                                fmt::format("{}.{}", format::host::kInfoFile, device.id));
    if (!text.ok()) continue;
    const auto info = format::host::parse_info_json(*text);
    if (!info.ok() || info->device_info.empty()) continue;
    const auto& facts = info->device_info.front();
    device.ai_core_count = core_count(facts.ai_core_num);
    device.vector_core_count = core_count(facts.aiv_num);
    if (device.aic_mhz <= 0) device.aic_mhz = facts.aic_frequency_mhz.value_or(0);
  }
}

}  // namespace

void add_device_facts(const fs::path& results, trace::Trace& trace) {
  std::error_code ignored;
  const fs::path folder = fs::is_directory(results, ignored) ? results : results.parent_path();
  const auto look_in = [&](const fs::path& place) {
    for (const fs::path& collection : folders_in(place, format::host::kProfPrefix))
      read_facts(collection, trace);
    read_facts(place, trace);
  };
  look_in(folder);
  // Beside a folder of results there are parts of the same profile, beside others anything.
  const std::string name = folder.filename().native();
  if (name == format::results::kFrameworkResults || name == format::results::kCannResults) {
    look_in(folder.parent_path());
  }
}

}  // namespace npuprof::load
