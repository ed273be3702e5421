#include "load/cann_device/cann_device.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/thread_pool.h"
#include "format/device/pmu_events.h"
#include "format/host/file_names.h"
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
#include "load/cann_device/training_trace_file.h"
#include "load/done_marks.h"
#include "trace/device/core_samples.h"
#include "trace/device/pmu_records.h"

namespace npuprof::load {
namespace {

using format::device::ChipFamily;
using format::device::StreamMode;

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
  out.losses.add(fmt::format("{}/{}", out.directory, format::host::kSampleFile), 0, records,
                 fmt::format("It does not tell what was counted: counters of {} record(s) are "
                             "left out.",
                             records));
}

void read_device(const DeviceDirectory& directory, bool is_job, const HostFacts& host,
                 DevicePart& out) {
  const DeviceFiles files = is_job ? DeviceFiles::of_job(directory.path, directory.id, out.losses)
                                   : DeviceFiles(directory.path, directory.id, out.losses);
  // A file that is removed meanwhile is missed here or when it is opened: it was listed before.
  check_done_marks(directory.path, out.losses);
  check_done_marks(directory.path / "data", out.losses);
  const Result<DeviceConfig> config =
      is_job ? assume_device_config(directory.path, directory.id, out.losses)
             : read_device_config(directory.path, directory.id, host.session, files, out.losses);
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
  } else if (files.empty() && !config->records_tasks) {
    out.losses.note((directory.path / "data").string(), 0,
                    "Tasks were not to be recorded, and there are no samples of the device.");
  } else if (files.empty()) {
    out.losses.add((directory.path / "data").string(), 0, 0,
                   "There is no file of data: nothing is known of the device but what it is.");
  }

  const StreamMode mode =
      host.has_expanded_stream_ids ? StreamMode::kExpanded : StreamMode::kNormal;
  const TextOfHash text_of_hash = [&](std::uint64_t hash) {
    const auto id = host.names.find_hash(hash);
    if (!id) host.names.note_unknown_hash();
    return id ? host.names.view(*id) : std::string_view();
  };
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

void CannDevices::add_jobs(const CannDirectory& collection, const HostFacts& facts,
                           LoadJobs& jobs) {
  for (const DeviceDirectory& directory : collection.devices) {
    DevicePart& part = parts_.emplace_back();
    LoadJob job;
    job.read = [&directory, is_job = collection.is_job, &facts, &part](
                   StringPool&, trace::Losses&) { read_device(directory, is_job, facts, part); };
    jobs.add(std::move(job));
  }
}

void load_cann_devices(std::span<const CannDirectory> collections, trace::Trace& trace,
                       trace::Losses& losses) {
  trace::Trace host;
  trace::Losses ignored;  // Those of the host's files.
  const auto sessions = read_host_sessions(collections, {}, host.session, ignored);
  CannDevices devices;
  for (std::size_t i = 0; i < collections.size(); ++i) {
    const HostFacts facts = read_host_facts(collections[i], sessions[i], host, ignored);
    LoadJobs jobs;
    devices.add_jobs(collections[i], facts, jobs);
    std::move(jobs).run(host.strings, ignored, &shared_thread_pool());
  }
  std::move(devices).append_to(trace, losses);
}

void CannDevices::append_to(trace::Trace& trace, trace::Losses& losses) && {
  for (DevicePart& part : parts_) {
    if (part.is_known) part.append_to(trace);
    losses.append(std::move(part.losses));
  }
  parts_.clear();
}

}  // namespace npuprof::load
