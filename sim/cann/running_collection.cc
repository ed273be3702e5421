#include "sim/cann/running_collection.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <unistd.h>

#include "base/file.h"
#include "base/first_error.h"
#include "format/host/msproftx.h"

namespace npuprof::sim::cann {
namespace {

constexpr auto kWorkerPeriod = std::chrono::milliseconds(10);
// A process that is killed loses what it did in this time.
constexpr std::int64_t kFlushPeriodNs = 100'000'000;
// Between the last task and the end files.
constexpr std::int64_t kCollectionTailNs = 100'000;

std::string process_name() {
  auto name = read_file("/proc/self/comm");
  if (!name.ok()) return "npusim";
  std::erase(*name, '\n');
  return *name;
}

ProfOptions prof_options(State& state, const CollectionSettings& options, std::uint64_t number) {
  ProfOptions prof;
  prof.clock = state.host_clock().anchors();
  prof.pid = ::getpid();
  prof.name.task = static_cast<std::uint32_t>(number);
  prof.name.time = prof_name_time(prof.clock.wall_begin_us);
  prof.name.pid = static_cast<std::uint32_t>(::getpid());
  prof.name.letters = prof_name_letters(static_cast<std::uint64_t>(prof.pid) << 32 ^ number ^
                                        static_cast<std::uint64_t>(prof.clock.wall_begin_us));
  prof.collection = options;
  prof.chip = &state.chip();
  prof.host = this_host();
  prof.process_name = process_name();
  return prof;
}

Status add_device(State& state, RunningCollection& collection, DeviceState& device) {
  device.clock.begin_collection(collection.begin_ns, collection.wall_begin_ns);
  NPUPROF_RETURN_IF_ERROR(collection.directory->add_device(device.id, device.clock.anchors()));
  NPUPROF_ASSIGN_OR_RETURN(
      DeviceReporter reporter,
      DeviceReporter::create({.data_directory = collection.directory->device_data(device.id),
                              .device = device.id,
                              .chip = state.chip().id()}));
  auto& kept = collection.devices.emplace(device.id, std::move(reporter)).first->second;
  device.npu.set_collection(collection.options);
  device.npu.samples().set_memory(device.used_bytes, device.communication_bytes);
  device.npu.attach(*collection.host, kept, state.now_ns());
  return ok_status();
}

void detach_all(State& state, RunningCollection& collection, std::int64_t time_ns) {
  for (const auto& [id, reporter] : collection.devices) state.device(id)->npu.detach(time_ns);
}

void advance(State& state, RunningCollection& collection, bool to_disk) {
  for (const auto& [id, reporter] : collection.devices) {
    DeviceState& device = *state.device(id);
    if (device.waits_for_partners) continue;
    device.npu.samples().set_memory(device.used_bytes, device.communication_bytes);
    if (to_disk) {
      device.npu.flush(state.now_ns());
    } else {
      device.npu.settle(state.now_ns());
    }
  }
  // A failure is kept and told in the end.
  if (to_disk) (void)collection.host->flush();
}

void run_worker(State& state, RunningCollection& collection) {
  Lock lock(state.mutex);
  std::int64_t flushed_ns = state.now_ns();
  while (!collection.stopping) {
    const std::int64_t now_ns = state.now_ns();
    const bool to_disk = now_ns - flushed_ns >= kFlushPeriodNs;
    if (to_disk) flushed_ns = now_ns;
    advance(state, collection, to_disk);
    if (collection.sampler != nullptr) {
      lock.unlock();
      collection.sampler->sample(static_cast<std::uint64_t>(real_monotonic_ns()));
      if (to_disk) (void)collection.sampler->flush();
      lock.lock();
      if (collection.stopping) break;
    }
    collection.wake.wait_for(lock, kWorkerPeriod);
  }
}

// Waits until no collective of these devices waits for a partner.
void wait_for_partners(State& state, Lock& lock, const std::vector<DeviceState*>& devices) {
  const auto waits = [](const DeviceState* device) { return device->waits_for_partners; };
  state.changed.wait_for(lock, kPartnerTimeout,
                         [&] { return std::none_of(devices.begin(), devices.end(), waits); });
  for (DeviceState* const device : devices) {
    if (device->waits_for_partners && state.give_up != nullptr) state.give_up(*device);
  }
}

Status open_files(State& state, RunningCollection& collection, const std::filesystem::path& parent,
                  const std::vector<DeviceState*>& devices, std::uint64_t number) {
  NPUPROF_RETURN_IF_ERROR(make_directories(parent));
  NPUPROF_ASSIGN_OR_RETURN(
      collection.directory,
      ProfDirectory::create(parent, prof_options(state, collection.options, number)));
  collection.host = std::make_unique<HostReporter>(collection.directory->host_data());
  for (const auto& [key, name] : state.type_names) {
    collection.host->name_type(key.first, key.second, name);
  }
  for (const auto& [id, text] : state.strings) collection.host->hash(text);
  // Readers miss dictionaries that are not there, even if the program never used the device.
  collection.host->hash("default");
  collection.host->declare_type(format::host::Msproftx::kKind.level,
                                format::host::Msproftx::kKind.type);
  for (DeviceState* const device : devices) {
    NPUPROF_RETURN_IF_ERROR(add_device(state, collection, *device));
  }
  if (collection.options.host_sys.any()) {
    collection.sampler = std::make_unique<HostSampler>(
        collection.directory->host_data(),
        HostSamplerOptions{.watch = collection.options.host_sys,
                           .frequency_hz = collection.options.host_sys_hz,
                           .pid = static_cast<std::uint32_t>(::getpid())});
    // However short the collection is, it has one sample.
    collection.sampler->sample(static_cast<std::uint64_t>(real_monotonic_ns()));
  }
  return ok_status();
}

}  // namespace

Result<std::shared_ptr<RunningCollection>> start_collection(
    State& state, const std::filesystem::path& parent, const CollectionSettings& options,
    const std::vector<std::uint32_t>& devices, std::uint64_t number) {
  auto collection = std::make_shared<RunningCollection>();
  collection->options = options;
  Lock lock(state.mutex);
  std::vector<DeviceState*> chosen;
  chosen.reserve(devices.size());
  for (const std::uint32_t id : devices) chosen.push_back(state.device(id));
  wait_for_partners(state, lock, chosen);
  collection->begin_ns = state.begin_call();
  collection->wall_begin_ns = real_wall_ns() + (collection->begin_ns - state.now_ns());
  state.host_clock().begin_collection(collection->begin_ns, collection->wall_begin_ns);
  Status opened = open_files(state, *collection, parent, chosen, number);
  if (!opened.ok()) {
    detach_all(state, *collection, state.now_ns());
    return std::move(opened.error());
  }
  // Nothing the program does may lie before the anchors.
  State::end_call(state.host_clock().first_event_ns());
  state.collection = collection;
  collection->worker = std::thread([&state, collection] { run_worker(state, *collection); });
  return collection;
}

Status stop_collection(State& state, const std::shared_ptr<RunningCollection>& collection) {
  std::int64_t stop_ns = 0;
  {
    Lock lock(state.mutex);
    std::vector<DeviceState*> devices;
    for (const auto& [id, reporter] : collection->devices) devices.push_back(state.device(id));
    wait_for_partners(state, lock, devices);
    collection->stopping = true;
    collection->wake.notify_all();
    stop_ns = state.begin_call();
    for (const DeviceState* const device : devices) {
      stop_ns = std::max(stop_ns, device->npu.streams().latest_free_ns());
    }
    stop_ns += kCollectionTailNs;
    detach_all(state, *collection, stop_ns);
    state.collection.reset();
  }
  collection->worker.join();
  state.wait_until(stop_ns);
  FirstError first;
  first.keep(collection->host->close());
  for (auto& [id, reporter] : collection->devices) first.keep(reporter.close());
  if (collection->sampler != nullptr) first.keep(collection->sampler->close());
  const SimClock& clock = state.host_clock();
  first.keep(
      collection->directory->finish(clock.wall_ns(stop_ns) / 1000, clock.monotonic_ns(stop_ns)));
  return first.status();
}

void on_device_set(State& state, DeviceState& device) {
  const auto& collection = state.collection;
  if (collection == nullptr || !collection->follow_devices) return;
  if (collection->devices.contains(device.id) || device.waits_for_partners) return;
  // A device that cannot be added is not collected; the program goes on.
  (void)add_device(state, *collection, device);
}

}  // namespace npuprof::sim::cann
