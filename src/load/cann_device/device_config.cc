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
#include "format/host/control.h"
#include "load/collection_clock.h"

namespace npuprof::load {
namespace {

namespace control = format::host;
using format::device::ChipFamily;
using format::device::ChipId;

constexpr std::int64_t kFirstDriverWithFlips = 0x072211;

std::uint64_t to_hz(double mhz) {
  constexpr double kMaxMhz = 1e6;
  return mhz > 0 && mhz < kMaxMhz ? static_cast<std::uint64_t>(std::llround(mhz * 1e6)) : 0;
}

// Numbers in hexadecimal with commas between; what is no number is left out.
std::vector<std::uint32_t> parse_events(std::string_view text) {
  std::vector<std::uint32_t> events;
  for (const std::string_view part : split(text, ',')) {
    if (const auto event = parse_hex<std::uint32_t>(trim(part))) events.push_back(*event);
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
std::vector<std::uint32_t> parse_unit_events(std::string_view text, std::string_view unit) {
  for (const std::string_view list : split(text, ';')) {
    const std::size_t colon = list.find(':');
    if (colon == std::string_view::npos || trim(list.substr(0, colon)) != unit) continue;
    return parse_events(list.substr(colon + 1));
  }
  return {};
}

class ConfigReader {
 public:
  ConfigReader(std::filesystem::path directory, std::uint16_t device,
               std::int64_t monotonic_to_wall_ns, trace::Losses& losses)
      : directory_(std::move(directory)),
        device_(device),
        monotonic_to_wall_ns_(monotonic_to_wall_ns),
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
    const std::filesystem::path path = numbered("info.json");
    Result<control::InfoJson> read = read_info_file(path);
    if (!read.ok()) {
      // The host's names the same chip, though not always its cores.
      auto of_host = read_info_file(host_copy("info.json"));
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
    config_.uses_flips = info.driver_version >= kFirstDriverWithFlips && chip->id != ChipId::k310 &&
                         chip->id != ChipId::k610 && chip->id != ChipId::kMdcMiniV3 &&
                         !format::device::is_v6(chip->id);
    trace::DeviceInfo& out = config_.info;
    out.id = device_;
    out.chip = static_cast<std::uint32_t>(chip->id);
    control::DeviceInfo device;
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
    const std::filesystem::path path = directory_ / "sample.json";
    const Result<std::string> text = read_file(path);
    if (!text.ok()) return report(text.error());
    const Result<control::SampleJson> parsed = control::parse_sample_json(*text);
    if (!parsed.ok()) return report(parsed.error());
    const control::SampleJson& sample = *parsed;
    trace::DeviceInfo& out = config_.info;
    if (sample.ai_core_profiling != "off") {
      out.aic_metrics = sample.ai_core_metrics;
      out.aic_events = parse_events(sample.ai_core_profiling_events);
    }
    if (sample.aiv_profiling != "off") {
      out.aiv_metrics = sample.aiv_metrics;
      out.aiv_events = parse_events(sample.aiv_profiling_events);
    }
    out.sample_based = sample.ai_core_profiling_mode == "sample-based" ||
                       sample.aiv_profiling_mode == "sample-based";
    config_.is_sampled = out.sample_based;
    out.task_blocks = sample.task_block == "on";
    out.l2_events = parse_events(sample.l2_cache_events.value_or(""));
    const std::string npu_events = sample.npu_events.value_or("");
    out.smmu_events = parse_unit_events(npu_events, "SMMU");
    if (out.l2_events.empty()) out.l2_events = parse_unit_events(npu_events, "HA");
    const std::string qos_events = sample.qos_events.value_or("");
    for (const std::string_view name : split(qos_events, ',')) {
      if (!trim(name).empty()) out.qos_streams.emplace_back(trim(name));
    }
    out.llc_mode = sample.llc_profiling;
    out.scheduler_events = parse_events(sample.ts_cpu_profiling_events.value_or(""));
    out.instruction_sample_cycles = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
        sample.instr_profiling_freq.value_or(0), 0, std::numeric_limits<std::uint32_t>::max()));
  }

  void read_clock() {
    const control::ClockLog host = read_clock_log("host_start.log");
    const control::ClockLog device = read_clock_log("dev_start.log");
    config_.first_syscnt = device.counter.value_or(0);

    // The host's time when the device's counter was read.
    const std::uint64_t host_hz = to_hz(host_mhz_);
    const TickClock host_durations{.frequency_hz = host_hz};
    std::int64_t host_ns = static_cast<std::int64_t>(host.monotonic_raw_ns.value_or(0));
    const std::int64_t difference = host.counter_diff.value_or(0);
    if (difference > 0 && host_hz != 0) {
      host_ns = saturated_sum(host_ns,
                              host_durations.duration_ns(static_cast<std::uint64_t>(difference)));
    }

    const std::int64_t to_wall = monotonic_to_wall();
    DeviceClock& clock = config_.clock;
    clock.start_ns = saturated_sum(host_ns, to_wall);
    clock.host_monotonic_to_wall_ns = to_wall;
    clock.device_monotonic_to_wall_ns = saturated_difference(
        clock.start_ns, static_cast<std::int64_t>(device.monotonic_raw_ns.value_or(0)));
    clock.device_counter = {config_.first_syscnt, clock.start_ns, to_hz(config_.info.counter_mhz)};
    // 1000 MHz is how stamps in ns are announced.
    const bool ticks_are_ns = host_hz == 0 || host_hz == kNanosecondsPerSecond;
    clock.host_counter = {host.counter.value_or(0), clock.start_ns, ticks_are_ns ? 0 : host_hz};
    config_.info.counter_begin_ns = clock.start_ns;
  }

  control::ClockLog read_clock_log(std::string_view name) {
    const std::filesystem::path path = numbered(name);
    const Result<std::string> text = read_file(path);
    if (!text.ok()) {
      report(text.error());
      return {};
    }
    control::ClockLog log = control::parse_clock_log(*text);
    if (!has_anchor(log)) {
      losses_.add(path.string(), 0, 0, "A clock is missing: device times are off by a constant.");
      log.monotonic_raw_ns.reset();
    }
    return log;
  }

  std::int64_t monotonic_to_wall() {
    const std::filesystem::path path = numbered("start_info");
    const Result<std::string> text = read_file(path);
    if (!text.ok()) return monotonic_to_wall_ns_;
    const Result<control::CollectionTime> time = control::parse_collection_time(*text);
    const auto to_wall_ns = time.ok() ? load::monotonic_to_wall_ns(*time) : std::nullopt;
    if (to_wall_ns) return *to_wall_ns;
    losses_.add(path.string(), 0, 0, "The file is damaged: the host's start_info is used.");
    return monotonic_to_wall_ns_;
  }

  void report(const Error& error) { losses_.add(directory_.string(), 0, 0, error.message); }

  std::filesystem::path directory_;
  std::uint16_t device_;
  std::int64_t monotonic_to_wall_ns_;
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
  const std::filesystem::path path = directory / fmt::format("host_start.log.{}", device);
  const Result<std::string> text = read_file(path);
  const control::ClockLog log = text.ok() ? control::parse_clock_log(*text) : control::ClockLog{};
  const bool has_clock = log.realtime_ns && log.monotonic_raw_ns &&
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
  losses.note(
      directory.string(), 0,
      fmt::format("There is no info.json: an Ascend {} with a counter of {} MHz is assumed; "
                  "{}.",
                  chip.product, config.info.counter_mhz,
                  has_clock ? "its times may be off by a constant"
                            : "its times count from when it was switched on"));
  return config;
}

Result<DeviceConfig> read_device_config(const std::filesystem::path& directory,
                                        std::uint16_t device, std::int64_t monotonic_to_wall_ns,
                                        trace::Losses& losses) {
  return ConfigReader(directory, device, monotonic_to_wall_ns, losses).read();
}

}  // namespace npuprof::load
