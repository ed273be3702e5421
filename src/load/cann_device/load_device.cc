#include "load/cann_device/load_device.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/thread_pool.h"
#include "load/cann_device/cache_files.h"
#include "load/cann_device/counter_files.h"
#include "load/cann_device/frequency_file.h"
#include "load/cann_device/instruction_files.h"
#include "load/cann_device/link_files.h"
#include "load/cann_device/memory_files.h"
#include "load/cann_device/soc_samples.h"
#include "load/cann_device/task_files.h"
#include "load/cann_device/track_file.h"

namespace npuprof::load {
namespace {

using format::device::ChipFamily;

// Reads one device. Returns whether there is anything to append.
bool load_device(const DeviceDirectory& directory, const CannDeviceOptions& options,
                 const trace::Session& session, DeviceTables& out) {
  Result<DeviceConfig> config =
      read_device_config(directory.path, directory.id, session, out.losses);
  if (!config.ok()) {
    out.losses.add(directory.path.string(), 0, 0,
                   fmt::format("The device was left out: {}", config.error().message));
    return false;
  }
  out.info = config->info;
  const ChipFamily family = format::device::family_of(config->chip);
  if (family == ChipFamily::kTs || family == ChipFamily::kNano) {
    out.losses.add(directory.path.string(), 0, 0,
                   fmt::format("Tasks of the chip {} cannot be read; other data is.",
                               format::device::chip_of(config->chip).product));
  }

  const DeviceFiles files(directory.path, directory.id, out.losses);
  const TrackData track = load_track_file(files, *config, options.stream_mode, out);
  load_task_files(files, *config, options.stream_mode, track, out);
  const FrequencyTable frequencies = load_frequency_files(files, *config, out);
  load_counter_files(files, *config, options.stream_mode, track.batches, frequencies, out);
  load_aicpu_files(files, *config, options.stream_mode, track.batches, options.text_of_hash, out);
  load_cache_files(files, *config, options.stream_mode, out);
  load_memory_files(files, *config, out);
  load_link_files(files, *config, out);
  load_soc_profile(files, *config, out);
  load_instruction_files(files, *config, out);
  load_ccu_files(files, *config, out);

  // Metrics that were asked for but not collected, as at level 0, are as good as switched off.
  if (out.pmu.size() == 0 && out.core_samples.size() == 0) {
    out.info.aic_metrics.clear();
    out.info.aiv_metrics.clear();
  }
  return true;
}

}  // namespace

trace::Losses load_cann_devices(std::span<const DeviceDirectory> devices,
                                const CannDeviceOptions& options, trace::Trace& trace) {
  std::vector<DeviceTables> tables(devices.size());
  std::vector<char> loaded(devices.size(), 0);
  shared_thread_pool().parallel_for(devices.size(), [&](std::size_t i) {
    loaded[i] = load_device(devices[i], options, trace.session, tables[i]) ? 1 : 0;
  });
  trace::Losses losses;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    losses.append(std::move(tables[i].losses));
    if (loaded[i] != 0) tables[i].append_to(trace);
  }
  return losses;
}

}  // namespace npuprof::load
