#pragma once

// The classic small model: Linear, three clamps with a random bound, Linear, RMSNorm, mean squared
// error, SGD. Small enough to look at every event.

#include <memory>
#include <vector>

#include "base/result.h"
#include "sim/workload/worker.h"

namespace npuprof::sim {

class ToyModel {
 public:
  explicit ToyModel(Worker& worker);

  Status set_up(World& world, const ParallelLayout& layout, std::uint32_t rank);
  Status run_step(std::uint64_t step);

 private:
  struct Differentiable {
    const PreparedOperator* forward;
    std::vector<const PreparedOperator*> backward;
  };
  struct TapeItem {
    TapeEntry entry;
    const Differentiable* op;
  };

  Differentiable prepare(Operator forward, std::vector<Operator> backward);
  void apply(std::vector<TapeItem>& tape, const Differentiable& op, const char* module,
             const char* path);

  static constexpr std::uint32_t kBatch = 64;
  static constexpr std::uint32_t kWidth = 512;
  static constexpr std::uint64_t kParameters = 2ull * kWidth * kWidth + 3 * kWidth;

  Worker& worker_;
  GroupHandle group_;
  Differentiable linear_;
  Differentiable clamp_;
  Differentiable norm_;
  Differentiable loss_;
  const PreparedOperator* random_bound_;
  const PreparedOperator* sgd_;
};

}  // namespace npuprof::sim
