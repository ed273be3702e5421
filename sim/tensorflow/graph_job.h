#pragma once

// A simulated TensorFlow job: each rank runs one graph on its device and leaves a PROF_* directory,
// as options of the graph engine make it; a manifest says what is in them.

#include "base/result.h"
#include "sim/npu/graph_points.h"
#include "sim/tensorflow/training_graph.h"
#include "sim/workload/job.h"

namespace npuprof::sim::tensorflow {

struct GraphJobOptions {
  TrainingOptions graph;
  PointNames points;
  std::uint32_t loops = 1;          // Iterations of one execution.
  bool built_before_start = false;  // Before the collection: then it has no marks.
};

// Of `job` only what every program has counts: output, chip, ranks, seed, steps, collection.
Result<JobSummary> run_graph_job(const JobOptions& job, const GraphJobOptions& options);

}  // namespace npuprof::sim::tensorflow
