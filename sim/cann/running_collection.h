#pragma once

// The collection that runs: its directory and who writes into it.

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "record/host_reporter.h"
#include "record/host_sampler.h"
#include "sim/cann/state.h"
#include "sim/prof/collection_settings.h"
#include "sim/prof/device_reporter.h"
#include "sim/prof/prof_directory.h"

namespace npuprof::sim::cann {

// Guarded by State::mutex, but for the sampler, which belongs to the worker.
struct RunningCollection {
  CollectionSettings options;
  std::int64_t begin_ns = 0;
  std::int64_t wall_begin_ns = 0;
  std::optional<ProfDirectory> directory;
  std::unique_ptr<HostReporter> host;
  std::map<std::uint32_t, DeviceReporter> devices;
  std::unique_ptr<HostSampler> sampler;
  bool follow_devices = false;  // Devices set later are collected too.

  // Samples the host and lets device records leave their buffers.
  std::thread worker;
  std::condition_variable wake;
  bool stopping = false;

  bool has_marks() const { return options.mstx || options.level == CollectionLevel::kNone; }
};

// Makes the directory and begins to collect; `number` tells collections of a process apart.
Result<std::shared_ptr<RunningCollection>> start_collection(
    State& state, const std::filesystem::path& parent, const CollectionSettings& options,
    const std::vector<std::uint32_t>& devices, std::uint64_t number);
// Ends the collection and completes its files.
Status stop_collection(State& state, const std::shared_ptr<RunningCollection>& collection);

// A thread has chosen this device. Needs the mutex.
void on_device_set(State& state, DeviceState& device);

}  // namespace npuprof::sim::cann
