// The collection interface: its states and result codes.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>

#include "sim/cann/running_collection.h"
#include "sim/prof/cann_switches.h"

// A configuration, as the program asked for it.
struct aclprofConfig {
  std::vector<std::uint32_t> devices;
  int metrics = NPUPROF_AICORE_NONE;
  std::uint64_t bits = 0;

  bool operator==(const aclprofConfig&) const = default;
};

struct aclprofStepInfo {
  std::uint64_t step = 0;
};

namespace {

using namespace npuprof::sim;        // NOLINT(*-using-namespace): this file is their C face.
using namespace npuprof::sim::cann;  // NOLINT(*-using-namespace)
namespace format = npuprof::format;

constexpr std::size_t kMostPathBytes = 4096;
constexpr std::size_t kMostSettingBytes = 256;
constexpr std::uint32_t kSwitchControl = 1;

constexpr std::uint64_t kKnownBits =
    NPUPROF_PROF_ACL_API | NPUPROF_PROF_TASK_TIME | NPUPROF_PROF_AICORE_METRICS |
    NPUPROF_PROF_AICPU | NPUPROF_PROF_L2CACHE | NPUPROF_PROF_HCCL_TRACE |
    NPUPROF_PROF_TRAINING_TRACE | NPUPROF_PROF_MSPROFTX | NPUPROF_PROF_RUNTIME_API |
    NPUPROF_PROF_GE_API_L0 | NPUPROF_PROF_TASK_TIME_L0 | NPUPROF_PROF_TASK_MEMORY |
    NPUPROF_PROF_TASK_TIME_L2 | NPUPROF_PROF_OP_ATTR | NPUPROF_PROF_TASK_TIME_L3 |
    NPUPROF_PROF_GE_API_L1 | NPUPROF_PROF_AICORE_SHAPE;

enum class Command : std::uint32_t { kInit = 0, kStart = 1, kStop = 2, kFinalize = 3 };

// Guarded by `order`, which is taken before State::mutex.
struct Profiling {
  std::mutex order;
  bool initialized = false;
  std::filesystem::path path;
  std::map<int, std::string> settings;
  std::set<const aclprofConfig*> configs;
  std::optional<aclprofConfig> warmed;
  std::optional<aclprofConfig> running;
  std::shared_ptr<RunningCollection> collection;
  bool follow_devices = false;
  std::uint64_t started = 0;
};

Profiling& profiling() {
  static Profiling* const instance = new Profiling;  // Never destroyed, like State.
  return *instance;
}

template <typename Body>
aclError in_order(Body&& body) noexcept {
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    const std::lock_guard lock(profiling().order);
    return body(profiling());
  });
}

// --- settings

std::uint32_t highest_frequency(int type, const ChipSpec& chip) {
  switch (type) {
    case NPUPROF_CONFIG_MEMORY_FREQUENCY:
      return chip.is_v6() ? 10000 : 100;
    case NPUPROF_CONFIG_INTERCONNECTION_FREQUENCY:
    case NPUPROF_CONFIG_HOST_SYS_USAGE_FREQUENCY:
    case NPUPROF_CONFIG_CPU_FREQUENCY:
      return 50;
    case NPUPROF_CONFIG_IO_FREQUENCY:
    case NPUPROF_CONFIG_DVPP_FREQUENCY:
    case NPUPROF_CONFIG_LOW_POWER_FREQUENCY:
      return 100;
    default:
      return 0;
  }
}

bool is_storage_limit(std::string_view text) {
  if (!text.ends_with("MB")) return false;
  text.remove_suffix(2);
  return number_in(text, 200, 4294967295u).has_value();
}

bool is_setting(int type, std::string_view value, const ChipSpec& chip) {
  if (const std::uint32_t highest = highest_frequency(type, chip); highest > 0) {
    return number_in(value, 1, highest).has_value();
  }
  switch (type) {
    case NPUPROF_CONFIG_STORAGE_LIMIT:
      return is_storage_limit(value);
    case NPUPROF_CONFIG_LLC_MODE:
      return value == "read" || value == "write";
    case NPUPROF_CONFIG_HOST_SYS:
      return host_system(value).has_value();
    case NPUPROF_CONFIG_HOST_SYS_USAGE: {
      const auto usage = host_system(value);
      return usage && !usage->disk && !usage->network;
    }
    default:
      return !value.empty();
  }
}

// --- telling those who report

void notify_handlers(Command command, const aclprofConfig* config) {
  std::vector<NpuprofCommandHandler> handlers;
  {
    State& state = State::get();
    const Lock lock(state.mutex);
    for (const auto& [module, handler] : state.handlers) handlers.push_back(handler);
  }
  if (handlers.empty()) return;
  NpuprofSwitchCommand data{};
  data.command = static_cast<std::uint32_t>(command);
  if (config != nullptr) {
    data.switches = config->bits;
    data.device_count = static_cast<std::uint32_t>(config->devices.size());
    std::copy(config->devices.begin(), config->devices.end(), data.devices);
  }
  const std::string path = profiling().path.native().substr(0, sizeof(data.path) - 1);
  data.path_length = static_cast<std::uint32_t>(path.size());
  std::copy(path.begin(), path.end(), data.path);
  for (const NpuprofCommandHandler handler : handlers) {
    handler(kSwitchControl, &data, sizeof(data));
  }
}

// --- features

struct FeatureText {
  virtual ~FeatureText() = default;
  char compatibility[16] = {};
  char version[16] = {};
  char component[16] = {};
  char component_version[16] = {};
  char log[128] = {};
};
// Clients read the fields at fixed places; the hidden pointers are part of the layout.
struct Feature {
  virtual ~Feature() = default;
  char name[64] = {};
  FeatureText text;
};
static_assert(sizeof(Feature) == 272);

void fill_feature(Feature& feature, const char* name, const char* version) {
  std::strncpy(feature.name, name, sizeof(feature.name) - 1);
  std::strncpy(feature.text.compatibility, "1", 2);
  std::strncpy(feature.text.version, version, sizeof(feature.text.version) - 1);
  std::strncpy(feature.text.component, "all", 4);
  std::strncpy(feature.text.component_version, "all", 4);
}

aclError list_features(std::size_t* count, void** features) noexcept {
  if (count == nullptr || features == nullptr) return NPUPROF_ACL_INVALID_PARAM;
  return guarded<aclError>(NPUPROF_ACL_INTERNAL_ERROR, [&]() -> aclError {
    static std::array<Feature, 3> table;
    static const bool filled [[maybe_unused]] = [] {
      fill_feature(table[0], "ATTR", "2");
      fill_feature(table[1], "AICORE_SHAPE", "1");
      fill_feature(table[2], "MemoryAccess", "2");
      return true;
    }();
    *count = State::get().chip().id() == format::device::ChipId::k910B ? 3 : 2;
    *features = table.data();
    return NPUPROF_ACL_SUCCESS;
  });
}

// --- states

bool is_text_of(const char* text, std::size_t length, std::size_t most) {
  return text != nullptr && length > 0 && length <= most && ::strnlen(text, length + 1) == length;
}

aclError begin(Profiling& self, const aclprofConfig& config) {
  State& state = State::get();
  std::filesystem::path parent = self.path;
  if (const auto path = self.settings.find(NPUPROF_CONFIG_PATH); path != self.settings.end()) {
    parent = path->second;
  }
  notify_handlers(Command::kInit, &config);
  auto collection = start_collection(state, parent.empty() ? "." : parent,
                                     settings_of({config.bits, config.metrics, self.settings}),
                                     config.devices, ++self.started);
  if (!collection.ok()) {
    std::fprintf(stderr, "npusim: cannot collect: %s\n", collection.error().message.c_str());
    return NPUPROF_ACL_PROFILING_FAILURE;
  }
  self.collection = *collection;
  self.running = config;
  self.warmed.reset();
  {
    const Lock lock(state.mutex);
    self.collection->follow_devices = self.follow_devices;
  }
  notify_handlers(Command::kStart, &config);
  return NPUPROF_ACL_SUCCESS;
}

aclError end(Profiling& self) {
  notify_handlers(Command::kStop, &*self.running);
  const auto status = stop_collection(State::get(), self.collection);
  self.running.reset();
  self.collection.reset();
  if (status.ok()) return NPUPROF_ACL_SUCCESS;
  std::fprintf(stderr, "npusim: the profile is not complete: %s\n", status.error().message.c_str());
  return NPUPROF_ACL_PROFILING_FAILURE;
}

}  // namespace

extern "C" {

aclError aclprofInit(const char* path, size_t length) {
  return in_order([&](Profiling& self) -> aclError {
    const char* mode = std::getenv("PROFILING_MODE");
    if (mode != nullptr && std::strcmp(mode, "dynamic") == 0) {
      return NPUPROF_ACL_FEATURE_UNSUPPORTED;
    }
    if (!is_text_of(path, length, kMostPathBytes - 1)) return NPUPROF_ACL_INVALID_PARAM;
    if (self.initialized) return NPUPROF_ACL_REPEAT_INITIALIZE;
    self.initialized = true;
    self.path = std::string(path, length);
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclprofSetConfig(int type, const char* value, size_t length) {
  return in_order([&](Profiling& self) -> aclError {
    if (type <= 0 || type > NPUPROF_CONFIG_PATH) return NPUPROF_ACL_INVALID_PARAM;
    if (!is_text_of(value, length, kMostSettingBytes)) return NPUPROF_ACL_INVALID_PARAM;
    if (self.running) return NPUPROF_ACL_PROF_ALREADY_RUN;
    const std::string text(value, length);
    if (!is_setting(type, text, State::get().chip())) return NPUPROF_ACL_INVALID_PARAM;
    self.settings[type] = text;
    return NPUPROF_ACL_SUCCESS;
  });
}

aclprofConfig* aclprofCreateConfig(uint32_t* devices, uint32_t device_count, int metrics,
                                   const void* events, uint64_t bits) {
  return guarded<aclprofConfig*>(nullptr, [&]() -> aclprofConfig* {
    constexpr int kLastGroup = static_cast<int>(MetricGroup::kMemoryAccess);
    const bool known_metrics =
        (metrics >= 0 && metrics <= kLastGroup) || metrics == NPUPROF_AICORE_NONE;
    if (events != nullptr || !known_metrics) return nullptr;
    const std::uint32_t present = State::get().device_count();
    if (device_count > present || (device_count > 0 && devices == nullptr)) return nullptr;
    if (device_count == 0 && (bits & NPUPROF_PROF_MSPROFTX) == 0) return nullptr;
    auto config = std::make_unique<aclprofConfig>();
    config->devices.assign(devices, devices + device_count);
    std::vector<std::uint32_t> sorted = config->devices;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return nullptr;
    if (!sorted.empty() && sorted.back() >= present) return nullptr;
    if ((bits & NPUPROF_PROF_TASK_TIME_L3) != 0) bits |= NPUPROF_PROF_TASK_TIME_L2;
    if ((bits & (NPUPROF_PROF_TASK_TIME_L2 | NPUPROF_PROF_OP_ATTR)) != 0) {
      bits |= NPUPROF_PROF_TASK_TIME;
    }
    if ((bits & NPUPROF_PROF_TASK_TIME) != 0) bits |= NPUPROF_PROF_TASK_TIME_L0;
    config->metrics = metrics;
    config->bits = bits;
    const std::lock_guard lock(profiling().order);
    profiling().configs.insert(config.get());
    return config.release();
  });
}

aclError aclprofWarmup(const aclprofConfig* config) {
  return in_order([&](Profiling& self) -> aclError {
    if (!self.configs.contains(config)) return NPUPROF_ACL_INVALID_PARAM;
    if (!self.initialized) return NPUPROF_ACL_UNINITIALIZE;
    if (self.running) return NPUPROF_ACL_PROF_ALREADY_RUN;
    if ((config->bits & ~kKnownBits) != 0) return NPUPROF_ACL_PROF_MODULES_UNSUPPORTED;
    self.warmed = *config;
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclprofStart(const aclprofConfig* config) {
  return in_order([&](Profiling& self) -> aclError {
    if (!self.configs.contains(config)) return NPUPROF_ACL_INVALID_PARAM;
    if ((config->bits & ~kKnownBits) != 0) return NPUPROF_ACL_PROF_MODULES_UNSUPPORTED;
    if (self.running) {
      return *self.running == *config ? NPUPROF_ACL_SUCCESS : NPUPROF_ACL_PROF_ALREADY_RUN;
    }
    if (self.warmed && *self.warmed != *config) return NPUPROF_ACL_INVALID_PARAM;
    self.initialized = true;  // Without a path the current directory is meant.
    return begin(self, *config);
  });
}

aclError aclprofStop(const aclprofConfig* config) {
  return in_order([&](Profiling& self) -> aclError {
    if (!self.initialized) return NPUPROF_ACL_SUCCESS;
    if (!self.configs.contains(config)) return NPUPROF_ACL_INVALID_PARAM;
    if (!self.running) {
      const bool armed = self.warmed && *self.warmed == *config;
      self.warmed.reset();
      return armed ? NPUPROF_ACL_SUCCESS : NPUPROF_ACL_PROF_NOT_RUN;
    }
    if (*self.running != *config) return NPUPROF_ACL_INVALID_PARAM;
    return end(self);
  });
}

aclError aclprofDestroyConfig(const aclprofConfig* config) {
  return in_order([&](Profiling& self) -> aclError {
    if (self.configs.erase(config) == 0) return NPUPROF_ACL_INVALID_PARAM;
    delete config;
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclprofFinalize() {
  return in_order([](Profiling& self) -> aclError {
    if (!self.initialized) return NPUPROF_ACL_SUCCESS;
    const aclError code = self.running ? end(self) : NPUPROF_ACL_SUCCESS;
    notify_handlers(Command::kFinalize, nullptr);
    self.initialized = false;
    self.path.clear();
    self.settings.clear();
    self.warmed.reset();
    self.follow_devices = false;
    return code;
  });
}

aclError aclprofRegisterDeviceCallback() {
  return in_order([](Profiling& self) -> aclError {
    self.follow_devices = true;
    const Lock lock(State::get().mutex);
    if (self.collection != nullptr) self.collection->follow_devices = true;
    return NPUPROF_ACL_SUCCESS;
  });
}

aclError aclprofGetSupportedFeatures(size_t* count, void** features) {
  return list_features(count, features);
}
aclError aclprofGetSupportedFeaturesV2(size_t* count, void** features) {
  return list_features(count, features);
}

aclprofStepInfo* aclprofCreateStepInfo() {
  return guarded<aclprofStepInfo*>(nullptr, [] { return new aclprofStepInfo; });
}

aclError aclprofGetStepTimestamp(aclprofStepInfo* step, int tag, aclrtStream stream) {
  constexpr int kLongTags = 60000;
  const int short_tag = tag >= kLongTags ? tag - kLongTags : tag;
  if (step == nullptr || short_tag < 0 || short_tag > 1) return NPUPROF_ACL_INVALID_PARAM;
  const bool is_begin = short_tag == 0;
  return on_stream(
      stream,
      [&](DeviceState& device, StreamNumber id, std::uint32_t thread,
          std::int64_t begin_ns) -> Outcome {
        if (is_begin) ++step->step;
        return {.end_ns = device.npu.marks().step(thread, id, step->step, is_begin, begin_ns)};
      });
}

void aclprofDestroyStepInfo(aclprofStepInfo* step) { delete step; }

}  // extern "C"
