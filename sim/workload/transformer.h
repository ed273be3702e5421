#pragma once

// A decoder-only transformer in training: forward and backward passes of micro-batches through the
// layers of this pipeline stage, gradients summed over the data parallel group while backward still
// runs, then the optimizer.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sim/workload/worker.h"

namespace npuprof::sim {

struct TransformerShape {
  std::uint32_t layers = 4;
  std::uint32_t hidden = 4096;
  std::uint32_t heads = 32;
  std::uint32_t sequence = 2048;
  std::uint32_t vocabulary = 32000;
  std::uint32_t micro_batch = 1;
  std::uint32_t micro_batches = 1;  // Per step.
  std::uint32_t experts = 0;        // 0 = dense.
  std::uint32_t experts_per_token = 2;
  // Gradients are summed in pieces of at most so many bytes; 0 = those of a layer at once.
  std::uint64_t gradient_bucket_bytes = 0;
};

class Transformer {
 public:
  // `rank` must be a member of the layout; sizes must be divisible by the tensor parallel size.
  static Status check(const TransformerShape& shape, const ParallelLayout& layout);

  Transformer(const TransformerShape& shape, const ParallelLayout& layout, std::uint32_t rank,
              Worker& worker);

  // Parameters, optimizer state and communicators.
  Status set_up(World& world);
  Status run_step(std::uint64_t step);
  // Saves the model: a marked range and copies to the host.
  void save_checkpoint();

 private:
  // Operators that the backward node of a forward operator calls.
  struct Backward {
    const PreparedOperator* forward;
    std::vector<const PreparedOperator*> ops;
  };
  struct TapeItem {
    TapeEntry entry;
    const Backward* backward;
    // Communication of the backward pass that follows it, if any.
    enum class After : std::uint8_t { kNothing, kTensorReduce, kExpertExchange, kLayerDone } after;
  };
  using Tape = std::vector<TapeItem>;

  bool is_first_stage() const { return stage_ == 0; }
  bool is_last_stage() const { return stage_ + 1 == layout_.sizes().pipeline; }
  void prepare();
  void add_weights(const std::string& module,
                   std::initializer_list<std::pair<const char*, const Backward*>> weights);
  const Backward* differentiate(const PreparedOperator* forward, std::vector<Operator> ops);

  Status forward(Tape& tape);
  Status forward_attention(Tape& tape, std::uint32_t layer);
  Status forward_mlp(Tape& tape, std::uint32_t layer);
  Status forward_experts(Tape& tape);
  Status forward_loss(Tape& tape);
  Status backward(Tape& tape, bool reduce_gradients);
  Status optimize();
  Status sum_over_tensor_group();
  Status sum_layer_gradients();
  Status exchange_tokens();

  void apply(Tape& tape, const Backward* op, TapeItem::After after = TapeItem::After::kNothing);
  Status send_receive(bool send_next, bool send_previous, bool receive_next, bool receive_previous);
  std::string path(std::uint32_t layer, const char* part) const;

  TransformerShape shape_;
  ParallelLayout layout_;
  std::uint32_t rank_;
  std::uint32_t stage_;
  Worker& worker_;
  OperatorCatalogue make_;
  std::uint32_t tokens_;
  std::uint32_t stage_layers_;
  std::uint64_t layer_parameters_ = 0;
  std::uint64_t stage_parameters_ = 0;

  GroupHandle tensor_, data_, pipeline_, expert_;
  std::vector<std::unique_ptr<Backward>> differentiated_;
  const Backward* norm_ = nullptr;
  const Backward* qkv_ = nullptr;
  const Backward* rotary_ = nullptr;
  const Backward* attention_ = nullptr;
  const Backward* projection_ = nullptr;
  const Backward* add_ = nullptr;
  const Backward* gate_up_ = nullptr;
  const Backward* swiglu_ = nullptr;
  const Backward* down_ = nullptr;
  const Backward* router_ = nullptr;
  const Backward* permute_ = nullptr;
  const Backward* embedding_ = nullptr;
  const Backward* head_ = nullptr;
  const Backward* loss_ = nullptr;
  const PreparedOperator* gating_ = nullptr;
  const PreparedOperator* adamw_ = nullptr;
  const PreparedOperator* gradient_norm_ = nullptr;
  const PreparedOperator* zero_ = nullptr;
};

}  // namespace npuprof::sim
