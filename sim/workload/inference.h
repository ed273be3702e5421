#pragma once

// Serving a language model: prompts are processed at once (prefill), then answers grow token by
// token (decode), each phase on a child thread of its own.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "sim/workload/transformer.h"
#include "sim/workload/worker.h"

namespace npuprof::sim {

struct InferenceOptions {
  std::uint32_t requests = 8;  // In a batch.
  std::uint32_t prompt = 512;  // Tokens.
  std::uint32_t decode = 8;    // Tokens per step.
};

class Inference {
 public:
  Inference(const TransformerShape& shape, const InferenceOptions& options,
            const ParallelLayout& layout, std::uint32_t rank, Worker& worker);

  Status set_up(World& world);
  // One step: a prefill and `decode` tokens.
  Status run_step(std::uint64_t step);

 private:
  struct Phase {
    const PreparedOperator* norm;
    const PreparedOperator* qkv;
    const PreparedOperator* rotary;
    const PreparedOperator* attention;
    const PreparedOperator* projection;
    const PreparedOperator* gate_up;
    const PreparedOperator* swiglu;
    const PreparedOperator* down;
    const PreparedOperator* add;
    const PreparedOperator* head;
    std::uint32_t tokens;
  };

  Phase prepare(std::uint32_t tokens, bool decode);
  Status run_layers(const Phase& phase, const char* name);
  Status sum_over_tensor_group(std::uint32_t tokens);

  TransformerShape shape_;
  InferenceOptions options_;
  ParallelLayout layout_;
  std::uint32_t rank_;
  Worker& worker_;
  OperatorCatalogue make_;
  GroupHandle tensor_;
  Phase prefill_;
  Phase decode_;
};

}  // namespace npuprof::sim
