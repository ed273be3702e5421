#pragma once

// The profile that whole commands are measured with.

#include <algorithm>
#include <cstdint>

#include "sim/workload/job.h"

namespace npuprof::bench {

// A small model of many layers on one device: much to log, little to compute, about 7,300 kernels a
// step.
inline sim::JobOptions transformer_job() {
  sim::JobOptions job;
  job.workload = sim::Workload::kTransformer;
  job.skipped_steps = 0;
  job.collection.memory = true;
  job.framework.profile_memory = true;
  job.transformer = {
      .layers = 32, .hidden = 1024, .heads = 16, .sequence = 512, .micro_batches = 8};
  return job;
}

// The number of steps that comes nearest to `kernels`, at least one.
inline std::uint32_t steps_for(std::uint64_t kernels, std::uint64_t kernels_per_step) {
  const std::uint64_t steps = (kernels + kernels_per_step / 2) / kernels_per_step;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(steps, 1));
}

}  // namespace npuprof::bench
