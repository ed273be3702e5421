#include "sim/prof/prof_directory.h"

#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "format/host/file_names.h"
#include "sim/model/random.h"
#include "sim/prof/control_files.h"

namespace npuprof::sim {

using record::write_control_file;

namespace {

std::string start_info(const ClockAnchors& clock) {
  format::host::CollectionTime time;
  time.date_begin = collection_date(clock.wall_begin_us);
  time.begin_us = clock.wall_begin_us;
  time.monotonic_raw_ns = clock.monotonic_begin_ns;
  return make_collection_time(time);
}

std::string clock_log(std::string section, std::int64_t monotonic_ns, std::uint64_t ticks) {
  format::host::ClockLog log;
  const bool is_host_clock = !section.empty();
  log.section = std::move(section);
  log.monotonic_raw_ns = static_cast<std::uint64_t>(monotonic_ns);
  log.counter = ticks;
  if (is_host_clock) log.counter_diff = 0;
  return make_clock_log(log);
}

}  // namespace

ProfDirectory::ProfDirectory(std::filesystem::path path, ProfOptions options)
    : path_(std::move(path)), options_(std::move(options)) {}

Result<ProfDirectory> ProfDirectory::create(const std::filesystem::path& parent,
                                            ProfOptions options) {
  if (options.chip == nullptr) {
    return Error{ErrorCode::kInvalidArgument, "a profile needs to know its chip"};
  }
  // Readers refuse a wall clock that stands before the monotonic one.
  if (options.clock.wall_begin_us * 1000 < options.clock.monotonic_begin_ns) {
    return Error{ErrorCode::kInvalidArgument,
                 "the wall clock of a profile must not be behind its monotonic clock"};
  }
  std::filesystem::path path = parent / make_prof_directory_name(options.name);
  ProfDirectory directory(std::move(path), std::move(options));
  NPUPROF_RETURN_IF_ERROR(directory.write_host());
  return directory;
}

std::filesystem::path ProfDirectory::device_directory(std::uint32_t device) const {
  return path_ / ("device_" + std::to_string(device));
}

Status ProfDirectory::write_host() {
  const std::filesystem::path host = path_ / "host";
  const ClockAnchors& clock = options_.clock;
  NPUPROF_RETURN_IF_ERROR(make_directories(host_data()));
  NPUPROF_RETURN_IF_ERROR(
      write_control_file(host / format::host::kInfoFile, make_info_json(host_info_json(options_))));
  NPUPROF_RETURN_IF_ERROR(write_control_file(host / format::host::kSampleFile,
                                             make_sample_json(sample_json(options_, "64"))));
  NPUPROF_RETURN_IF_ERROR(write_control_file(host / format::host::kStartFile, start_info(clock)));
  return write_control_file(
      host / format::host::kHostClockFile,
      clock_log("Host", clock.host_anchor_monotonic_ns, clock.host_anchor_ticks));
}

Status ProfDirectory::add_device(std::uint32_t device, const ClockAnchors& clock) {
  const std::string number = std::to_string(device);
  const std::filesystem::path directory = device_directory(device);
  const auto named = [&](std::string_view name) {
    return directory / fmt::format("{}.{}", name, number);
  };
  NPUPROF_RETURN_IF_ERROR(make_directories(device_data(device)));
  NPUPROF_RETURN_IF_ERROR(write_control_file(
      named(format::host::kInfoFile), make_info_json(device_info_json(options_, device, clock))));
  NPUPROF_RETURN_IF_ERROR(write_control_file(directory / format::host::kSampleFile,
                                             make_sample_json(sample_json(options_, number))));
  NPUPROF_RETURN_IF_ERROR(
      write_control_file(named(format::host::kStartFile), start_info(options_.clock)));
  NPUPROF_RETURN_IF_ERROR(
      write_control_file(named(format::host::kHostClockFile),
                         clock_log("Device" + number, clock.device_anchor_host_monotonic_ns,
                                   clock.device_anchor_host_ticks)));
  NPUPROF_RETURN_IF_ERROR(write_control_file(
      named(format::host::kDeviceClockFile),
      clock_log("", clock.device_anchor_monotonic_ns, clock.device_anchor_ticks)));
  devices_.push_back(device);
  return ok_status();
}

Status ProfDirectory::finish(std::int64_t wall_us, std::int64_t monotonic_ns) {
  format::host::CollectionTime time;
  time.date_end = collection_date(wall_us);
  time.end_us = wall_us;
  time.monotonic_raw_ns = monotonic_ns;
  const std::string text = make_collection_time(time);
  for (const std::uint32_t device : devices_) {
    NPUPROF_RETURN_IF_ERROR(write_control_file(
        device_directory(device) / fmt::format("{}.{}", format::host::kEndFile, device), text));
  }
  return write_control_file(path_ / "host" / format::host::kEndFile, text);
}

std::string prof_name_letters(std::uint64_t seed) {
  return record::prof_name_letters(mix_bits(seed));
}

}  // namespace npuprof::sim
