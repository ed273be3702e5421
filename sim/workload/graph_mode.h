#pragma once

// A model compiled to graphs and run through TorchAir: the front end guards the call and looks the
// compiled graph up, the Python and C++ parts of TorchAir prepare inputs, GE executes the graph.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "sim/workload/worker.h"

namespace npuprof::sim {

struct GraphModeOptions {
  std::uint32_t graphs = 2;  // Compiled graphs per step.
  std::uint32_t kernels_per_graph = 60;
  std::uint32_t recompile_every =
      0;  // Every n-th step misses the cache and compiles again; 0 = never.
};

class TorchAirModel {
 public:
  TorchAirModel(const GraphModeOptions& options, Worker& worker);

  Status set_up();
  Status run_step(std::uint64_t step);

 private:
  Status compile(std::uint32_t index);
  Status call(std::uint32_t index);

  GraphModeOptions options_;
  Worker& worker_;
  std::vector<const PreparedOperator*> operators_;
  std::vector<GraphId> graphs_;
  std::uint32_t compiled_ = 0;
};

}  // namespace npuprof::sim
