#include "load/framework/framework_clock.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "format/host/control.h"
#include "format/host/file_names.h"
#include "format/mindspore/record_clock.h"
#include "load/collection_clock.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
using format::framework::Clock;
using format::framework::ClockSources;
using format::framework::ProfilerInfo;

// Contents of a control file. A missing one is normal; one that cannot be read is a loss.
std::optional<std::string> read_control_file(const fs::path& path, trace::Losses& losses) {
  auto text = read_file(path);
  if (text.ok()) return std::move(text).value();
  if (text.error().code != ErrorCode::kNotFound) {
    losses.add(path.native(), 0, 0, text.error().message);
  }
  return std::nullopt;
}

// What the CANN data is read with. `frequency` is where its text lives.
void put_session(const trace::Session& session, std::string& frequency, ClockSources& sources) {
  // The counter is the host's. 1000 MHz stands for stamps that are nanoseconds.
  if (session.host_counter_mhz > 0 && session.host_counter_mhz != 1000) {
    append_double(frequency, session.host_counter_mhz);
    sources.cpu_frequency = frequency;
  }
  if (session.monotonic_to_wall_ns != 0) sources.wall_offset_ns = session.monotonic_to_wall_ns;
}

// What the CANN data says about the host's clocks.
class CannClocks {
 public:
  CannClocks(const CannDirectory& cann, trace::Losses& losses) : losses_(losses) {
    if (!cann.host.empty()) {
      read_info(cann.host / format::host::kInfoFile);
      read_anchor(cann.host / format::host::kHostClockFile);
      read_begin(cann.host / format::host::kStartFile);
    }
    for (const DeviceDirectory& device : cann.devices) {
      if (begin_us_.has_value()) break;
      read_begin(device.path / fmt::format("{}.{}", format::host::kStartFile, device.id));
    }
  }

  void put_into(ClockSources& sources) const {
    if (frequency_text_) sources.cpu_frequency = *frequency_text_;
    sources.host_count = host_count_;
    sources.host_monotonic_ns = host_monotonic_ns_;
    if (begin_us_) sources.collection_time_begin_us = *begin_us_;
    sources.clock_monotonic_raw_ns = begin_monotonic_ns_;
  }

 private:
  void read_info(const fs::path& path) {
    const auto text = read_control_file(path, losses_);
    if (!text) return;
    const auto info = format::host::parse_info_json(*text);
    if (!info.ok()) {
      losses_.add(path.native(), 0, 0, info.error().message);
      return;
    }
    frequency_text_.emplace();
    if (!info->cpus.empty() && info->cpus[0].frequency_mhz) {
      append_double(*frequency_text_, *info->cpus[0].frequency_mhz);
    }
  }

  void read_anchor(const fs::path& path) {
    const auto text = read_control_file(path, losses_);
    if (!text) return;
    const format::host::ClockLog log = format::host::parse_clock_log(*text);
    if (!has_anchor(log)) return;
    host_count_ = static_cast<std::int64_t>(*log.counter);
    host_monotonic_ns_ = static_cast<std::int64_t>(*log.monotonic_raw_ns);
  }

  void read_begin(const fs::path& path) {
    const auto text = read_control_file(path, losses_);
    if (!text) return;
    const auto begin = format::host::parse_collection_time(*text);
    if (!begin.ok()) {
      losses_.add(path.native(), 0, 0, begin.error().message);
      return;
    }
    if (!monotonic_to_wall_ns(*begin)) return;
    begin_us_ = std::to_string(*begin->begin_us);
    begin_monotonic_ns_ = begin->monotonic_raw_ns;
  }

  trace::Losses& losses_;
  std::optional<std::string> frequency_text_;
  std::optional<std::int64_t> host_count_;
  std::optional<std::int64_t> host_monotonic_ns_;
  std::optional<std::string> begin_us_;
  std::optional<std::int64_t> begin_monotonic_ns_;
};

double distance(std::int64_t a, std::int64_t b) {
  return std::abs(static_cast<double>(a) - static_cast<double>(b));
}

// A profile is short beside the time since the machine was started: the right reading of a stamp
// is the one that lies near the start of the collection.
bool looks_like_ticks(ClockSources sources, std::int64_t stamp) {
  if (!sources.host_monotonic_ns) return false;
  sources.counter_enabled = true;
  const std::int64_t as_ticks = Clock(sources).monotonic_ns(stamp);
  return distance(as_ticks, *sources.host_monotonic_ns) <
         distance(stamp, *sources.host_monotonic_ns);
}

// Whether only the other reading of stamps than profiler_info's puts `stamp` near the start.
bool contradicts(ClockSources sources, std::int64_t stamp) {
  if (!sources.host_monotonic_ns) return false;
  const auto fits = [&] {
    return is_near(Clock(sources).monotonic_ns(stamp), *sources.host_monotonic_ns);
  };
  if (fits()) return false;
  sources.counter_enabled = !sources.counter_enabled;
  return fits();
}

}  // namespace

Clock framework_clock(const Profile& profile, const std::optional<ProfilerInfo>& info,
                      std::optional<std::int64_t> some_stamp, const trace::Session& session,
                      trace::Losses& losses) {
  ClockSources sources = info ? clock_sources(*info) : ClockSources();
  if (profile.cann.empty()) return Clock(sources);
  const CannClocks cann(profile.cann.front(), losses);
  cann.put_into(sources);
  std::string frequency;
  put_session(session, frequency, sources);
  if (!info && some_stamp) sources.counter_enabled = looks_like_ticks(sources, *some_stamp);
  if (info && some_stamp && contradicts(sources, *some_stamp)) {
    sources.counter_enabled = !sources.counter_enabled;
    losses.add(profile.profiler_info.native(), 0, 0,
               "what it says of the clock cannot be right; host_start.log is used instead");
  }
  return Clock(sources);
}

std::optional<Clock> mindspore_clock(const Profile& profile,
                                     const std::optional<format::mindspore::ProfilerInfo>& info,
                                     const trace::Session& session, trace::Losses& losses) {
  ClockSources sources;
  std::optional<CannClocks> cann;
  std::string frequency;
  if (!profile.cann.empty()) {
    cann.emplace(profile.cann.front(), losses);
    cann->put_into(sources);
    put_session(session, frequency, sources);
  }
  const bool is_told = info && info->clock;
  if (!format::mindspore::tells_wall_time(sources) && !is_told) return std::nullopt;
  return format::mindspore::op_range_clock(sources,
                                           info.value_or(format::mindspore::ProfilerInfo()));
}

}  // namespace npuprof::load
