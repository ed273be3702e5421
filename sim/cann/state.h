#pragma once

// What all functions of the simulated CANN libraries share: the process's devices, its clock and
// the collection that runs.
//
// Virtual time is real time since the library was loaded. A call begins when it is made, takes the
// time the simulation says, and returns no earlier than that; so host times in records are times
// the program itself would measure.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "include/npuprof/cann_abi.h"
#include "sim/cann/op_args.h"
#include "sim/model/chip.h"
#include "sim/model/sim_clock.h"
#include "sim/npu/communicator.h"
#include "sim/npu/npu.h"
#include "sim/workload/launch_description.h"

namespace npuprof::sim::cann {

// How long a rank waits for others before it gives up.
inline constexpr auto kPartnerTimeout = std::chrono::seconds(60);

struct RunningCollection;

std::int64_t real_monotonic_ns();  // CLOCK_MONOTONIC_RAW
std::int64_t real_wall_ns();
std::uint32_t this_thread_id();

struct DeviceState {
  DeviceState(const ChipSpec& chip, std::uint32_t id, const ClockOptions& clock_options);

  const std::uint32_t id;
  SimClock clock;
  Npu npu;
  StreamNumber default_stream = 0;
  std::map<std::string, const KernelTemplate*, std::less<>> kernels;  // By description.
  std::map<std::string, LaunchDescription, std::less<>> primitives;   // By name and inputs.
  std::uint64_t used_bytes = 0;
  std::uint64_t communication_bytes = 0;
  // A collective waits for its partners: nothing else may be put on the device until they come.
  bool waits_for_partners = false;
  bool failed = false;  // Partners did not come; the next synchronisation says so.
};

struct StreamObject {
  DeviceState* device = nullptr;
  StreamNumber id = 0;
};

struct EventObject {
  StreamEvent event;
  bool recorded = false;
};

struct OpenRange {
  std::string message;
  std::string domain;
  std::int64_t begin_ns = 0;
  std::optional<StreamObject> stream;
};

using Lock = std::unique_lock<std::mutex>;

class State {
 public:
  static State& get();

  std::int64_t now_ns() const { return real_monotonic_ns() - origin_ns_; }
  // Of a time of CLOCK_MONOTONIC_RAW.
  std::int64_t to_virtual_ns(std::int64_t monotonic_ns) const { return monotonic_ns - origin_ns_; }
  const ChipSpec& chip() const { return *chip_; }
  std::uint32_t device_count() const { return device_count_; }
  const SimClock& host_clock() const { return host_clock_; }
  SimClock& host_clock() { return host_clock_; }
  World& world() { return *world_; }

  // --- Everything below needs `mutex`.

  // The device; made when it is first asked for. Null if there is none with this number.
  DeviceState* device(std::int64_t id);
  const std::map<std::uint32_t, std::unique_ptr<DeviceState>>& devices() const { return devices_; }
  // The stream behind a handle, or the default stream of the thread's device; nothing if the handle
  // is not one of ours or no device is set.
  std::optional<StreamObject> stream(aclrtStream handle);
  // Waits until the device may be used; gives up on partners after a minute.
  void wait_ready(Lock& lock, DeviceState& device);
  // Numbers of calls must be the same on all devices: they share one dictionary.
  AclCall call_named(DeviceState& device, std::string_view name);

  // When the calling thread's next call begins, and when it has ended.
  std::int64_t begin_call() const;
  static void end_call(std::int64_t end_ns);
  // Sleeps until virtual time has come; without the mutex.
  void wait_until(std::int64_t time_ns) const;

  std::mutex mutex;
  std::condition_variable changed;  // Partners came, or somebody gave up.
  bool initialized = false;         // aclInit

  std::unordered_map<void*, std::unique_ptr<StreamObject>> streams;
  std::unordered_map<void*, std::unique_ptr<EventObject>> events;
  struct Block {
    DeviceState* device;  // Null: memory of the host.
    std::size_t bytes;
  };
  std::map<const void*, Block> blocks;  // By address.

  // The collection that runs, see profiling.h.
  std::shared_ptr<RunningCollection> collection;
  std::uint64_t last_mark_id = 0;
  std::map<std::uint64_t, OpenRange> open_ranges;
  // What programs told about their own records; a collection begins with it.
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::string> type_names;
  std::unordered_map<std::uint64_t, std::string> strings;
  std::map<std::uint32_t, NpuprofCommandHandler> handlers;

  OpArgsDump op_args;

  // Ends what waits on `device`, and everybody it waits with; set by collectives.cc.
  void (*give_up)(DeviceState& device) = nullptr;

 private:
  State();

  const ChipSpec* chip_;
  std::uint32_t device_count_;
  std::int64_t origin_ns_;
  ClockOptions clock_options_;
  SimClock host_clock_;
  std::unique_ptr<World> world_;
  std::map<std::uint32_t, std::unique_ptr<DeviceState>> devices_;
  std::vector<std::string> call_names_;
};

// The device the calling thread has chosen; -1: none yet.
std::int32_t& current_device();

// Runs `body` and turns whatever it throws into `failure`: nothing leaves through the C interface.
template <typename Value, typename Body>
Value guarded(Value failure, Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return failure;
  }
}

// What a call on a device came to. `end_ns` 0: it took no time worth simulating.
struct Outcome {
  aclError code = NPUPROF_ACL_SUCCESS;
  std::int64_t end_ns = 0;
};

// One call on a stream: `work(device, stream id, thread, begin_ns)` under the mutex.
template <typename Work>
aclError on_stream(aclrtStream handle, Work&& work) noexcept {
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    State& state = State::get();
    Outcome outcome;
    {
      Lock lock(state.mutex);
      const auto stream = state.stream(handle);
      if (!stream) {
        return handle == nullptr ? NPUPROF_ACL_RT_CONTEXT_NULL : NPUPROF_ACL_RT_STREAM_INVALID;
      }
      state.wait_ready(lock, *stream->device);
      outcome = work(*stream->device, stream->id, this_thread_id(), state.begin_call());
      if (outcome.end_ns != 0) State::end_call(outcome.end_ns);
    }
    if (outcome.end_ns != 0) state.wait_until(outcome.end_ns);
    return outcome.code;
  });
}

}  // namespace npuprof::sim::cann
