#include "recorded_times.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/file.h"
#include "format/host/control.h"
#include "format/host/file_names.h"

namespace npuprof::mindspore_hooks {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kHzPerMhz = 1'000'000;
constexpr std::uint64_t kDefaultMhz = 100;

// The host part of the newest collection; empty if there is none.
fs::path host_directory(const fs::path& result_directory) {
  fs::path newest;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(result_directory, error)) {
    const fs::path host = entry.path() / "host";
    const bool is_collection =
        entry.path().filename().native().starts_with(format::host::kProfPrefix);
    if (is_collection && fs::is_directory(host, error)) newest = std::max(newest, host);
  }
  return newest;
}

std::uint64_t frequency_hz(const fs::path& host) {
  const auto text = read_file(host / format::host::kInfoFile);
  if (!text.ok()) return kDefaultMhz * kHzPerMhz;
  const auto info = format::host::parse_info_json(*text);
  if (!info.ok() || info->cpus.empty()) return kDefaultMhz * kHzPerMhz;
  const std::optional<double> mhz = info->cpus[0].frequency_mhz;
  if (!mhz || *mhz <= 0) return kDefaultMhz * kHzPerMhz;
  return static_cast<std::uint64_t>(*mhz * static_cast<double>(kHzPerMhz));
}

}  // namespace

std::int64_t RecordedTimes::from_ticks(std::uint64_t ticks) const {
  const auto passed = static_cast<double>(ticks) - static_cast<double>(begin_ticks);
  const auto all = static_cast<double>(end_ticks) - static_cast<double>(begin_ticks);
  if (all <= 0) return begin_ns;
  return begin_ns +
         static_cast<std::int64_t>(passed / all * static_cast<double>(end_ns - begin_ns));
}

TickClock written_clock(const fs::path& result_directory, const RecordedTimes& recorded) {
  const fs::path host = host_directory(result_directory);
  if (!host.empty()) {
    const auto text = read_file(host / format::host::kHostClockFile);
    const auto log = text.ok() ? format::host::parse_clock_log(*text) : format::host::ClockLog{};
    if (log.counter && log.monotonic_raw_ns) {
      return {*log.counter, static_cast<std::int64_t>(*log.monotonic_raw_ns), frequency_hz(host)};
    }
  }
  return {0, -recorded.wall_offset_ns, kDefaultMhz * kHzPerMhz};
}

}  // namespace npuprof::mindspore_hooks
