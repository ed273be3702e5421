#include "load/cann_device/cann_device.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/thread_pool.h"
#include "format/device/pmu_events.h"
#include "load/cann_device/aicpu_files.h"
#include "load/cann_device/cache_files.h"
#include "load/cann_device/ccu_files.h"
#include "load/cann_device/counter_files.h"
#include "load/cann_device/frequency_file.h"
#include "load/cann_device/instruction_files.h"
#include "load/cann_device/link_files.h"
#include "load/cann_device/memory_files.h"
#include "load/cann_device/processor_files.h"
#include "load/cann_device/soc_samples.h"
#include "load/cann_device/task_files.h"
#include "load/cann_device/track_file.h"
#include "load/cann_device/training_trace.h"
#include "load/cann_host/names.h"
#include "load/cann_host/task_records.h"
#include "load/done_marks.h"
#include "trace/device/core_samples.h"
#include "trace/device/pmu_records.h"

namespace npuprof::load {
namespace {

using format::device::ChipFamily;
using format::device::StreamMode;

// What device records need of the host's files. These are read again by the loader of the host,
// which reports what is wrong with them.
class HostSide {
 public:
  HostSide(const std::filesystem::path& directory, const HostSession& session) : session_(session) {
    if (directory.empty()) return;
    files_.emplace(directory / "data", ignored_);
    if (has_expanded_stream_ids(*files_, ignored_)) stream_mode_ = StreamMode::kExpanded;
  }

  StreamMode stream_mode() const { return stream_mode_; }
  const HostSession& session() const { return session_; }

  // Most profiles have no use for the names, so they are read when the first is asked for.
  std::string_view text_of_hash(std::uint64_t hash) {
    std::call_once(names_read_, [&] {
      if (files_) names_ = HostDictionaries(*files_, strings_, ignored_);
    });
    const auto id = names_.find_hash(hash);
    return id ? strings_.view(*id) : std::string_view();
  }

 private:
  trace::Losses ignored_;
  std::optional<HostFiles> files_;
  StreamMode stream_mode_ = StreamMode::kNormal;
  const HostSession& session_;
  std::once_flag names_read_;
  StringPool strings_;
  HostDictionaries names_;
};

// Whether the counters of a kind of cores have a name; those that were not asked for need none.
bool are_named(const std::string& metrics, const std::vector<std::uint32_t>& events) {
  const auto group = format::device::find_pmu_group(metrics);
  if (metrics.empty()) return events.empty();
  if (group == format::device::PmuGroup::kCustom) return true;
  return group && !events.empty();
}

// Counters are numbers; what they count is in sample.json.
void report_unnamed_counters(DevicePart& out) {
  const std::size_t records = out.tables.pmu_records().size() + out.tables.core_samples().size();
  const trace::DeviceInfo& info = out.info;
  const bool is_asked_for = !info.aic_metrics.empty() || !info.aiv_metrics.empty();
  if (records == 0 || (is_asked_for && are_named(info.aic_metrics, info.aic_events) &&
                       are_named(info.aiv_metrics, info.aiv_events))) {
    return;
  }
  out.losses.add(out.directory + "/sample.json", 0, records,
                 fmt::format("It does not tell what was counted: counters of {} record(s) are "
                             "left out.",
                             records));
}

void read_device(const DeviceDirectory& directory, bool is_job, HostSide& host, DevicePart& out) {
  check_done_marks(directory.path, out.losses);
  check_done_marks(directory.path / "data", out.losses);
  const DeviceFiles files = is_job ? DeviceFiles::of_job(directory.path, directory.id, out.losses)
                                   : DeviceFiles(directory.path, directory.id, out.losses);
  const Result<DeviceConfig> config =
      is_job ? assume_device_config(directory.path, directory.id, out.losses)
             : read_device_config(directory.path, directory.id, host.session(), files, out.losses);
  if (!config.ok()) {
    out.losses.add(directory.path.string(), 0, 0,
                   fmt::format("The device was left out: {}", config.error().message));
    return;
  }
  out.is_known = true;
  out.directory = directory.path.string();
  out.is_clock_sure = config->is_clock_sure;
  out.info = config->info;
  const ChipFamily family = format::device::family_of(config->chip);
  if (family == ChipFamily::kTs || family == ChipFamily::kNano) {
    out.losses.add(directory.path.string(), 0, 0,
                   fmt::format("Tasks of the chip {} cannot be read; other data is.",
                               format::device::chip_of(config->chip).product));
  } else if (files.empty()) {
    out.losses.add((directory.path / "data").string(), 0, 0,
                   "There is no file of data: nothing is known of the device but what it is.");
  }

  const StreamMode mode = host.stream_mode();
  const TextOfHash text_of_hash = [&](std::uint64_t hash) { return host.text_of_hash(hash); };
  const TrackData track = load_track_file(files, *config, mode, out);
  load_task_files(files, *config, mode, track, out);
  const FrequencyTable frequencies = load_frequency_files(files, *config, out);
  load_counter_files(files, *config, mode, track.batches, frequencies, out);
  load_aicpu_files(files, *config, mode, track.batches, text_of_hash, out);
  load_cache_files(files, *config, mode, out);
  load_memory_files(files, *config, out);
  load_link_files(files, *config, out);
  load_soc_profile(files, *config, out);
  load_instruction_files(files, *config, out);
  load_ccu_files(files, *config, out);
  load_processor_files(files, *config, out);
  if (is_job) load_training_trace(files, *config, out);

  report_unnamed_counters(out);
  // Metrics that were asked for but not collected, as at level 0, are as good as switched off.
  if (out.tables.pmu_records().size() == 0 && out.tables.core_samples().size() == 0) {
    out.info.aic_metrics.clear();
    out.info.aiv_metrics.clear();
  }
}

}  // namespace

CannDevices CannDevices::read(std::span<const CannDirectory> collections,
                              std::span<const HostSession> sessions) {
  struct Job {
    const DeviceDirectory* directory;
    bool is_job;
    HostSide* host;
  };
  std::deque<HostSide> hosts;
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < collections.size(); ++i) {
    const CannDirectory& collection = collections[i];
    if (collection.devices.empty()) continue;
    hosts.emplace_back(collection.host, sessions[i]);
    for (const DeviceDirectory& device : collection.devices)
      jobs.push_back({&device, collection.is_job, &hosts.back()});
  }
  CannDevices result;
  result.devices_.resize(jobs.size());
  shared_thread_pool().parallel_for(jobs.size(), [&](std::size_t i) {
    read_device(*jobs[i].directory, jobs[i].is_job, *jobs[i].host, result.devices_[i]);
  });
  return result;
}

void load_cann_devices(std::span<const CannDirectory> collections, trace::Trace& trace,
                       trace::Losses& losses) {
  trace::Session ignored_session;
  trace::Losses ignored_losses;  // Those of the host's control files.
  const auto sessions = read_host_sessions(collections, {}, ignored_session, ignored_losses);
  CannDevices::read(collections, sessions).append_to(trace, losses);
}

void CannDevices::append_to(trace::Trace& trace, trace::Losses& losses) && {
  for (DevicePart& device : devices_) {
    if (device.is_known) device.append_to(trace);
    losses.append(std::move(device.losses));
  }
  devices_.clear();
}

}  // namespace npuprof::load
