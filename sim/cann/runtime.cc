// Devices, streams and events.

#include "sim/cann/running_collection.h"
#include "sim/cann/state.h"

namespace {

using namespace npuprof::sim;        // NOLINT(*-using-namespace): this file is their C face.
using namespace npuprof::sim::cann;  // NOLINT(*-using-namespace)

// Host time of calls that put nothing on the device.
constexpr std::int64_t kSetDeviceNs = 2'000;

template <typename Body>
aclError locked(Body&& body) noexcept {
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    State& state = State::get();
    Lock lock(state.mutex);
    return body(state);
  });
}

EventObject* event_of(State& state, aclrtEvent handle) {
  const auto found = state.events.find(handle);
  return found == state.events.end() ? nullptr : found->second.get();
}

aclError failure_of(DeviceState& device) {
  const bool failed = device.failed;
  device.failed = false;
  return failed ? NPUPROF_ACL_FAILURE : NPUPROF_ACL_SUCCESS;
}

// What happened up to now can leave the buffers.
void settle(DeviceState& device, std::int64_t time_ns) {
  if (!device.npu.collecting()) return;
  device.npu.samples().set_memory(device.used_bytes, device.communication_bytes);
  device.npu.settle(time_ns);
}

}  // namespace

extern "C" {

aclError aclInit(const char*) {
  return locked([](State& state) -> aclError {
    if (state.initialized) return NPUPROF_ACL_REPEAT_INITIALIZE;
    state.initialized = true;
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclFinalize() {
  return locked([](State& state) -> aclError {
    if (!state.initialized) return NPUPROF_ACL_UNINITIALIZE;
    state.initialized = false;
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclrtSetDevice(int32_t number) {
  return locked([&](State& state) -> aclError {
    DeviceState* const device = state.device(number);
    if (device == nullptr) return NPUPROF_ACL_RT_INVALID_DEVICE;
    current_device() = number;
    State::end_call(state.begin_call() + kSetDeviceNs);
    on_device_set(state, *device);
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclrtGetDevice(int32_t* number) {
  if (number == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  if (current_device() < 0) return NPUPROF_ACL_RT_CONTEXT_NULL;
  *number = current_device();
  return NPUPROF_ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t number) {
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    State& state = State::get();
    std::int64_t end_ns = 0;
    {
      Lock lock(state.mutex);
      if (number < 0 || static_cast<std::uint32_t>(number) >= state.device_count()) {
        return NPUPROF_ACL_RT_INVALID_DEVICE;
      }
      DeviceState& device = *state.device(number);
      state.wait_ready(lock, device);
      // Streams the program forgot go with the device; its default stream stays for the next use.
      for (auto entry = state.streams.begin(); entry != state.streams.end();) {
        if (entry->second->device != &device) {
          ++entry;
          continue;
        }
        State::end_call(
            device.npu.streams().destroy(this_thread_id(), entry->second->id, state.begin_call()));
        entry = state.streams.erase(entry);
      }
      end_ns = device.npu.streams().latest_free_ns();
      if (current_device() == number) current_device() = -1;
    }
    state.wait_until(end_ns);
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  if (count == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    *count = State::get().device_count();
    return NPUPROF_ACL_SUCCESS;
  });
}

const char* aclrtGetSocName() {
  // Names of chips are literals, which end with a zero byte.
  return guarded<const char*>(nullptr, [] { return State::get().chip().name.data(); });
}

aclError aclrtGetRunMode(int* mode) {
  if (mode == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  *mode = NPUPROF_ACL_RUN_MODE_HOST;
  return NPUPROF_ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream* stream) {
  if (stream == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  return on_stream(nullptr,
                   [&](DeviceState& device, StreamNumber, std::uint32_t thread,
                       std::int64_t begin_ns) -> Outcome {
                     std::int64_t end_ns = 0;
                     const auto id = device.npu.streams().create(thread, begin_ns, &end_ns);
                     if (!id.ok()) return {.code = NPUPROF_ACL_RT_NO_STREAM_RESOURCE};
                     auto object = std::make_unique<StreamObject>(StreamObject{&device, *id});
                     *stream = object.get();
                     State::get().streams[object.get()] = std::move(object);
                     return {.end_ns = end_ns};
                   });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
  return aclrtCreateStream(stream);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  if (stream == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  return on_stream(stream,
                   [&](DeviceState& device, StreamNumber id, std::uint32_t thread,
                       std::int64_t begin_ns) -> Outcome {
                     State::get().streams.erase(stream);
                     return {.end_ns = device.npu.streams().destroy(thread, id, begin_ns)};
                   });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return aclrtSynchronizeStreamWithTimeout(stream, -1);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout_ms) {
  if (timeout_ms < -1) return NPUPROF_ACL_RT_PARAM_INVALID;
  return on_stream(stream,
                   [&](DeviceState& device, StreamNumber id, std::uint32_t thread,
                       std::int64_t begin_ns) -> Outcome {
                     const std::int64_t limit_ns = begin_ns + timeout_ms * std::int64_t{1'000'000};
                     if (timeout_ms >= 0 && device.npu.streams().free_ns(id) > limit_ns) {
                       return {.code = NPUPROF_ACL_RT_STREAM_SYNC_TIMEOUT, .end_ns = limit_ns};
                     }
                     settle(device, begin_ns);
                     return {
                         .code = failure_of(device),
                         .end_ns = device.npu.streams().synchronize_stream(thread, id, begin_ns)};
                   });
}

aclError aclrtSynchronizeDevice() {
  return on_stream(nullptr,
                   [](DeviceState& device, StreamNumber, std::uint32_t thread,
                      std::int64_t begin_ns) -> Outcome {
                     settle(device, begin_ns);
                     return {.code = failure_of(device),
                             .end_ns = device.npu.streams().synchronize_device(thread, begin_ns)};
                   });
}

aclError aclrtStreamQuery(aclrtStream handle, int* status) {
  if (status == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  return locked([&](State& state) -> aclError {
    const auto stream = state.stream(handle);
    if (!stream) return NPUPROF_ACL_RT_STREAM_INVALID;
    const bool busy = stream->device->waits_for_partners ||
                      stream->device->npu.streams().free_ns(stream->id) > state.now_ns();
    *status = busy ? NPUPROF_ACL_STREAM_NOT_READY : NPUPROF_ACL_STREAM_COMPLETE;
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclrtCreateEvent(aclrtEvent* event) {
  if (event == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  return locked([&](State& state) -> aclError {
    auto object = std::make_unique<EventObject>();
    *event = object.get();
    state.events[object.get()] = std::move(object);
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) { return aclrtCreateEvent(event); }

aclError aclrtDestroyEvent(aclrtEvent event) {
  return locked([&](State& state) -> aclError {
    return state.events.erase(event) > 0 ? NPUPROF_ACL_SUCCESS : NPUPROF_ACL_INVALID_PARAM;
  });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return on_stream(
      stream,
      [&](DeviceState& device, StreamNumber id, std::uint32_t thread,
          std::int64_t begin_ns) -> Outcome {
        EventObject* const object = event_of(State::get(), event);
        if (object == nullptr) return {.code = NPUPROF_ACL_INVALID_PARAM};
        object->recorded = true;
        return {
            .end_ns =
                device.npu.streams().record_event(thread, id, object->event, begin_ns).host_end_ns};
      });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return on_stream(
      stream,
      [&](DeviceState& device, StreamNumber id, std::uint32_t thread,
          std::int64_t begin_ns) -> Outcome {
        const EventObject* const object = event_of(State::get(), event);
        if (object == nullptr) return {.code = NPUPROF_ACL_INVALID_PARAM};
        return {
            .end_ns =
                device.npu.streams().wait_event(thread, id, object->event, begin_ns).host_end_ns};
      });
}

aclError aclrtQueryEventStatus(aclrtEvent event, int* status) {
  if (status == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  return locked([&](State& state) -> aclError {
    const EventObject* const object = event_of(state, event);
    if (object == nullptr) return NPUPROF_ACL_INVALID_PARAM;
    const bool done = object->recorded && object->event.done_ns <= state.now_ns();
    *status = done ? NPUPROF_ACL_EVENT_COMPLETE : NPUPROF_ACL_EVENT_NOT_READY;
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return on_stream(
      nullptr,
      [&](DeviceState& device, StreamNumber, std::uint32_t thread,
          std::int64_t begin_ns) -> Outcome {
        const EventObject* const object = event_of(State::get(), event);
        if (object == nullptr) return {.code = NPUPROF_ACL_INVALID_PARAM};
        return {.code = failure_of(device),
                .end_ns = device.npu.streams().synchronize_event(thread, object->event, begin_ns)};
      });
}

aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent begin, aclrtEvent end) {
  if (milliseconds == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  return locked([&](State& state) -> aclError {
    const EventObject* const first = event_of(state, begin);
    const EventObject* const last = event_of(state, end);
    if (first == nullptr || last == nullptr || !first->recorded || !last->recorded) {
      return NPUPROF_ACL_INVALID_PARAM;
    }
    *milliseconds = static_cast<float>(last->event.done_ns - first->event.done_ns) / 1e6f;
    return NPUPROF_ACL_SUCCESS;
  });
}

}  // extern "C"
