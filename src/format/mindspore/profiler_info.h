#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/framework/extra_key.h"
#include "format/framework/profiler_info.h"
#include "format/framework/record_clock.h"
#include "format/json_layout.h"

namespace npuprof::format::mindspore {

// `profiler_info_{rank}.json` of MindSpore: how a profile was taken. Unlike PyTorch's it has no
// clock. Optional members are keys that not every version writes.
struct ProfilerInfo {
  using ExtraKey = framework::ExtraKey;

  struct Parameters {
    bool is_set_schedule = false;  // Kernels have steps.
    std::string output_path;
    std::string profiler_level = "Level0";              // Level0 to Level2, LevelNone, or not told.
    std::vector<std::string> activities{"CPU", "NPU"};  // And GPU.
    std::string aic_metrics = "None";                   // "PipeUtilization", ...
    bool with_stack = false;
    bool profile_memory = false;
    bool data_process = false;
    bool parallel_strategy = false;
    bool start_profile = true;
    bool l2_cache = false;
    bool hbm_ddr = false;
    bool pcie = false;
    std::optional<bool> sys_io;
    std::optional<bool> sys_interconnection;
    std::optional<std::vector<std::string>> host_sys;
    bool sync_enable = true;
    bool data_simplification = true;
    std::optional<bool> record_shapes;
    std::vector<std::string> export_type{"text"};  // "text", "db".
    bool mstx = false;
    std::optional<std::vector<std::string>> mstx_domain_include;
    std::optional<std::vector<std::string>> mstx_domain_exclude;
    std::optional<framework::ProfilerSchedule> schedule;
    std::vector<ExtraKey> extra;

    bool has_activity(std::string_view name) const;
    bool operator==(const Parameters&) const = default;
  };

  // Ours (key npuprof_clock): what the ticks of mindspore.op_range mean where no PROF_* tells it.
  struct TickClock {
    double frequency_mhz = 100;
    std::int64_t ticks = 0;    // At that count ...
    std::int64_t wall_ns = 0;  // ... it was this time.

    bool operator==(const TickClock&) const = default;
  };

  Parameters parameters;
  std::optional<std::int64_t> rank_id;    // A text in the file, as the next one.
  std::optional<std::int64_t> device_id;  // The `device_N` directory tells better.
  std::optional<std::string> ms_version;
  std::optional<std::string> cann_version;  // "not known" where there is none.
  std::optional<std::string> jit_level;     // "", O0, O1, O2.
  bool simulated = false;                   // Written only if true.
  std::optional<TickClock> clock;
  std::optional<framework::ProfilerInfo::Recorder> recorder;
  std::vector<ExtraKey> extra;
  JsonLayout layout;  // Of the file it was read from.

  bool operator==(const ProfilerInfo&) const = default;
};

// Keys may be missing or of an unexpected type; only text that is no JSON object is an error.
Result<ProfilerInfo> parse_profiler_info(std::string_view text);
// Indented by 4, no line feed at the end. What was read from a file is laid out as there.
std::string to_json(const ProfilerInfo& info);

// The clock of mindspore.op_range by what `sources` say of PROF_*, else by our own key.
framework::Clock op_range_clock(const framework::ClockSources& sources, const ProfilerInfo& info);

}  // namespace npuprof::format::mindspore
