#include "sim/cann/state.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace npuprof::sim::cann {
namespace {

constexpr std::uint32_t kDefaultDevices = 8;
constexpr std::uint32_t kMostDevices = 64;
constexpr std::uint32_t kDevicesPerNode = 8;
// Two calls of a thread must not share a tick of the host counter (10 ns).
constexpr std::int64_t kBetweenCallsNs = 20;
// Shorter waits spin: sleeping takes longer than that.
constexpr std::int64_t kShortestSleepNs = 100'000;

// Calls that the simulated device reports by itself.
constexpr const char* kOwnCalls[] = {
    "aclrtCreateStream",     "aclrtDestroyStream",     "aclrtRecordEvent",
    "aclrtStreamWaitEvent",  "aclrtRecordNotify",      "aclrtWaitAndResetNotify",
    "aclrtSynchronizeEvent", "aclrtSynchronizeStream", "aclrtSynchronizeDevice",
    "aclrtMemcpyAsync",      "aclrtMemsetAsync",
};

std::int64_t read_clock(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

const ChipSpec* chosen_chip() {
  const char* name = std::getenv("NPUSIM_CHIP");
  if (name != nullptr) {
    if (const auto chip = find_chip(name); chip.ok()) return *chip;
    std::fprintf(stderr, "npusim: NPUSIM_CHIP=%s is no known chip, using Ascend910B3\n", name);
  }
  return *find_chip("Ascend910B3");
}

std::uint32_t chosen_device_count() {
  const char* text = std::getenv("NPUSIM_DEVICES");
  if (text == nullptr) return kDefaultDevices;
  const long count = std::strtol(text, nullptr, 10);
  return static_cast<std::uint32_t>(std::clamp<long>(count, 1, kMostDevices));
}

ClockOptions real_clocks(std::int64_t origin_ns, const ChipSpec& chip) {
  ClockOptions options;
  options.device_mhz = chip.device_counter_mhz;
  options.monotonic_origin_ns = origin_ns;
  options.wall_origin_ns = real_wall_ns() - (real_monotonic_ns() - origin_ns);
  return options;
}

std::int64_t& thread_end_ns() {
  thread_local std::int64_t end_ns = 0;
  return end_ns;
}

NpuOptions npu_options(const ChipSpec& chip, std::uint32_t id) {
  NpuOptions options;
  options.chip = &chip;
  options.rank = id;
  options.device = id;
  options.process_id = static_cast<std::uint32_t>(::getpid());
  options.seed = id + 1;
  return options;
}

ClockOptions of_device(ClockOptions options, std::uint32_t id) {
  options.device = id;
  options.rank = id;
  return options;
}

}  // namespace

std::int64_t real_monotonic_ns() { return read_clock(CLOCK_MONOTONIC_RAW); }
std::int64_t real_wall_ns() { return read_clock(CLOCK_REALTIME); }

std::uint32_t this_thread_id() {
  thread_local const auto id = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  return id;
}

std::int32_t& current_device() {
  thread_local std::int32_t device = -1;
  return device;
}

DeviceState::DeviceState(const ChipSpec& chip, std::uint32_t number,
                         const ClockOptions& clock_options)
    : id(number), clock(of_device(clock_options, number)), npu(npu_options(chip, number), clock) {}

State& State::get() {
  // Never destroyed: threads of the program may still call when the process ends.
  static State* const state = new State;
  return *state;
}

State::State()
    : chip_(chosen_chip()),
      device_count_(chosen_device_count()),
      // Earlier than now, so that the clocks' first anchors are in the past.
      origin_ns_(real_monotonic_ns() - 10'000'000),
      clock_options_(real_clocks(origin_ns_, *chip_)),
      host_clock_(clock_options_),
      world_(std::make_unique<World>(
          Network(*chip_, NetworkOptions{.ranks_per_node = kDevicesPerNode}), device_count_)),
      call_names_(std::begin(kOwnCalls), std::end(kOwnCalls)) {}

DeviceState* State::device(std::int64_t id) {
  if (id < 0 || id >= device_count_) return nullptr;
  auto& slot = devices_[static_cast<std::uint32_t>(id)];
  if (slot == nullptr) {
    slot = std::make_unique<DeviceState>(*chip_, static_cast<std::uint32_t>(id), clock_options_);
    for (const std::string& name : call_names_) slot->npu.calls().named(name);
    std::int64_t end_ns = 0;
    const auto stream = slot->npu.streams().create(this_thread_id(), begin_call(), &end_ns);
    slot->default_stream = stream.ok() ? *stream : StreamNumber{0};
  }
  return slot.get();
}

std::optional<StreamObject> State::stream(aclrtStream handle) {
  if (handle == nullptr) {
    DeviceState* const own = device(current_device());
    if (own == nullptr) return std::nullopt;
    return StreamObject{own, own->default_stream};
  }
  const auto found = streams.find(handle);
  if (found == streams.end()) return std::nullopt;
  return *found->second;
}

void State::wait_ready(Lock& lock, DeviceState& device) {
  const bool came =
      changed.wait_for(lock, kPartnerTimeout, [&] { return !device.waits_for_partners; });
  if (!came && give_up != nullptr) give_up(device);
}

AclCall State::call_named(DeviceState& device, std::string_view name) {
  if (std::find(call_names_.begin(), call_names_.end(), name) == call_names_.end()) {
    call_names_.emplace_back(name);
    for (const auto& [id, other] : devices_) other->npu.calls().named(name);
  }
  return device.npu.calls().named(name);
}

std::int64_t State::begin_call() const {
  return std::max(now_ns(), thread_end_ns() + kBetweenCallsNs);
}

void State::end_call(std::int64_t end_ns) { thread_end_ns() = std::max(thread_end_ns(), end_ns); }

void State::wait_until(std::int64_t time_ns) const {
  for (;;) {
    const std::int64_t left_ns = time_ns - now_ns();
    if (left_ns <= 0) return;
    if (left_ns < kShortestSleepNs) {
      ::sched_yield();
      continue;
    }
    const std::int64_t sleep_ns = left_ns - kShortestSleepNs / 2;
    const timespec pause{.tv_sec = sleep_ns / 1'000'000'000, .tv_nsec = sleep_ns % 1'000'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace npuprof::sim::cann
