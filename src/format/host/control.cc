#include "format/host/control.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_writer.h"
#include "base/text.h"
#include "format/host/file_names.h"
#include "format/json_text.h"
#include "format/text_scan.h"

namespace npuprof::format::host {
namespace {

// ---- What each file holds, once for reading and writing. `visit` is an ControlReader or an
// ObjectWriter; quoted() members are numbers that stand in the file as text.

void describe(auto& card, NetworkCard*, auto& visit) {
  visit.member("netCardName", card.name);
  visit.member("speed", card.speed_mbit_s);
}

void describe(auto& cpu, HostCpu*, auto& visit) {
  visit.member("Id", cpu.id);
  visit.member("Name", cpu.name);
  visit.quoted("Frequency", cpu.frequency_mhz);
  visit.member("Logical_CPU_Count", cpu.logical_cpu_count);
  visit.member("Type", cpu.type);
}

void describe(auto& device, ControlDevice*, auto& visit) {
  visit.member("id", device.id);
  visit.member("env_type", device.env_type);
  visit.member("ctrl_cpu_id", device.ctrl_cpu_id);
  visit.member("ctrl_cpu_core_num", device.ctrl_cpu_core_num);
  visit.member("ctrl_cpu_endian_little", device.ctrl_cpu_endian_little);
  visit.member("ts_cpu_core_num", device.ts_cpu_core_num);
  visit.member("ai_cpu_core_num", device.ai_cpu_core_num);
  visit.member("ai_core_num", device.ai_core_num);
  visit.member("ai_cpu_core_id", device.ai_cpu_core_id);
  visit.member("ai_core_id", device.ai_core_id);
  visit.member("aicpu_occupy_bitmap", device.aicpu_occupy_bitmap);
  visit.member("ctrl_cpu", device.ctrl_cpu);
  visit.member("ai_cpu", device.ai_cpu);
  visit.member("aiv_num", device.aiv_num);
  visit.quoted("hwts_frequency", device.hwts_frequency_mhz);
  visit.quoted_short("aic_frequency", device.aic_frequency_mhz);
  visit.quoted_short("aiv_frequency", device.aiv_frequency_mhz);
}

void describe(auto& info, InfoJson*, auto& visit) {
  visit.member("jobInfo", info.job_info);
  visit.member("version", info.version);
  visit.member("OS", info.os);
  visit.member("hostname", info.hostname);
  visit.member("hwtype", info.hardware_type);
  visit.member("hostUid", info.host_uid);
  visit.member("memoryTotal", info.memory_total_kb);
  visit.member("cpuNums", info.cpu_count);
  visit.member("sysClockFreq", info.jiffies_per_second);
  visit.member("cpuCores", info.cpu_cores);
  visit.member("netCardNums", info.network_card_count);
  visit.list("netCard", info.network_cards);
  visit.member("upTime", info.up_time);
  visit.list("CPU", info.cpus);
  visit.list("DeviceInfo", info.device_info);
  visit.member("devices", info.devices);
  visit.member("platform", info.platform);
  visit.quoted("platform_version", info.platform_version);
  visit.quoted("pid", info.pid, "NA");
  visit.member("pid_name", info.pid_name);
  visit.member("drvVersion", info.driver_version);
  visit.member("cannVersion", info.cann_version);
  visit.member("rank_id", info.rank_id);
  visit.member("simulated", info.simulated);
  visit.others(info.other);
}

void describe(auto& sample, SampleJson*, auto& visit) {
  visit.member("devices", sample.devices);
  visit.member("prof_level", sample.prof_level);
  visit.member("profLevel", sample.prof_level_camel);
  visit.member("ai_core_profiling", sample.ai_core_profiling);
  visit.member("ai_core_profiling_mode", sample.ai_core_profiling_mode);
  visit.member("ai_core_metrics", sample.ai_core_metrics);
  visit.member("ai_core_profiling_events", sample.ai_core_profiling_events);
  visit.member("aicore_sampling_interval", sample.aicore_sampling_interval);
  visit.member("aiv_profiling", sample.aiv_profiling);
  visit.member("aiv_profiling_mode", sample.aiv_profiling_mode);
  visit.member("aiv_metrics", sample.aiv_metrics);
  visit.member("aiv_profiling_events", sample.aiv_profiling_events);
  visit.member("aiv_sampling_interval", sample.aiv_sampling_interval);
  visit.member("llc_profiling", sample.llc_profiling);
  visit.member("msprofBinPid", sample.msprof_bin_pid);
  visit.member("host_disk_freq", sample.host_disk_freq);
  visit.member("dynamic", sample.dynamic);
  visit.member("taskBlock", sample.task_block);
  visit.member("hbm_profiling_events", sample.hbm_profiling_events);
  visit.member("ddr_master_id", sample.ddr_master_id);
  visit.member("l2CacheTaskProfilingEvents", sample.l2_cache_events);
  visit.member("npuEvents", sample.npu_events);
  visit.member("qosEvents", sample.qos_events);
  visit.member("instrProfilingFreq", sample.instr_profiling_freq);
  visit.alias("instr_profiling_freq", sample.instr_profiling_freq);
  visit.member("ts_cpu_profiling_events", sample.ts_cpu_profiling_events);
  visit.member("ai_ctrl_cpu_profiling_events", sample.ctrl_cpu_profiling_events);
  visit.others(sample.other);
}

void describe(auto& time, CollectionTime*, auto& visit) {
  visit.member("collectionDateBegin", time.date_begin);
  visit.member("collectionDateEnd", time.date_end);
  visit.quoted("collectionTimeBegin", time.begin_us);
  visit.quoted("collectionTimeEnd", time.end_us);
  visit.quoted("clockMonotonicRaw", time.monotonic_raw_ns);
  visit.others(time.other);
}

// ---- Reading

std::optional<std::string> text_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number()) return json.dump();
  return std::nullopt;
}

std::optional<double> double_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return parse_number<double>(trim(json.get_ref<const std::string&>()));
  return std::nullopt;
}

std::optional<std::int64_t> integer_of(const Json& json) {
  if (json.is_number_float()) {
    const double value = json.get<double>();
    // The bound is exact in a double; beyond it the conversion would be undefined.
    if (!(value >= -0x1p63 && value < 0x1p63)) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(value);
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_string()) return parse_number<std::int64_t>(trim(json.get_ref<const std::string&>()));
  return std::nullopt;
}

std::optional<bool> boolean_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  return std::nullopt;
}

void assign(std::optional<std::string> value, auto& member) {
  if (value) member = std::move(*value);
}
void assign(auto value, auto& member) {
  if (value) member = *value;
}

class ControlReader {
 public:
  explicit ControlReader(const Json& object) : object_(object) {}

  void member(const char* key, std::string& value) { read(key, value, text_of); }
  void member(const char* key, std::optional<std::string>& value) { read(key, value, text_of); }
  void member(const char* key, std::int64_t& value) { read(key, value, integer_of); }
  void member(const char* key, std::optional<std::int64_t>& value) { read(key, value, integer_of); }
  void member(const char* key, std::optional<bool>& value) { read(key, value, boolean_of); }

  void quoted(const char* key, std::optional<std::int64_t>& value, const char* = "") {
    read(key, value, integer_of);
  }
  void quoted(const char* key, std::optional<double>& value) { read(key, value, double_of); }
  void quoted_short(const char* key, std::optional<double>& value) { quoted(key, value); }

  // An older spelling of the member before it.
  void alias(const char* key, std::optional<std::int64_t>& value) { member(key, value); }

  template <typename T>
  void list(const char* key, std::vector<T>& values) {
    const Json* array = find(key);
    if (array == nullptr || !array->is_array()) return;
    for (const Json& element : *array) {
      if (!element.is_object()) continue;
      ControlReader reader(element);
      describe(values.emplace_back(), static_cast<T*>(nullptr), reader);
    }
  }

  void others(std::vector<OtherKey>& others) {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      others.push_back({key, value.dump()});
    }
  }

 private:
  const Json* find(const char* key) {
    known_.emplace_back(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  void read(const char* key, auto& value, auto convert) {
    if (const Json* json = find(key)) assign(convert(*json), value);
  }

  const Json& object_;
  std::vector<std::string_view> known_;
};

// Control files nest a few levels and have some hundred keys. What is nested far deeper is dropped:
// writing it out again would recurse as deep. So are keys far beyond: an ordered object looks each
// one up by comparing it with all others.
constexpr int kDeepest = 16;
constexpr std::size_t kMostKeys = 8192;

Json parse_bounded(std::string_view text) {
  std::size_t keys = 0;
  const auto keep = [&](int depth, Json::parse_event_t event, Json&) {
    if (event != Json::parse_event_t::key) return depth <= kDeepest;
    return ++keys <= kMostKeys && depth <= kDeepest;
  };
  return Json::parse(text, keep, false);
}

Json parse_object(std::string_view text) {
  Json json = parse_bounded(text);
  if (json.is_object()) return json;
  // The vendor's tools read the first line only; what follows may be anything.
  return parse_bounded(text.substr(0, text.find('\n')));
}

template <typename T>
Result<T> parse_as(std::string_view text, std::string_view name) {
  Json json = parse_object(text);
  if (!json.is_object()) {
    // Names in another encoding than UTF-8 must not make the whole file unreadable.
    std::string ascii(text);
    std::replace_if(
        ascii.begin(), ascii.end(), [](char c) { return (c & 0x80) != 0; }, '?');
    json = parse_object(ascii);
  }
  if (!json.is_object()) {
    return Error{ErrorCode::kCorrupt, std::string(name) + " is not a JSON object"};
  }
  T value;
  ControlReader reader(json);
  describe(value, static_cast<T*>(nullptr), reader);
  value.layout = JsonLayout::of(text);
  return value;
}

// ---- Writing

class ObjectWriter {
 public:
  explicit ObjectWriter(JsonWriter& json) : json_(json) {}

  void member(const char* key, const std::string& value) { json_.member(key, value); }
  void member(const char* key, std::int64_t value) { json_.member(key, value); }
  template <typename T>
  void member(const char* key, const std::optional<T>& value) {
    if (value) json_.member(key, *value);
  }

  void quoted(const char* key, std::optional<std::int64_t> value, const char* absent = "") {
    json_.member(key, value ? std::to_string(*value) : std::string(absent));
  }
  void quoted(const char* key, std::optional<double> value) {
    std::string text;
    if (value) append_fixed(text, *value, 6);
    json_.member(key, text);
  }
  // Without decimals that are zero.
  void quoted_short(const char* key, std::optional<double> value) {
    std::string text;
    if (value) append_double(text, *value);
    json_.member(key, text);
  }

  void alias(const char*, const std::optional<std::int64_t>&) {}

  template <typename T>
  void list(const char* key, const std::vector<T>& values) {
    json_.key(key).begin_array();
    for (const T& value : values) {
      json_.begin_object();
      describe(value, static_cast<T*>(nullptr), *this);
      json_.end_object();
    }
    json_.end_array();
  }

  void others(const std::vector<OtherKey>& others) {
    for (const OtherKey& other : others) json_.key(other.key).raw(other.json);
  }

 private:
  JsonWriter& json_;
};

template <typename T>
std::string one_line_json(const T& value) {
  std::string text;
  JsonWriter json(text);
  ObjectWriter writer(json);
  json.begin_object();
  describe(value, static_cast<T*>(nullptr), writer);
  json.end_object();
  return text;
}

// `defaults` has one element in each list.
template <typename T>
std::string make_from(const T& value, const T& defaults) {
  return value.layout.apply(one_line_json(value), one_line_json(defaults));
}

void append_clock_line(std::string& out, const char* key, const auto& value) {
  if (!value) return;
  out.append(key).append(": ").append(std::to_string(*value)).append("\n");
}

}  // namespace

std::optional<int> SampleJson::level() const {
  const std::optional<std::string>& given = prof_level_camel ? prof_level_camel : prof_level;
  if (!given) return std::nullopt;
  std::string_view text = *given;
  for (const std::string_view prefix : {"level", "l"}) {
    if (!text.starts_with(prefix)) continue;
    text.remove_prefix(prefix.size());
    break;
  }
  return parse_number<int>(text);
}

bool SampleJson::records_tasks() const {
  const std::optional<std::string>& given = prof_level_camel ? prof_level_camel : prof_level;
  return given != "off";
}

Result<InfoJson> parse_info_json(std::string_view text) {
  return parse_as<InfoJson>(text, kInfoFile);
}
Result<SampleJson> parse_sample_json(std::string_view text) {
  return parse_as<SampleJson>(text, kSampleFile);
}
Result<CollectionTime> parse_collection_time(std::string_view text) {
  return parse_as<CollectionTime>(text, "start_info or end_info");
}

std::string make_info_json(const InfoJson& info) {
  InfoJson defaults;
  defaults.network_cards.resize(1);
  defaults.cpus.resize(1);
  defaults.device_info.resize(1);
  return make_from(info, defaults);
}
std::string make_sample_json(const SampleJson& sample) { return make_from(sample, {}); }
std::string make_collection_time(const CollectionTime& time) { return make_from(time, {}); }

ClockLog parse_clock_log(std::string_view text) {
  ClockLog log;
  std::string_view line;
  while (take_line(text, line)) {
    line = trim(line);
    if (line.size() >= 2 && line.front() == '[' && line.back() == ']') {
      log.section = line.substr(1, line.size() - 2);
      continue;
    }
    const auto entry = split_at_colon(line);
    if (!entry) continue;
    const std::string_view key = trim(entry->key);
    const std::string_view value = trim(entry->value);
    if (key == "clock_realtime") assign(parse_number<std::uint64_t>(value), log.realtime_ns);
    if (key == "clock_monotonic_raw") {
      assign(parse_number<std::uint64_t>(value), log.monotonic_raw_ns);
    }
    if (key == "cntvct") assign(parse_number<std::uint64_t>(value), log.counter);
    if (key == "cntvct_diff") assign(parse_number<std::int64_t>(value), log.counter_diff);
  }
  return log;
}

std::string make_clock_log(const ClockLog& log) {
  std::string text;
  if (!log.section.empty()) text.append("[").append(log.section).append("]\n");
  append_clock_line(text, "clock_realtime", log.realtime_ns);
  append_clock_line(text, "clock_monotonic_raw", log.monotonic_raw_ns);
  append_clock_line(text, "cntvct", log.counter);
  append_clock_line(text, "cntvct_diff", log.counter_diff);
  return text;
}

std::string make_control_done(std::uint64_t file_bytes) {
  return "filesize:" + std::to_string(file_bytes) + "\n";
}

std::string make_slice_done(std::uint64_t file_bytes) {
  return make_control_done(file_bytes) + "starttime:0\nendtime  :0\n";
}

std::optional<std::uint64_t> parse_done(std::string_view text) {
  std::string_view line;
  while (take_line(text, line)) {
    const auto entry = split_at_colon(line);
    if (entry && trim(entry->key) == "filesize") {
      return parse_number<std::uint64_t>(trim(entry->value));
    }
  }
  return std::nullopt;
}

}  // namespace npuprof::format::host
