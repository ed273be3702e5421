#pragma once

// A data pipeline of three stages: a generator, a map and a batch. The map is the slow one: the
// queues before it are full, and the one after the batch is mostly empty.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace npuprof::sim {

struct StepTicks {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t thread = 0;
};

// What a stage did for the batch of a step.
struct PipelineRecord {
  std::uint64_t thread = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string event;
  std::string name;
  std::string custom_info;
};

std::vector<PipelineRecord> pipeline_records(const std::vector<StepTicks>& steps);

// Writes pipeline_profiling, minddata_cpu_utilization and dataset_iterator_profiling of the rank.
Status write_pipeline(const std::filesystem::path& directory, std::uint32_t rank,
                      const std::vector<StepTicks>& steps);

}  // namespace npuprof::sim
