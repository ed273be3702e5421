#include "record/host_directory.h"

#include <random>
#include <utility>

#include "base/file.h"
#include "base/first_error.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "format/host/control.h"
#include "format/host/file_names.h"
#include "format/host/names.h"
#include "record/collection_files.h"
#include "record/machine_info.h"

namespace npuprof::record {
namespace {

namespace fs = std::filesystem;
using format::host::CollectionTime;
using format::host::Msproftx;

constexpr std::int64_t kNsPerUs = 1000;

// Readers take the wall clock as begin_us and the other clock as it stood then. The file has whole
// microseconds, so the other clock is moved to where the wall clock showed such a one.
std::int64_t monotonic_at_us(const ClockStart& clock, std::int64_t wall_us) {
  return wall_us * kNsPerUs - clock.wall_offset_ns;
}

std::string process_name() { return std::string(trim(read_file("/proc/self/comm").value_or({}))); }

std::string json_text(std::string_view text) {
  std::string json = "\"";
  append_json_escaped(json, text);
  return json + "\"";
}

fs::path make_path(const HostDirectory::Options& options) {
  std::random_device random;
  format::host::ProfDirectoryName name;
  name.time = prof_name_time(options.clock.wall_ns() / kNsPerUs);
  name.pid = options.pid;
  name.letters = prof_name_letters(std::uint64_t{random()} << 32 | random());
  return options.parent / make_prof_directory_name(name);
}

// Files may end within a record.
std::uint64_t markers_in(const fs::path& data) {
  std::uint64_t markers = 0;
  std::error_code failed;
  fs::directory_iterator entries(data, failed);
  for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
    const std::string name = entries->path().filename();
    if (name.find(Msproftx::kKind.tag) == std::string::npos || name.ends_with(".done")) continue;
    const auto text = read_file(entries->path());
    const Bytes slice = text.ok() ? as_bytes(*text) : Bytes();
    for (std::size_t end = sizeof(Msproftx); end <= slice.size(); end += sizeof(Msproftx)) {
      const auto record = format::load<Msproftx>(slice.data() + end - sizeof(Msproftx));
      markers += record.segment == 0 ? 1 : 0;
    }
  }
  return markers;
}

}  // namespace

HostDirectory::HostDirectory(const Options& options, fs::path path)
    : options_(options), path_(std::move(path)), reporter_(path_ / "host" / "data") {
  // Readers miss dictionaries that are not there at all.
  reporter_.hash("default");
  reporter_.declare_type(Msproftx::kKind.level, Msproftx::kKind.type);
  if (!options_.host_sys.any()) return;
  sampler_.emplace(path_ / "host" / "data", HostSamplerOptions{.watch = options_.host_sys,
                                                               .frequency_hz = options_.host_sys_hz,
                                                               .pid = options_.pid});
}

Result<std::unique_ptr<HostDirectory>> HostDirectory::create(const Options& options) {
  fs::path path = make_path(options);
  NPUPROF_RETURN_IF_ERROR(make_directories(path / "host" / "data"));
  std::unique_ptr<HostDirectory> directory(new HostDirectory(options, std::move(path)));
  NPUPROF_RETURN_IF_ERROR(directory->write_control_files());
  return directory;
}

Status HostDirectory::write_control_files() const {
  const fs::path host = path_ / "host";
  format::host::InfoJson info;
  put_into(this_host(), info);
  info.pid = options_.pid;
  info.pid_name = process_name();
  info.rank_id = options_.rank;
  NPUPROF_RETURN_IF_ERROR(write_control_file(host / format::host::kInfoFile, make_info_json(info)));

  format::host::SampleJson sample;
  sample.devices = "64";  // The host.
  if (options_.host_sys.disk) sample.host_disk_freq = options_.host_sys_hz;
  sample.other = {{"host_sys", json_text(options_.host_sys.text())},
                  {"host_sys_pid", std::to_string(options_.pid)},
                  {"msproftx", json_text(options_.markers ? "on" : "off")}};
  NPUPROF_RETURN_IF_ERROR(
      write_control_file(host / format::host::kSampleFile, make_sample_json(sample)));

  CollectionTime begin;
  begin.begin_us = options_.clock.wall_ns() / kNsPerUs;
  begin.date_begin = collection_date(*begin.begin_us);
  begin.monotonic_raw_ns = monotonic_at_us(options_.clock, *begin.begin_us);
  NPUPROF_RETURN_IF_ERROR(
      write_control_file(host / format::host::kStartFile, make_collection_time(begin)));

  format::host::ClockLog log;
  log.section = "Host";
  log.monotonic_raw_ns = static_cast<std::uint64_t>(*begin.monotonic_raw_ns);
  log.counter = log.monotonic_raw_ns;
  log.counter_diff = 0;
  return write_control_file(host / format::host::kHostClockFile, make_clock_log(log));
}

void HostDirectory::put(const Marker& marker) {
  if (has_failed_) return;
  Msproftx record{};
  record.info_type = Msproftx::kMstx;
  record.process_id = options_.pid;
  record.thread_id = marker.thread_id;
  record.event_type = marker.is_range ? Msproftx::kStartEnd : Msproftx::kMark;
  record.start = static_cast<std::uint64_t>(marker.start_ns);
  record.end = static_cast<std::uint64_t>(marker.end_ns);
  record.mark_id = ++marker_count_;
  record.domain = reporter_.hash(marker.domain);
  reporter_.mark(format::host::Age::kAging, record, marker.message);
}

void HostDirectory::sample(std::int64_t monotonic_ns) {
  if (sampler_) sampler_->sample(static_cast<std::uint64_t>(monotonic_ns));
}

Status HostDirectory::flush() {
  FirstError first;
  first.keep(reporter_.flush());
  if (sampler_) first.keep(sampler_->flush());
  return settle(first.status());
}

// What was written before a failure can only be told from the files.
Status HostDirectory::settle(Status flushed) {
  if (flushed.ok()) {
    written_markers_ = marker_count_;
  } else if (!has_failed_) {
    has_failed_ = true;
    written_markers_ = markers_in(path_ / "host" / "data");
  }
  return flushed;
}

Status HostDirectory::finish(const ClockStart& end) {
  FirstError first;
  first.keep(reporter_.close());
  if (sampler_) first.keep(sampler_->close());
  NPUPROF_RETURN_IF_ERROR(settle(first.status()));
  CollectionTime time;
  time.end_us = end.wall_ns() / kNsPerUs;
  time.date_end = collection_date(*time.end_us);
  time.monotonic_raw_ns = monotonic_at_us(end, *time.end_us);
  return write_control_file(path_ / "host" / format::host::kEndFile, make_collection_time(time));
}

}  // namespace npuprof::record
