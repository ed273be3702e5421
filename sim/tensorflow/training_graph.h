#pragma once

// A small network as a TensorFlow program builds it: dense layers, a loss, gradients, an optimizer.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/tensorflow/graph_compiler.h"

namespace npuprof::sim::tensorflow {

// What is built, and facts that decide which marks the graph engine puts into it.
struct TrainingOptions {
  std::uint32_t layers = 3;
  std::uint32_t width = 1024;
  std::uint32_t batch = 64;
  bool inference = false;              // Forward pass only.
  bool sums_gradients = false;         // With an all-reduce for each layer.
  bool reduces_on_own_stream = false;  // Then the end of the backward pass is not found.
  bool gets_next_last = false;         // The next batch is taken after the gradients were summed.
};

struct TrainingGraph {
  std::vector<GraphOp> ops;
  std::vector<std::size_t> outputs;
};

TrainingGraph make_training_graph(const TrainingOptions& options);

}  // namespace npuprof::sim::tensorflow
