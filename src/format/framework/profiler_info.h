#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/framework/extra_key.h"
#include "format/framework/record_clock.h"
#include "format/json_layout.h"

namespace npuprof::format::framework {

// When a profiler is active, in steps.
struct ProfilerSchedule {
  // A schedule that is a function of the user has no attributes: it is the empty object, and the
  // members below do not count.
  bool is_function = false;
  std::int64_t wait = 0;
  std::int64_t active = 0;
  std::int64_t warmup = 0;
  std::int64_t repeat = 0;
  std::int64_t skip_first = 0;
  std::optional<std::int64_t> skip_first_wait;
  std::vector<ExtraKey> extra;

  bool operator==(const ProfilerSchedule&) const = default;
};

// `profiler_info.json` or `profiler_info_{rank}.json`: how a profile was taken, and its clock. Each
// group has its unknown keys in `extra`. Optional members are keys that not every version writes.
struct ProfilerInfo {
  using Schedule = ProfilerSchedule;

  struct CommonConfig {
    std::vector<std::string> activities;  // "ProfilerActivity.CPU", "ProfilerActivity.NPU".
    std::optional<Schedule> schedule;     // Nothing is written as null.
    bool record_shapes = false;
    bool profile_memory = false;
    bool with_stack = false;
    bool with_flops = false;
    bool with_modules = false;
    std::vector<ExtraKey> extra;

    bool operator==(const CommonConfig&) const = default;
  };

  struct ExperimentalConfig {
    std::string profiler_level = "Level0";        // Level0 to Level2, Level_none.
    std::string aic_metrics = "ACL_AICORE_NONE";  // ACL_AICORE_PIPE_UTILIZATION, ...
    bool l2_cache = false;
    bool msprof_tx = false;
    std::optional<bool> mstx;
    bool data_simplification = true;
    bool record_op_args = false;
    std::vector<std::string> export_type{"text"};      // "text", "db".
    bool export_type_is_list = true;                   // Older versions wrote a single text.
    std::optional<std::vector<std::string>> host_sys;  // cpu, mem, disk, network, osrt, numa.
    bool op_attr = false;
    std::optional<double> gc_detect_threshold_ms;  // Nothing is written as null.
    std::optional<std::vector<std::string>> mstx_domain_include;
    std::optional<std::vector<std::string>> mstx_domain_exclude;
    std::optional<bool> sys_io;
    std::optional<bool> sys_interconnection;
    std::vector<ExtraKey> extra;

    bool operator==(const ExperimentalConfig&) const = default;
  };

  struct StartInfo {
    bool syscnt_enable = false;  // Whether record times are counter ticks.
    double freq_mhz = 100;
    std::int64_t start_cnt = 0;           // Counter at start.
    std::int64_t start_monotonic_ns = 0;  // CLOCK_MONOTONIC_RAW, right after start_cnt.
    std::vector<ExtraKey> extra;

    bool operator==(const StartInfo&) const = default;
  };

  struct EndInfo {
    std::int64_t collection_time_end_ns = 0;  // Wall clock.
    std::int64_t monotonic_time_end_ns = 0;   // CLOCK_MONOTONIC, not RAW.
    std::vector<ExtraKey> extra;

    bool operator==(const EndInfo&) const = default;
  };

  // Ours (key npuprof_recorder): what the recorder of this program says about its work. Others do
  // not write it and ignore it.
  struct Recorder {
    static constexpr std::uint32_t kDeepestRange = 512;  // Deeper ones are left out.

    bool complete = false;  // False: it still records, or the process died while it did.
    std::int64_t process = 0;
    std::string clock;  // "counter" or "CLOCK_MONOTONIC_RAW"; record times are nanoseconds anyway.
    std::int64_t events = 0;
    std::int64_t dropped_events = 0;   // Found no room in memory.
    std::int64_t dropped_details = 0;  // Shapes, stacks, ... of events that did.
    std::int64_t too_deep_events = 0;  // Ranges nested deeper than kDeepestRange.
    std::int64_t lost_events = 0;      // Could not be written to disk.
    std::int64_t threads = 0;
    std::string failure;  // Why not; empty if all was written.
    std::vector<ExtraKey> extra;

    bool has_losses() const {
      return dropped_events > 0 || dropped_details > 0 || too_deep_events > 0 || lost_events > 0;
    }

    bool operator==(const Recorder&) const = default;
  };

  CommonConfig common;
  ExperimentalConfig experimental;
  std::vector<ExtraKey> config_extra;  // Beside the two groups above.
  StartInfo start;
  EndInfo end;
  std::optional<std::string> torch_npu_version;
  std::optional<std::string> cann_version;
  std::optional<std::int64_t> rank_id;
  bool rank_id_is_text = false;  // It came from the environment variable RANK.
  bool simulated = false;        // Written only if true: no real device was involved.
  std::optional<Recorder> recorder;
  std::vector<ExtraKey> extra;
  JsonLayout layout;  // Of the file it was read from.

  bool operator==(const ProfilerInfo&) const = default;
};

// Keys may be missing or of an unexpected type (they then keep their default); only text that is
// no JSON object is an error.
Result<ProfilerInfo> parse_profiler_info(std::string_view text);

// JSON as the framework writes it: indented by 4, no line feed at the end. What was read from a
// file is laid out as there.
std::string to_json(const ProfilerInfo& info);

// The recorder's part alone, on one line.
Result<ProfilerInfo::Recorder> parse_recorder(std::string_view text);
std::string to_json(const ProfilerInfo::Recorder& recorder);

// "profiler_info.json", or "profiler_info_{rank}.json".
std::string profiler_info_file_name(std::optional<std::int64_t> rank);
bool is_profiler_info_file_name(std::string_view name);

// The part of the clock's sources that this file has.
ClockSources clock_sources(const ProfilerInfo& info);

}  // namespace npuprof::format::framework
