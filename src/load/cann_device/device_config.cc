#include "load/cann_device/device_config.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/saturated.h"
#include "base/text.h"
#include "format/device/file_names.h"
#include "format/device/stars_head.h"
#include "format/device/ts_track.h"
#include "format/host/control.h"
#include "format/host/file_names.h"
#include "load/collection_clock.h"

namespace npuprof::load {
namespace {

namespace control = format::host;
using format::device::ChipFamily;
using format::device::ChipId;

constexpr std::string_view kCountedFromBegin =
    "Device times are counted from the begin of the collection, and may not fit those of the host.";

std::uint64_t to_hz(double mhz) {
  constexpr double kMaxMhz = 1e6;
  return mhz > 0 && mhz < kMaxMhz ? static_cast<std::uint64_t>(std::llround(mhz * 1e6)) : 0;
}

// Numbers in hexadecimal with commas between; what is no number is left out, and counted.
std::vector<std::uint32_t> parse_events(std::string_view text, std::size_t& bad) {
  std::vector<std::uint32_t> events;
  if (trim(text).empty()) return events;
  for (const std::string_view part : split(text, ',')) {
    if (const auto event = parse_hex<std::uint32_t>(trim(part))) {
      events.push_back(*event);
    } else {
      ++bad;
    }
  }
  return events;
}

// Decimal numbers with commas between; what is no number is left out.
std::vector<std::uint32_t> parse_cpus(std::string_view text) {
  std::vector<std::uint32_t> cpus;
  for (const std::string_view part : split(text, ',')) {
    if (const auto cpu = parse_number<std::uint32_t>(trim(part))) cpus.push_back(*cpu);
  }
  return cpus;
}

// "SMMU:0x2,0x8a;HA:0x1,0x2": the list of one unit.
std::vector<std::uint32_t> parse_unit_events(std::string_view text, std::string_view unit,
                                             std::size_t& bad) {
  for (const std::string_view list : split(text, ';')) {
    const std::size_t colon = list.find(':');
    if (colon == std::string_view::npos || trim(list.substr(0, colon)) != unit) continue;
    return parse_events(list.substr(colon + 1), bad);
  }
  return {};
}

class ConfigReader {
 public:
  ConfigReader(std::filesystem::path directory, std::uint16_t device, const HostSession& host,
               const DeviceFiles& files, trace::Losses& losses)
      : directory_(std::move(directory)),
        device_(device),
        host_(host),
        files_(files),
        losses_(losses) {}

  Result<DeviceConfig> read() {
    NPUPROF_RETURN_IF_ERROR(read_info());
    read_sample();
    read_clock();
    return std::move(config_);
  }

 private:
  std::filesystem::path numbered(std::string_view name) const {
    return directory_ / fmt::format("{}.{}", name, device_);
  }

  // The host's copy of a file of the device.
  std::filesystem::path host_copy(std::string_view name) const {
    return directory_.parent_path() / "host" / name;
  }

  static Result<control::InfoJson> read_info_file(const std::filesystem::path& path) {
    NPUPROF_ASSIGN_OR_RETURN(const std::string text, read_file(path));
    auto info = control::parse_info_json(text);
    if (!info.ok())
      return Error{info.error().code, fmt::format("'{}': {}", path.string(), info.error().message)};
    return info;
  }

  Status read_info() {
    const std::filesystem::path path = numbered(control::kInfoFile);
    Result<control::InfoJson> read = read_info_file(path);
    if (!read.ok()) {
      // The host's names the same chip, though not always its cores.
      auto of_host = read_info_file(host_copy(control::kInfoFile));
      if (!of_host.ok()) return read.error();
      losses_.add(path.string(), 0, 0,
                  fmt::format("The host's info.json is used instead: {}", read.error().message));
      read = std::move(of_host);
    }
    const control::InfoJson& info = *read;
    const format::device::Chip* chip =
        info.platform_version ? format::device::find_chip(*info.platform_version) : nullptr;
    if (chip == nullptr) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("{} names no chip that is known (platform_version {}).",
                               path.string(), info.platform_version.value_or(-1))};
    }
    config_.chip = chip->id;
    config_.version_2 = info.version == "2.0";
    config_.uses_flips = format::device::writes_flips(
        chip->id, static_cast<std::uint64_t>(std::max<std::int64_t>(info.driver_version, 0)));
    trace::DeviceInfo& out = config_.info;
    out.id = device_;
    out.chip = static_cast<std::uint32_t>(chip->id);
    control::ControlDevice device;
    if (info.device_info.empty()) {
      losses_.add(path.string(), 0, 0, "DeviceInfo is missing: core counts are not known.");
    } else {
      device = info.device_info.front();
    }
    out.ai_core_count = static_cast<std::uint32_t>(device.ai_core_num);
    out.vector_core_count = static_cast<std::uint32_t>(device.aiv_num);
    out.ai_cpus = parse_cpus(device.ai_cpu);
    out.control_cpus = parse_cpus(device.ctrl_cpu);
    out.aic_mhz = device.aic_frequency_mhz.value_or(chip->ai_core_mhz);
    out.counter_mhz = device.hwts_frequency_mhz.value_or(0);
    if (to_hz(out.counter_mhz) == 0) {
      out.counter_mhz = chip->system_counter_mhz;
      losses_.add(path.string(), 0, 0,
                  fmt::format("hwts_frequency is missing: {} MHz is assumed.", out.counter_mhz));
    }
    if (!info.cpus.empty()) host_mhz_ = info.cpus.front().frequency_mhz.value_or(0);
    return ok_status();
  }

  void read_sample() {
    const std::filesystem::path path = directory_ / control::kSampleFile;
    const Result<std::string> text = read_file(path);
    if (!text.ok()) return report(text.error());
    const Result<control::SampleJson> parsed = control::parse_sample_json(*text);
    if (!parsed.ok()) return report(parsed.error());
    const control::SampleJson& sample = *parsed;
    trace::DeviceInfo& out = config_.info;
    std::size_t bad = 0;  // Events that are no numbers.
    if (sample.ai_core_profiling != "off") {
      out.aic_metrics = sample.ai_core_metrics;
      out.aic_events = parse_events(sample.ai_core_profiling_events, bad);
    }
    if (sample.aiv_profiling != "off") {
      out.aiv_metrics = sample.aiv_metrics;
      out.aiv_events = parse_events(sample.aiv_profiling_events, bad);
    }
    out.sample_based = sample.ai_core_profiling_mode == "sample-based" ||
                       sample.aiv_profiling_mode == "sample-based";
    config_.is_sampled = out.sample_based;
    config_.records_tasks = sample.ai_core_profiling == "on" || sample.records_tasks();
    out.task_blocks = sample.task_block == "on";
    out.l2_events = parse_events(sample.l2_cache_events.value_or(""), bad);
    const std::string npu_events = sample.npu_events.value_or("");
    out.smmu_events = parse_unit_events(npu_events, "SMMU", bad);
    if (out.l2_events.empty()) out.l2_events = parse_unit_events(npu_events, "HA", bad);
    const std::string qos_events = sample.qos_events.value_or("");
    for (const std::string_view name : split(qos_events, ',')) {
      if (!trim(name).empty()) out.qos_streams.emplace_back(trim(name));
    }
    out.llc_mode = sample.llc_profiling;
    out.scheduler_events = parse_events(sample.ts_cpu_profiling_events.value_or(""), bad);
    out.instruction_sample_cycles = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        sample.instr_profiling_freq.value_or(0), 0, std::numeric_limits<std::uint32_t>::max()));
    if (bad > 0) {
      losses_.add(path.string(), 0, bad,
                  fmt::format("{} event(s) that were counted are no numbers: what follows them is "
                              "shown under wrong names.",
                              bad));
    }
  }

  void read_clock() {
    const std::int64_t to_wall = monotonic_to_wall();
    const std::optional<control::ClockLog> host = read_clock_log(control::kHostClockFile);
    std::optional<control::ClockLog> device = read_clock_log(control::kDeviceClockFile);
    const std::uint64_t counter_hz = to_hz(config_.info.counter_mhz);
    // 1000 MHz is how stamps in ns are announced.
    std::uint64_t host_hz = to_hz(host_mhz_);
    if (host_hz == kNanosecondsPerSecond) host_hz = 0;
    if (host_mhz_ <= 0) host_hz = host_.counter_hz;

    DeviceClock& clock = config_.clock;
    clock.host_monotonic_to_wall_ns = to_wall;
    clock.start_ns = host ? saturated_sum(anchor_ns(*host, host_hz), to_wall) : host_.begin_ns;
    clock.host_counter =
        host ? TickClock{*host->counter, clock.start_ns, host_hz} : host_.clock.wall_ticks();
    if (host && host_.begin_ns != 0 && !is_near(clock.start_ns, host_.begin_ns)) {
      doubt(control::kHostClockFile);
      clock.start_ns = host_.begin_ns;
      clock.host_monotonic_to_wall_ns = host_.monotonic_to_wall_ns;
      clock.host_counter = host_.clock.wall_ticks();
    }

    const std::optional<std::uint64_t> task = early_task_syscnt();
    config_.first_syscnt = device ? *device->counter : task.value_or(0);
    clock.device_counter = {config_.first_syscnt, clock.start_ns, counter_hz};
    if (device && task && !is_near(clock.from_syscnt(*task), clock.start_ns)) {
      doubt(control::kDeviceClockFile);
      device.reset();
      config_.first_syscnt = clock.device_counter.ticks_at_anchor = *task;
    }
    // With nothing that ties the counter to a time, what is not near by accident is nowhere.
    config_.is_clock_sure = task ? is_near(clock.from_syscnt(*task), clock.start_ns) : !device;
    // Both count from the start of the device, nearly.
    const std::int64_t counted_ns =
        TickClock{.frequency_hz = counter_hz}.duration_ns(config_.first_syscnt);
    std::int64_t device_ns =
        device ? static_cast<std::int64_t>(*device->monotonic_raw_ns) : counted_ns;
    if (device && device_ns == 0) {
      doubt(control::kDeviceClockFile);
      device_ns = counted_ns;
    }
    clock.device_monotonic_to_wall_ns = saturated_difference(clock.start_ns, device_ns);
    config_.info.counter_begin_ns = clock.start_ns;
  }

  void doubt(std::string_view name) {
    losses_.add(numbered(name).string(), 0, 0,
                fmt::format("Its times cannot be right. {}", kCountedFromBegin));
  }

  // The host's monotonic time when the device's counter was read.
  static std::int64_t anchor_ns(const control::ClockLog& host, std::uint64_t host_hz) {
    const auto host_ns = static_cast<std::int64_t>(*host.monotonic_raw_ns);
    const std::int64_t difference = host.counter_diff.value_or(0);
    if (difference <= 0) return host_ns;
    const TickClock durations{.frequency_hz = host_hz};
    return saturated_sum(host_ns, durations.duration_ns(static_cast<std::uint64_t>(difference)));
  }

  // What the counter showed at one of the first tasks: the middle one, since any of them may be
  // damaged.
  std::optional<std::uint64_t> early_task_syscnt() const {
    struct Begin {  // Of the records of stars_soc.data and hwts.data alike.
      format::U16 bits;
      format::U16 magic;
      format::U32 identity;
      format::U64 syscnt;
    };
    constexpr std::size_t kLookedAt = 256;
    std::vector<std::uint64_t> counts;
    trace::Losses ignored;  // The files are read again.
    for (const std::string_view base : {format::device::kStarsFile, format::device::kHwtsFile}) {
      for (const Begin& record : files_.open(base, ignored).first_records<Begin>(kLookedAt)) {
        if (record.magic == format::device::kStarsMagic) counts.push_back(record.syscnt);
      }
    }
    if (counts.empty()) {
      using format::device::TrackRecord;
      const DeviceFile track = files_.open(format::device::kTrackFile, ignored);
      for (const TrackRecord& record : track.first_records<TrackRecord>(kLookedAt)) {
        if (record.head.syscnt != 0) counts.push_back(record.head.syscnt);
      }
    }
    if (counts.empty()) return std::nullopt;
    const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
    std::nth_element(counts.begin(), middle, counts.end());
    return *middle;
  }

  std::optional<control::ClockLog> read_clock_log(std::string_view name) {
    const std::filesystem::path path = numbered(name);
    const Result<std::string> text = read_file(path);
    if (text.ok()) {
      control::ClockLog log = control::parse_clock_log(*text);
      if (has_anchor(log)) return log;
    }
    losses_.add(path.string(), 0, 0,
                fmt::format("{}. {}", text.ok() ? "A clock is missing" : text.error().message,
                            kCountedFromBegin));
    return std::nullopt;
  }

  std::int64_t monotonic_to_wall() {
    const std::filesystem::path path = numbered(control::kStartFile);
    const Result<std::string> text = read_file(path);
    if (!text.ok() && text.error().code == ErrorCode::kNotFound) return host_.monotonic_to_wall_ns;
    const Result<control::CollectionTime> time =
        text.ok() ? control::parse_collection_time(*text) : text.error();
    const auto to_wall_ns = time.ok() ? load::monotonic_to_wall_ns(*time) : std::nullopt;
    if (to_wall_ns) return *to_wall_ns;
    losses_.add(path.string(), 0, 0, "The file is damaged: the host's start_info is used.");
    return host_.monotonic_to_wall_ns;
  }

  void report(const Error& error) { losses_.add(directory_.string(), 0, 0, error.message); }

  std::filesystem::path directory_;
  std::uint16_t device_;
  const HostSession& host_;
  const DeviceFiles& files_;
  trace::Losses& losses_;
  DeviceConfig config_;
  double host_mhz_ = 0;
};

}  // namespace

DeviceConfig assume_device_config(const std::filesystem::path& directory, std::uint16_t device,
                                  trace::Losses& losses) {
  const format::device::Chip& chip = format::device::chip_of(ChipId::k910A);
  DeviceConfig config;
  config.chip = chip.id;
  config.uses_flips = false;
  config.info.id = device;
  config.info.chip = static_cast<std::uint32_t>(chip.id);
  config.info.aic_mhz = chip.ai_core_mhz;
  config.info.counter_mhz = chip.system_counter_mhz;
  const std::filesystem::path path =
      directory / fmt::format("{}.{}", control::kHostClockFile, device);
  const Result<std::string> text = read_file(path);
  const control::ClockLog log = text.ok() ? control::parse_clock_log(*text) : control::ClockLog{};
  const bool has_clock = log.realtime_ns && log.monotonic_raw_ns &&
                         *log.realtime_ns >= static_cast<std::uint64_t>(kFirstWallTimeNs) &&
                         *log.realtime_ns < static_cast<std::uint64_t>(kMaxPlausible) &&
                         *log.monotonic_raw_ns < static_cast<std::uint64_t>(kMaxPlausible);
  DeviceClock& clock = config.clock;
  std::int64_t to_wall = 0;
  if (has_clock) {
    clock.start_ns = static_cast<std::int64_t>(*log.realtime_ns);
    to_wall = clock.start_ns - static_cast<std::int64_t>(*log.monotonic_raw_ns);
  }
  clock.device_counter = {0, to_wall, to_hz(config.info.counter_mhz)};
  clock.host_monotonic_to_wall_ns = to_wall;
  clock.device_monotonic_to_wall_ns = to_wall;
  config.info.counter_begin_ns = to_wall;
  const std::string assumed =
      fmt::format("There is no info.json: an Ascend {} with a counter of {} MHz is assumed",
                  chip.product, config.info.counter_mhz);
  if (has_clock) {
    losses.note(directory.string(), 0, assumed + "; its times may be off by a constant.");
  } else {
    losses.add(path.string(), 0, 0,
               assumed + ", and no clock is known: times count from when it was switched on.");
  }
  return config;
}

Result<DeviceConfig> read_device_config(const std::filesystem::path& directory,
                                        std::uint16_t device, const HostSession& host,
                                        const DeviceFiles& files, trace::Losses& losses) {
  return ConfigReader(directory, device, host, files, losses).read();
}

}  // namespace npuprof::load
