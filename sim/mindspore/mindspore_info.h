#pragma once

// The JSON files beside FRAMEWORK/ and PROF_*, for a simulated program of MindSpore, and what a
// manifest says of its records.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/result.h"
#include "sim/mindspore/framework_translation.h"
#include "sim/torch/program_info.h"

namespace npuprof::sim {

// Writes profiler_info_{rank}.json, and profiler_metadata.json if there are groups to tell of.
Status write_mindspore_info(const std::filesystem::path& directory, const ProgramInfo& program,
                            bool data_process);

// "{worker}_{pid}_{time}_ascend_ms"
std::string ascend_ms_name(std::string_view worker, std::uint64_t process_id, std::int64_t wall_us);

void write_mindspore_counts(const MindSporeCounts& counts, JsonWriter& json);

}  // namespace npuprof::sim
