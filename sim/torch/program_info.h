#pragma once

// The two JSON files beside FRAMEWORK/ and PROF_*, for a simulated program.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/framework/profiler_info.h"
#include "format/framework/profiler_metadata.h"
#include "record/collection_files.h"
#include "sim/model/sim_clock.h"
#include "sim/prof/collection_settings.h"
#include "sim/torch/framework_options.h"

namespace npuprof::sim {

// One process of a simulated program and what its profiler was asked for.
struct ProgramInfo {
  FrameworkOptions framework;
  CollectionSettings collection;
  std::vector<std::string> export_type = {"text"};
  bool data_simplification = false;
  std::optional<format::framework::ProfilerInfo::Schedule> schedule;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> rank;  // Nothing: a program of one process.
  std::int64_t start_ns = 0;         // When the profiler started and stopped, in virtual time.
  std::int64_t end_ns = 0;
  std::string torch_npu_version = "2.7.1";
  std::string cann_version = "8.3.0";
  // Settings of the variables that are recorded; the others are empty.
  std::vector<format::framework::ProfilerMetadata::Variable> environment;
  // Communication groups this process belongs to.
  std::vector<format::framework::ProfilerMetadata::ParallelGroup> groups;
  // Keys that the program itself added.
  std::vector<format::framework::ExtraKey> user_metadata;
};

// Says in all cases that the profile is simulated.
format::framework::ProfilerInfo make_profiler_info(const ProgramInfo& program,
                                                   const SimClock& clock);
// The trace id follows from seed and rank.
format::framework::ProfilerMetadata make_profiler_metadata(const ProgramInfo& program);

// Writes profiler_info_{rank}.json and profiler_metadata.json.
Status write_program_info(const std::filesystem::path& directory, const ProgramInfo& program,
                          const SimClock& clock);

using record::ascend_pt_name;

}  // namespace npuprof::sim
