#pragma once

// A small simulated job, run, loaded and linked: what an analysis is asked about.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "link/link.h"
#include "load/load_profile.h"
#include "sim/workload/job.h"
#include "temporary_directory.h"
#include "trace/trace.h"

namespace npuprof::testing {

// One rank of a small transformer whose host does not hold the device up.
inline sim::JobOptions small_training_job(std::uint64_t seed) {
  sim::JobOptions job{.workload = sim::Workload::kTransformer,
                      .chip = *sim::find_chip("Ascend910B3"),
                      .seed = seed,
                      .steps = 6};
  job.transformer = {.layers = 2, .hidden = 1024, .heads = 8, .sequence = 1024, .vocabulary = 4096};
  job.collection.mstx = true;
  job.collection.memory = true;
  job.framework.profile_memory = true;
  return job;
}

// Profiles of all ranks are written; that of rank 0 comes back.
inline trace::Trace run_and_load(sim::JobOptions job) {
  const TemporaryDirectory directory;
  job.output = directory / "job";
  const auto summary = sim::run_job(job);
  if (!summary.ok()) throw std::runtime_error(summary.error().message);
  const auto found = load::discover(job.output);
  if (!found.ok()) throw std::runtime_error(found.error().message);
  ThreadPool pool(1);
  trace::Losses losses;
  auto trace = load::load_profile(found->profiles.front(), pool, losses);
  if (!trace.ok()) throw std::runtime_error(trace.error().message);
  link::link_all(*trace, &pool);
  return std::move(*trace);
}

}  // namespace npuprof::testing
