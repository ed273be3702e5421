#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace npuprof::cann {

// What is asked for, in the words of the profiler's options.
struct CollectionOptions {
  std::string profiler_level = "Level0";        // Level_none, Level0, Level1, Level2.
  std::string aic_metrics = "ACL_AICORE_NONE";  // ACL_AICORE_PIPE_UTILIZATION, ...
  bool l2_cache = false;
  bool mstx = false;
  bool op_attr = false;
  bool record_shapes = false;
  bool profile_memory = false;
  bool sys_io = false;
  bool sys_interconnection = false;
  std::vector<std::string> host_sys;  // cpu, mem, disk, network, osrt, numa.
  // Arguments of operators go to this directory; empty: they are not recorded.
  std::string op_args_directory;
};

// The same in the words of CANN.
struct Switches {
  std::uint64_t bits = 0;  // NPUPROF_PROF_...
  int metrics = 0;
  std::vector<std::pair<int, std::string>> settings;  // NPUPROF_CONFIG_... and the value.
};

// Of these, what the simulated NPU takes without recording anything of it, by the names that
// options of graphs have for it.
std::vector<std::string> not_simulated(const Switches& switches,
                                       std::span<const std::string> host_sys);

// What a feature that is not listed in `features` is needed for is left out.
Switches make_switches(const CollectionOptions& options, std::span<const std::string> features);

}  // namespace npuprof::cann
