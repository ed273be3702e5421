#pragma once

// The control files of a profile: what was collected, where, and how the clocks stand to each
// other. They lie in `host/` (plain names) and `device_<N>/` (names end in `.<N>`, but for
// sample.json). JSON files are one line, without blanks unless they were read from a file with
// another layout. Readers accept missing keys (the member keeps its
// default), numbers given as text and text given as numbers, and keep keys they do not know.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json_layout.h"

namespace npuprof::format::host {

// A JSON member that is not part of a struct below.
struct OtherKey {
  std::string key;
  std::string json;
};

struct NetworkCard {
  std::string name;
  std::int64_t speed_mbit_s = -1;  // Negative: unknown.
};

struct HostCpu {
  std::int64_t id = 0;
  std::string name;
  // Of the counter that stamps host records. Nothing, or 1000: stamps are nanoseconds already.
  std::optional<double> frequency_mhz;
  std::string logical_cpu_count;
  std::string type;
};

struct ControlDevice {
  std::int64_t id = 0;
  std::int64_t env_type = 0;
  std::string ctrl_cpu_id;
  std::int64_t ctrl_cpu_core_num = 0;
  std::int64_t ctrl_cpu_endian_little = 0;
  std::int64_t ts_cpu_core_num = 0;
  std::int64_t ai_cpu_core_num = 0;
  std::int64_t ai_core_num = 0;
  std::int64_t ai_cpu_core_id = 0;
  std::int64_t ai_core_id = 0;
  std::int64_t aicpu_occupy_bitmap = 0;
  std::string ctrl_cpu;  // Comma-separated numbers.
  std::string ai_cpu;
  std::int64_t aiv_num = 0;
  std::optional<double> hwts_frequency_mhz;  // Of the device counter.
  std::optional<double> aic_frequency_mhz;
  std::optional<double> aiv_frequency_mhz;
};

// info.json
struct InfoJson {
  std::string job_info;
  std::string version = "1.0";  // Of the collection format.
  std::string os;
  std::string hostname;
  std::string hardware_type;
  std::optional<std::string> host_uid;
  std::int64_t memory_total_kb = 0;
  std::int64_t cpu_count = 0;
  std::int64_t jiffies_per_second = 0;
  std::int64_t cpu_cores = 0;
  std::int64_t network_card_count = 0;
  std::vector<NetworkCard> network_cards;
  std::string up_time;
  std::vector<HostCpu> cpus;
  std::vector<ControlDevice> device_info;  // Empty in host/, one element in device_<N>/.
  std::string devices;                     // Empty in host/, "<N>" in device_<N>/.
  std::string platform;
  std::optional<std::int64_t> platform_version;  // The chip, see names of chips in the device part.
  std::optional<std::int64_t> pid;               // Written as "NA" if not known.
  std::string pid_name;
  std::int64_t driver_version = 0;
  std::string cann_version;
  std::int64_t rank_id = -1;
  std::optional<bool>
      simulated;  // Ours: true if no real device was there. Other readers ignore it.
  std::vector<OtherKey> other;
  JsonLayout layout;
};

// sample.json: the parameters of the collection. Only those that readers use have a member; the
// others travel in `other`.
struct SampleJson {
  std::string devices;  // "64" in host/, "<N>" in device_<N>/.
  std::optional<std::string> prof_level;
  std::optional<std::string> prof_level_camel;  // Key profLevel; wins over prof_level.
  std::string ai_core_profiling;
  std::string ai_core_profiling_mode;  // "task-based", "sample-based" or empty
  std::string ai_core_metrics;
  std::string ai_core_profiling_events;  // Comma-separated hexadecimal numbers.
  std::int64_t aicore_sampling_interval = 0;
  std::string aiv_profiling;
  std::string aiv_profiling_mode;
  std::string aiv_metrics;
  std::string aiv_profiling_events;
  std::int64_t aiv_sampling_interval = 0;
  std::string llc_profiling;
  std::int64_t msprof_bin_pid = -1;
  std::optional<std::int64_t> host_disk_freq;  // Hz
  std::optional<std::string> dynamic;          // "on"
  std::optional<std::string> task_block;       // "on"
  std::optional<std::string> hbm_profiling_events;
  std::optional<std::int64_t> ddr_master_id;
  std::optional<std::string> l2_cache_events;
  std::optional<std::string> npu_events;
  std::optional<std::string> qos_events;
  std::optional<std::int64_t> instr_profiling_freq;
  std::optional<std::string> ts_cpu_profiling_events;
  std::optional<std::string> ctrl_cpu_profiling_events;
  std::vector<OtherKey> other;
  JsonLayout layout;

  // 0 for level 0, 1 for "l1" and so on; nothing if no level is given.
  std::optional<int> level() const;
  // False only if it says so.
  bool records_tasks() const;
};

// start_info and end_info: the same five keys, unused ones empty.
struct CollectionTime {
  std::string date_begin;  // Local time YYYY-MM-DD hh:mm:ss.uuuuuu
  std::string date_end;
  std::optional<std::int64_t> begin_us;  // Since 1970.
  std::optional<std::int64_t> end_us;
  std::optional<std::int64_t> monotonic_raw_ns;  // CLOCK_MONOTONIC_RAW when the file was made.
  std::vector<OtherKey> other;
  JsonLayout layout;
};

Result<InfoJson> parse_info_json(std::string_view text);
Result<SampleJson> parse_sample_json(std::string_view text);
Result<CollectionTime> parse_collection_time(std::string_view text);
std::string make_info_json(const InfoJson& info);
std::string make_sample_json(const SampleJson& sample);
std::string make_collection_time(const CollectionTime& time);

// host_start.log[.N] and dev_start.log.N: simultaneous readings of the clocks. One "key: value" per
// line, after a section line "[Host]" or "[Device<N>]" that dev_start.log lacks.
struct ClockLog {
  std::string section;                       // "Host", "Device<N>", or empty for none.
  std::optional<std::uint64_t> realtime_ns;  // Only old releases.
  std::optional<std::uint64_t> monotonic_raw_ns;
  std::optional<std::uint64_t> counter;
  std::optional<std::int64_t> counter_diff;  // Host ticks; not in dev_start.log.
};
ClockLog parse_clock_log(std::string_view text);
std::string make_clock_log(const ClockLog& log);

// `<file>.done` says that a file is complete.
std::string make_slice_done(std::uint64_t file_bytes);
std::string make_control_done(std::uint64_t file_bytes);
std::optional<std::uint64_t> parse_done(std::string_view text);

}  // namespace npuprof::format::host
