#include "sim/prof/control_files.h"

#include <utility>

#include "base/json_writer.h"

namespace npuprof::sim {

using format::host::InfoJson;
using format::host::SampleJson;

namespace {

InfoJson common_info(const ProfOptions& options) {
  InfoJson info;
  info.job_info = "npusim";
  record::put_into(options.host, info);
  info.platform_version = options.chip->platform_version;
  info.pid = options.pid;
  info.pid_name = options.process_name;
  info.driver_version = options.driver_version;
  info.cann_version = options.cann_version;
  info.rank_id = options.rank_id;
  info.simulated = true;

  if (options.clock.host_mhz > 0) info.cpus[0].frequency_mhz = options.clock.host_mhz;
  return info;
}

// AI CPUs follow the control CPU and the task scheduler's.
constexpr std::int64_t kFirstAiCpu = 2;

format::host::ControlDevice device_info(const ChipSpec& chip, std::uint32_t device,
                                        std::uint32_t counter_mhz) {
  format::host::ControlDevice info;
  info.id = device;
  info.env_type = 3;
  info.ctrl_cpu_id = "ARMv8_Cortex_A55";
  info.ctrl_cpu_core_num = 1;
  info.ctrl_cpu_endian_little = 1;
  info.ctrl_cpu = "0";
  info.ai_cpu_core_num = chip.aicpu_core_count;
  info.ai_cpu_core_id = kFirstAiCpu;
  for (std::int64_t i = 0; i < info.ai_cpu_core_num; ++i) {
    info.aicpu_occupy_bitmap |= std::int64_t{1} << (kFirstAiCpu + i);
    info.ai_cpu.append(i == 0 ? "" : ",").append(std::to_string(kFirstAiCpu + i));
  }
  info.ai_core_num = chip.ai_core_count;
  info.aiv_num = chip.vector_core_count;
  info.hwts_frequency_mhz = counter_mhz;
  info.aic_frequency_mhz = chip.aic_mhz;
  info.aiv_frequency_mhz = chip.aic_mhz;
  return info;
}

const char* on_off(bool on) { return on ? "on" : "off"; }

std::string level_text(CollectionLevel level) {
  switch (level) {
    case CollectionLevel::kNone:
      return "off";
    case CollectionLevel::kLevel0:
      return "l0";
    case CollectionLevel::kLevel1:
      return "l1";
    case CollectionLevel::kLevel2:
      return "l2";
  }
  return "off";
}

constexpr const char* kLlcReadEvents = "0x00,0x01,0x02,0x13,0x20,0x22,0x34,0x36";

// The parameters that no reader asks for, but that tell a person what was collected.
class OtherKeys {
 public:
  void add(const char* key, std::string_view text) {
    std::string json = "\"";
    append_json_escaped(json, text);
    keys_.push_back({key, json + "\""});
  }
  void add(const char* key, const char* text) { add(key, std::string_view(text)); }
  void add(const char* key, bool on) { add(key, std::string_view(on_off(on))); }
  void add(const char* key, std::int64_t number) { keys_.push_back({key, std::to_string(number)}); }

  std::vector<format::host::OtherKey> take() { return std::move(keys_); }

 private:
  std::vector<format::host::OtherKey> keys_;
};

std::int64_t interval_ms(std::uint32_t hz) { return hz == 0 ? 0 : 1000 / hz; }

std::vector<format::host::OtherKey> other_parameters(const ProfOptions& options) {
  const CollectionSettings& collection = options.collection;
  const bool any_level = collection.level != CollectionLevel::kNone;
  OtherKeys keys;
  keys.add("acl", any_level);
  keys.add("aicpuTrace", collection.aicpu());
  keys.add("app", options.process_name);
  keys.add("cpu_profiling", false);
  keys.add("dvpp_profiling", false);
  keys.add("hardware_mem", collection.memory);
  keys.add("hbmProfiling", collection.memory);
  keys.add("hbmInterval", interval_ms(collection.memory_hz));
  keys.add("hcclTrace", collection.operator_details());
  keys.add("hccsProfiling", collection.sys_interconnection);
  keys.add("hccsInterval", interval_ms(collection.sys_interconnection_hz));
  keys.add("host_sys", collection.host_sys.text());
  keys.add("host_sys_pid", collection.host_sys.any() ? options.pid : -1);
  keys.add("hwts_log", any_level);
  keys.add("hwts_log1", any_level);
  keys.add("jobInfo", "npusim");
  keys.add("job_id", "0");
  keys.add("l2CacheTaskProfiling", collection.l2_cache);
  keys.add("llc_interval", interval_ms(collection.memory_hz));
  keys.add("llc_profiling_events", collection.memory ? kLlcReadEvents : "");
  keys.add("modelExecution", any_level);
  keys.add("msprof", false);
  keys.add("msproftx", collection.mstx);
  keys.add("nicProfiling", collection.sys_io);
  keys.add("nicInterval", interval_ms(collection.sys_io_hz));
  keys.add("op_attr", collection.op_attr);
  keys.add("pcieProfiling", collection.sys_interconnection);
  keys.add("pcieInterval", interval_ms(collection.sys_interconnection_hz));
  keys.add("profiling_mode", "def_mode");
  keys.add("result_dir", "");
  keys.add("roceProfiling", collection.sys_io);
  keys.add("roceInterval", interval_ms(collection.sys_io_hz));
  keys.add("runtimeApi", collection.runtime_api());
  keys.add("runtimeTrace", any_level);
  keys.add("storageLimit", "");
  keys.add("stream_enabled", "on");
  keys.add("taskTime", level_text(collection.level));
  keys.add("ts_keypoint", any_level);
  keys.add("ts_memcpy", any_level);
  return keys.take();
}

}  // namespace

InfoJson host_info_json(const ProfOptions& options) { return common_info(options); }

InfoJson device_info_json(const ProfOptions& options, std::uint32_t device,
                          const ClockAnchors& clock) {
  InfoJson info = common_info(options);
  info.devices = std::to_string(device);
  info.device_info = {device_info(*options.chip, device, clock.device_mhz)};
  return info;
}

SampleJson sample_json(const ProfOptions& options, std::string devices) {
  const CollectionSettings& collection = options.collection;
  const ChipSpec& chip = *options.chip;
  const MetricSelection& metrics = collection.aic_metrics;
  SampleJson sample;
  sample.devices = std::move(devices);
  sample.prof_level = level_text(collection.level);
  sample.prof_level_camel = sample.prof_level;

  sample.ai_core_metrics = metric_group_text(chip, metrics, CoreSide::kCube);
  sample.ai_core_profiling_events = metric_events_text(chip, metrics, CoreSide::kCube);
  sample.aiv_metrics = metric_group_text(chip, metrics, CoreSide::kVector);
  sample.aiv_profiling_events = metric_events_text(chip, metrics, CoreSide::kVector);
  const bool counts = !sample.ai_core_profiling_events.empty();
  sample.ai_core_profiling = on_off(counts);
  sample.aiv_profiling = on_off(counts);
  sample.ai_core_profiling_mode = counts ? "task-based" : "";
  sample.aiv_profiling_mode = sample.ai_core_profiling_mode;
  sample.aicore_sampling_interval = 10;
  sample.aiv_sampling_interval = 10;

  if (collection.memory) {
    sample.llc_profiling = "read";
    sample.hbm_profiling_events = "read,write";
  }
  if (collection.l2_cache) {
    sample.l2_cache_events = l2_cache_events_text(chip);
    sample.npu_events = smmu_events_text();
  }
  if (collection.task_block) sample.task_block = "on";
  if (collection.host_sys.disk) sample.host_disk_freq = collection.host_sys_hz;
  sample.other = other_parameters(options);
  return sample;
}

}  // namespace npuprof::sim
