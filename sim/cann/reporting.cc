// Records that layers of the program report themselves, the counter they are timed with, and the
// few calls of the driver and of the dump library.

#include <algorithm>
#include <cctype>
#include <cstring>

#include "format/host/dictionary.h"
#include "format/host/record_header.h"
#include "sim/cann/running_collection.h"
#include "sim/cann/state.h"

namespace {

using namespace npuprof::sim;        // NOLINT(*-using-namespace): this file is their C face.
using namespace npuprof::sim::cann;  // NOLINT(*-using-namespace)
namespace host = npuprof::format::host;

constexpr std::int32_t kReported = 0;
constexpr std::int32_t kRefused = -1;
constexpr std::uint32_t kCompactBytes = 64;
constexpr std::uint32_t kAdditionalBytes = 256;
constexpr std::size_t kMostNameBytes = 255;

constexpr int kDriverInvalidDevice = 2;
constexpr int kDriverInvalidValue = 3;
constexpr int kDriverNotSupported = 0xFFFE;
constexpr int kInfoCounterKhz = 24;
constexpr int kDriverVersion = 0x072220;

host::Age age_of(std::uint32_t aging) {
  return aging != 0 ? host::Age::kAging : host::Age::kUnaging;
}

template <typename Body>
std::int32_t reported(Body&& body) noexcept {
  return guarded<std::int32_t>(kRefused, [&]() -> std::int32_t {
    State& state = State::get();
    const Lock lock(state.mutex);
    return body(state);
  });
}

// The name becomes part of a file name.
bool is_type_name(std::string_view name) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && name.size() <= kMostNameBytes &&
         std::all_of(name.begin(), name.end(), plain);
}

std::string_view tag_of(const State& state, std::uint16_t level, std::uint32_t type) {
  const auto given = state.type_names.find({level, type});
  if (given != state.type_names.end() && is_type_name(given->second)) return given->second;
  return host::type_name(level, type);
}

std::int32_t report_api(std::uint32_t aging, const void* data, bool is_event) {
  if (data == nullptr) return kRefused;
  return reported([&](State& state) -> std::int32_t {
    if (state.collection == nullptr) return kReported;
    const auto record = npuprof::format::load<host::ApiEvent>(static_cast<const std::byte*>(data));
    if (record.magic != host::kMagic || record.is_event() != is_event) return kRefused;
    state.collection->host->api(age_of(aging), record);
    return kReported;
  });
}

std::int32_t report_records(std::uint32_t aging, host::Module module, const void* data,
                            std::uint32_t length, std::uint32_t record_bytes) {
  if (data == nullptr || length == 0 || length % record_bytes != 0) return kRefused;
  return reported([&](State& state) -> std::int32_t {
    if (state.collection == nullptr) return kReported;
    const npuprof::Bytes all(static_cast<const std::byte*>(data), length);
    for (std::uint32_t at = 0; at < length; at += record_bytes) {
      const npuprof::Bytes record = all.subspan(at, record_bytes);
      const auto header = npuprof::format::load<host::RecordHeader>(record.data());
      const std::string_view tag = tag_of(state, header.level, header.type);
      if (header.magic != host::kMagic || tag.empty()) return kRefused;
      state.collection->host->raw_record(age_of(aging), module, tag, record);
    }
    return kReported;
  });
}

std::uint64_t remember(const char* text, std::size_t length) {
  return guarded<std::uint64_t>(0, [&]() -> std::uint64_t {
    if (text == nullptr || length == 0) return 0;
    const std::string_view view(text, length);
    State& state = State::get();
    const Lock lock(state.mutex);
    const std::uint64_t id = host::string_hash(view);
    state.strings.try_emplace(id, view);
    if (state.collection != nullptr) state.collection->host->hash(view);
    return id;
  });
}

}  // namespace

extern "C" {

int32_t MsprofInit(uint32_t type, void*, uint32_t) {
  // Environment, acl json, GE options, host only, dynamic. The simulation is started by aclprof
  // calls alone, so there is nothing to prepare.
  const bool known = type <= 2 || type == 5 || type == 0xFF;
  return known ? kReported : kRefused;
}
int32_t MsprofFinalize() { return kReported; }

int32_t MsprofRegisterCallback(uint32_t module, NpuprofCommandHandler handler) {
  if (handler == nullptr) return kRefused;
  return reported([&](State& state) -> std::int32_t {
    state.handlers[module] = handler;
    return kReported;
  });
}

int32_t MsprofReportApi(uint32_t aging, const void* api) { return report_api(aging, api, false); }
int32_t MsprofReportEvent(uint32_t aging, const void* event) {
  return report_api(aging, event, true);
}

int32_t MsprofReportCompactInfo(uint32_t aging, const void* data, uint32_t length) {
  if (length != kCompactBytes) return kRefused;
  return report_records(aging, host::Module::kCompact, data, length, kCompactBytes);
}
int32_t MsprofReportAdditionalInfo(uint32_t aging, const void* data, uint32_t length) {
  if (length != kAdditionalBytes) return kRefused;
  return report_records(aging, host::Module::kAdditional, data, length, kAdditionalBytes);
}
int32_t MsprofReportBatchAdditionalInfo(uint32_t aging, const void* data, uint32_t length) {
  return report_records(aging, host::Module::kAdditional, data, length, kAdditionalBytes);
}

int32_t MsprofRegTypeInfo(uint16_t level, uint32_t type, const char* name) {
  if (name == nullptr || *name == '\0') return kRefused;
  return reported([&](State& state) -> std::int32_t {
    state.type_names[{level, type}] = std::string(name, ::strnlen(name, kMostNameBytes));
    if (state.collection != nullptr) state.collection->host->name_type(level, type, name);
    return kReported;
  });
}

uint64_t MsprofGetHashId(const char* text, size_t length) { return remember(text, length); }
uint64_t MsprofStr2Id(const char* text, size_t length) { return remember(text, length); }

const char* MsprofId2Str(uint64_t id) {
  return guarded<const char*>(nullptr, [&]() -> const char* {
    State& state = State::get();
    const Lock lock(state.mutex);
    const auto found = state.strings.find(id);
    // Entries are never removed, and do not move when others come.
    return found == state.strings.end() ? nullptr : found->second.c_str();
  });
}

uint64_t MsprofSysCycleTime() {
  return guarded<std::uint64_t>(0, [] {
    State& state = State::get();
    return state.host_clock().host_ticks(state.now_ns());
  });
}

int32_t MsprofNotifySetDevice(uint32_t, uint32_t number, uint8_t is_open) {
  return reported([&](State& state) -> std::int32_t {
    DeviceState* const device = state.device(number);
    if (device == nullptr) return kRefused;
    if (is_open != 0) on_device_set(state, *device);
    return kReported;
  });
}

int32_t ProfRegisterMstxFunc(void*, int) { return kReported; }
int32_t ProfEnableMstxFunc(int) { return kReported; }

int halGetDeviceInfo(uint32_t device, int32_t module, int32_t info, int64_t* value) {
  if (value == nullptr) return kDriverInvalidValue;
  return guarded<int>(kDriverInvalidValue, [&]() -> int {
    State& state = State::get();
    if (device >= state.device_count()) return kDriverInvalidDevice;
    if (module != 0 || info != kInfoCounterKhz) return kDriverNotSupported;
    *value = std::int64_t{state.host_clock().anchors().host_mhz} * 1000;
    return 0;
  });
}

int halGetAPIVersion(int* version) {
  if (version == nullptr) return kDriverInvalidValue;
  *version = kDriverVersion;
  return 0;
}

aclError aclopStartDumpArgs(uint32_t, const char* path) {
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    if (path == nullptr || *path == '\0') return NPUPROF_ACL_INVALID_PARAM;
    State& state = State::get();
    const Lock lock(state.mutex);
    return state.op_args.start(path).ok() ? NPUPROF_ACL_SUCCESS : NPUPROF_ACL_FAILURE;
  });
}

aclError aclopStopDumpArgs(uint32_t) {
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, []() -> aclError {
    State& state = State::get();
    const Lock lock(state.mutex);
    state.op_args.stop();
    return NPUPROF_ACL_SUCCESS;
  });
}

}  // extern "C"
