#include "sim/prof/prof_directory.h"

#include <cstdio>
#include <ctime>
#include <utility>

#include "base/file.h"
#include "sim/model/random.h"
#include "sim/prof/control_files.h"

namespace npuprof::sim {
namespace {

constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;

std::tm local_time(std::int64_t wall_us) {
  const std::time_t seconds = wall_us / kMicrosecondsPerSecond;
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return parts;
}

std::string formatted_time(std::int64_t wall_us, const char* format) {
  const std::tm parts = local_time(wall_us);
  char text[64];
  return std::string(text, std::strftime(text, sizeof(text), format, &parts));
}

std::string six_digits(std::int64_t number) {
  char text[24];
  std::snprintf(text, sizeof(text), "%06lld", static_cast<long long>(number));
  return text;
}

// A control file and, when it is there, the file that says so.
Status write_control(const std::filesystem::path& path, const std::string& content) {
  NPUPROF_RETURN_IF_ERROR(write_file(path, content));
  return write_file(path.native() + ".done", format::host::make_control_done(content.size()));
}

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
      write_control(host / "info.json", make_info_json(host_info_json(options_))));
  NPUPROF_RETURN_IF_ERROR(
      write_control(host / "sample.json", make_sample_json(sample_json(options_, "64"))));
  NPUPROF_RETURN_IF_ERROR(write_control(host / "start_info", start_info(clock)));
  return write_control(host / "host_start.log",
                       clock_log("Host", clock.host_anchor_monotonic_ns, clock.host_anchor_ticks));
}

Status ProfDirectory::add_device(std::uint32_t device, const ClockAnchors& clock) {
  const std::string number = std::to_string(device);
  const std::filesystem::path directory = device_directory(device);
  const auto named = [&](const char* name) { return directory / (name + ("." + number)); };
  NPUPROF_RETURN_IF_ERROR(make_directories(device_data(device)));
  NPUPROF_RETURN_IF_ERROR(
      write_control(named("info.json"), make_info_json(device_info_json(options_, device, clock))));
  NPUPROF_RETURN_IF_ERROR(
      write_control(directory / "sample.json", make_sample_json(sample_json(options_, number))));
  NPUPROF_RETURN_IF_ERROR(write_control(named("start_info"), start_info(options_.clock)));
  NPUPROF_RETURN_IF_ERROR(write_control(
      named("host_start.log"), clock_log("Device" + number, clock.device_anchor_host_monotonic_ns,
                                         clock.device_anchor_host_ticks)));
  NPUPROF_RETURN_IF_ERROR(
      write_control(named("dev_start.log"),
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
    NPUPROF_RETURN_IF_ERROR(
        write_control(device_directory(device) / ("end_info." + std::to_string(device)), text));
  }
  return write_control(path_ / "host" / "end_info", text);
}

std::string prof_name_time(std::int64_t wall_us) {
  const std::string micros = six_digits(wall_us % kMicrosecondsPerSecond);
  return formatted_time(wall_us, "%Y%m%d%H%M%S") + micros.substr(0, 3);
}

std::string collection_date(std::int64_t wall_us) {
  return formatted_time(wall_us, "%Y-%m-%d %H:%M:%S.") +
         six_digits(wall_us % kMicrosecondsPerSecond);
}

std::string prof_name_letters(std::uint64_t seed) {
  constexpr std::uint64_t kLetterCount = 18;  // A to R
  std::uint64_t bits = mix_bits(seed);
  std::string letters;
  for (int i = 0; i < 8; ++i) {
    letters += static_cast<char>('A' + bits % kLetterCount);
    bits /= kLetterCount;
  }
  return letters;
}

}  // namespace npuprof::sim
