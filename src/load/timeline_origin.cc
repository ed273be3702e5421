#include "load/timeline_origin.h"

#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "format/host/control.h"
#include "format/host/file_names.h"
#include "load/collection_clock.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;

// `msprof_<device>_<model>_<iteration>`.
std::optional<std::uint16_t> device_of_export(const fs::path& timeline) {
  const std::string stem = timeline.stem().native();
  const std::vector<std::string_view> parts = split(stem, '_');
  if (parts.size() != 4) return std::nullopt;
  for (const std::string_view number : {parts[2], parts[3]}) {
    if (!parse_number<std::uint32_t>(number)) return std::nullopt;
  }
  return parse_number<std::uint16_t>(parts[1]);
}

std::optional<std::uint16_t> device_of_folder(const fs::path& folder) {
  constexpr std::string_view kPrefix = "device_";
  const std::string name = folder.filename().native();
  if (!name.starts_with(kPrefix)) return std::nullopt;
  return parse_number<std::uint16_t>(std::string_view(name).substr(kPrefix.size()));
}

void read_control_files(const fs::path& folder, TimelineOrigin& origin, trace::Session& session) {
  const std::string suffix = "." + std::to_string(origin.device);
  if (const auto text = read_file(folder / (std::string(format::host::kInfoFile) + suffix));
      text.ok()) {
    if (const auto info = format::host::parse_info_json(*text); info.ok()) {
      session.pid = static_cast<std::uint32_t>(info->pid.value_or(0));
      session.process_name = info->pid_name;
      session.host_name = info->hostname;
      if (session.rank < 0 && info->rank_id >= 0) {
        session.rank = static_cast<std::int32_t>(info->rank_id);
      }
    }
  }
  if (const auto text = read_file(folder / (std::string(format::host::kStartFile) + suffix));
      text.ok()) {
    const auto start = format::host::parse_collection_time(*text);
    if (!start.ok()) return;
    origin.monotonic_to_wall_ns = monotonic_to_wall_ns(*start).value_or(0);
  }
}

}  // namespace

std::optional<std::uint16_t> device_of_display(std::string_view file_name) {
  constexpr std::string_view kMiddle = "timeline_display_";
  constexpr std::string_view kEnd = ".json";
  const std::size_t at = file_name.find(kMiddle);
  const bool is_begin = at == 0 || (at != std::string_view::npos && file_name[at - 1] == '_');
  if (!is_begin || !file_name.ends_with(kEnd)) return std::nullopt;
  file_name.remove_prefix(at + kMiddle.size());
  file_name.remove_suffix(kEnd.size());
  return parse_number<std::uint16_t>(file_name);
}

TimelineOrigin find_timeline_origin(const fs::path& timeline, trace::Session& session) {
  TimelineOrigin origin;
  if (const auto device = device_of_export(timeline)) origin.device = *device;
  if (const auto device = device_of_display(timeline.filename().native())) {
    origin.device = *device;
    origin.is_display = true;
  }
  std::error_code ignored;
  fs::path folder = fs::absolute(timeline, ignored).parent_path();
  if (folder.filename() == "timeline") folder = folder.parent_path();
  if (const auto device = device_of_folder(folder)) {
    origin.device = *device;
    read_control_files(folder, origin, session);
  }
  return origin;
}

}  // namespace npuprof::load
