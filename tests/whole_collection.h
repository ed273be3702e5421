#pragma once

#include "sim/model/chip.h"
#include "sim/workload/job.h"

namespace npuprof::testing {

// A job of one step of which all is collected that does not depend on this machine.
inline sim::JobOptions with_all_collected(sim::JobOptions job) {
  job.chip = *sim::find_chip("Ascend910B3");
  job.skipped_steps = 0;
  job.steps = 1;
  job.framework.profile_memory = true;
  job.framework.with_stack = true;
  job.framework.gc_detect_threshold_ms = 0.1;
  job.faults.garbage = true;
  job.collection.level = sim::CollectionLevel::kLevel2;
  job.collection.memory = true;
  job.collection.mstx = true;
  job.collection.l2_cache = true;
  job.collection.sys_io = true;
  job.collection.sys_interconnection = true;
  job.collection.op_attr = true;
  return job;
}

}  // namespace npuprof::testing
