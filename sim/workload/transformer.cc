#include "sim/workload/transformer.h"

#include <algorithm>
#include <string>
#include <utility>

namespace npuprof::sim {
namespace {

constexpr std::uint32_t kGradientBytes = 2;
// Host work around the operators, ns.
constexpr std::int64_t kDataLoaderNs = 900'000;
constexpr std::int64_t kSchedulerNs = 20'000;
constexpr std::int64_t kCheckpointNs = 3'000'000;

Error needs(const char* what, std::uint32_t value, const char* divisor, std::uint32_t by) {
  return {ErrorCode::kInvalidArgument, std::string(what) + " " + std::to_string(value) +
                                           " is not divisible by " + divisor + " " +
                                           std::to_string(by)};
}

}  // namespace

Status Transformer::check(const TransformerShape& shape, const ParallelLayout& layout) {
  const ParallelSizes& sizes = layout.sizes();
  if (shape.layers == 0 || shape.hidden == 0 || shape.heads == 0 || shape.sequence == 0 ||
      shape.vocabulary == 0 || shape.micro_batch == 0 || shape.micro_batches == 0) {
    return Error{ErrorCode::kInvalidArgument, "every size of the transformer must be at least 1"};
  }
  if (shape.hidden % shape.heads != 0)
    return needs("--hidden", shape.hidden, "--heads", shape.heads);
  if (shape.heads % sizes.tensor != 0) return needs("--heads", shape.heads, "--tp", sizes.tensor);
  if (shape.layers % sizes.pipeline != 0)
    return needs("--layers", shape.layers, "--pp", sizes.pipeline);
  if (shape.vocabulary % sizes.tensor != 0) {
    return needs("--vocabulary", shape.vocabulary, "--tp", sizes.tensor);
  }
  if (shape.experts == 0 && sizes.expert > 1) {
    return Error{ErrorCode::kInvalidArgument,
                 "--ep needs a mixture of experts: give --experts too"};
  }
  if (shape.experts != 0) {
    if (shape.experts % sizes.expert != 0)
      return needs("--experts", shape.experts, "--ep", sizes.expert);
    if (shape.experts_per_token > shape.experts || shape.experts_per_token == 0) {
      return Error{ErrorCode::kInvalidArgument, "--experts-per-token must be 1 to --experts"};
    }
  }
  return ok_status();
}

Transformer::Transformer(const TransformerShape& shape, const ParallelLayout& layout,
                         std::uint32_t rank, Worker& worker)
    : shape_(shape),
      layout_(layout),
      rank_(rank),
      stage_(layout.stage_of(rank)),
      worker_(worker),
      make_(worker.npu().chip()),
      tokens_(shape.micro_batch * shape.sequence),
      stage_layers_(shape.layers / layout.sizes().pipeline) {}

std::string Transformer::path(std::uint32_t layer, const char* part) const {
  const std::uint32_t number = stage_ * stage_layers_ + layer;
  return "model.layers." + std::to_string(number) + "." + part;
}

const Transformer::Backward* Transformer::differentiate(const PreparedOperator* forward,
                                                        std::vector<Operator> ops) {
  auto backward = std::make_unique<Backward>();
  backward->forward = forward;
  for (Operator& op : ops) backward->ops.push_back(worker_.prepare(std::move(op)));
  differentiated_.push_back(std::move(backward));
  return differentiated_.back().get();
}

// The operators of a stage. A product's backward is two products of the same size: one for the
// gradient of the input, one for that of the weight.
void Transformer::prepare() {
  const std::uint32_t tp = layout_.sizes().tensor;
  const std::uint32_t hidden = shape_.hidden;
  const std::uint32_t heads = shape_.heads / tp;
  const std::uint32_t head_width = hidden / shape_.heads;
  const std::uint32_t ffn = hidden * 8 / 3 / tp / 64 * 64 + 64;
  const auto product = [&](std::uint32_t m, std::uint32_t k, std::uint32_t n) {
    return differentiate(worker_.prepare(make_.linear(m, k, n)),
                         {make_.matmul(m, n, k), make_.matmul(k, m, n)});
  };
  const Shape activations{tokens_, hidden};
  const Shape rotated{shape_.micro_batch, heads, shape_.sequence, head_width};
  norm_ = differentiate(worker_.prepare(make_.rms_norm(tokens_, hidden)),
                        {make_.rms_norm(tokens_, hidden, true)});
  qkv_ = product(tokens_, hidden, 3 * heads * head_width);
  rotary_ = differentiate(worker_.prepare(make_.rotary(rotated)), {make_.rotary(rotated, true)});
  attention_ = differentiate(
      worker_.prepare(
          make_.attention(shape_.micro_batch, heads, shape_.sequence, head_width, true)),
      {make_.attention(shape_.micro_batch, heads, shape_.sequence, head_width, true, true)});
  projection_ = product(tokens_, heads * head_width, hidden);
  add_ = differentiate(worker_.prepare(make_.add(activations)), {make_.add(activations)});
  layer_parameters_ = std::uint64_t{hidden} * (4 * heads * head_width + 2);
  if (shape_.experts == 0) {
    gate_up_ = product(tokens_, hidden, 2 * ffn);
    swiglu_ = differentiate(worker_.prepare(make_.swiglu(tokens_, ffn)),
                            {make_.swiglu(tokens_, ffn, true)});
    down_ = product(tokens_, ffn, hidden);
    layer_parameters_ += std::uint64_t{3} * hidden * ffn;
  } else {
    const std::uint32_t local_experts = shape_.experts / layout_.sizes().expert;
    const std::uint32_t routed = tokens_ * shape_.experts_per_token;
    router_ = product(tokens_, hidden, shape_.experts);
    gating_ = worker_.prepare(make_.gating(tokens_, shape_.experts, shape_.experts_per_token));
    permute_ = differentiate(worker_.prepare(make_.permute_tokens(routed, hidden)),
                             {make_.permute_tokens(routed, hidden, true)});
    const auto grouped = [&](std::uint32_t k, std::uint32_t n) {
      return differentiate(worker_.prepare(make_.grouped_matmul(routed, k, n, local_experts)),
                           {make_.grouped_matmul(routed, n, k, local_experts),
                            make_.grouped_matmul(k, routed, n, local_experts)});
    };
    gate_up_ = grouped(hidden, 2 * ffn);
    swiglu_ = differentiate(worker_.prepare(make_.swiglu(routed, ffn)),
                            {make_.swiglu(routed, ffn, true)});
    down_ = grouped(ffn, hidden);
    layer_parameters_ +=
        std::uint64_t{3} * hidden * ffn * local_experts + std::uint64_t{hidden} * shape_.experts;
  }
  stage_parameters_ = layer_parameters_ * stage_layers_;
  if (is_first_stage()) {
    embedding_ =
        differentiate(worker_.prepare(make_.embedding(shape_.vocabulary / tp, tokens_, hidden)),
                      {make_.embedding(shape_.vocabulary / tp, tokens_, hidden, true)});
    stage_parameters_ += std::uint64_t{shape_.vocabulary} / tp * hidden;
  }
  if (is_last_stage()) {
    head_ = product(tokens_, hidden, shape_.vocabulary / tp);
    loss_ = differentiate(worker_.prepare(make_.cross_entropy(tokens_, shape_.vocabulary / tp)),
                          {make_.cross_entropy(tokens_, shape_.vocabulary / tp, true)});
    stage_parameters_ += std::uint64_t{shape_.vocabulary} / tp * hidden;
  }
  adamw_ = worker_.prepare(make_.adamw(layer_parameters_));
  gradient_norm_ = worker_.prepare(make_.gradient_norm(layer_parameters_));
  zero_ = worker_.prepare(make_.fill(
      {static_cast<std::uint32_t>(std::min<std::uint64_t>(layer_parameters_, 1u << 30))}));
}

// The weight of a product is its second operand.
void Transformer::add_weights(
    const std::string& module,
    std::initializer_list<std::pair<const char*, const Backward*>> weights) {
  for (const auto& [name, op] : weights) {
    worker_.add_parameter(module, name, make_.type(), op->forward->desc.inputs[1].shape);
  }
}

Status Transformer::set_up(World& world) {
  prepare();
  for (std::uint32_t layer = 0; layer < stage_layers_; ++layer) {
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"}) {
      worker_.add_parameter(path(layer, norm), "weight", make_.type(), {shape_.hidden});
    }
    add_weights(path(layer, "self_attn"),
                {{"qkv_proj.weight", qkv_}, {"o_proj.weight", projection_}});
    add_weights(path(layer, "mlp"),
                {{"gate_up_proj.weight", gate_up_}, {"down_proj.weight", down_}});
    // Two moments and a master copy in single precision.
    worker_.allocate(layer_parameters_ * 12);
  }
  NPUPROF_ASSIGN_OR_RETURN(tensor_, worker_.join(world, layout_.tensor_group(rank_), rank_));
  NPUPROF_ASSIGN_OR_RETURN(data_, worker_.join(world, layout_.data_group(rank_), rank_));
  NPUPROF_ASSIGN_OR_RETURN(pipeline_, worker_.join(world, layout_.pipeline_group(rank_), rank_));
  NPUPROF_ASSIGN_OR_RETURN(expert_, worker_.join(world, layout_.expert_group(rank_), rank_));
  return ok_status();
}

void Transformer::apply(Tape& tape, const Backward* op, TapeItem::After after) {
  tape.push_back({worker_.run(op->forward), op, after});
}

// Partial results of the ranks that share a product are summed before the next operator.
Status Transformer::sum_over_tensor_group() {
  if (tensor_.alone()) return ok_status();
  NPUPROF_RETURN_IF_ERROR(
      worker_.collective(tensor_, {.kind = CollectiveKind::kAllReduce,
                                   .type = make_.type(),
                                   .count = std::uint64_t{tokens_} * shape_.hidden}));
  worker_.wait(tensor_);
  return ok_status();
}

Status Transformer::exchange_tokens() {
  if (expert_.alone()) return ok_status();
  const std::uint64_t elements = std::uint64_t{tokens_} * shape_.experts_per_token * shape_.hidden;
  NPUPROF_RETURN_IF_ERROR(worker_.collective(
      expert_,
      {.kind = CollectiveKind::kAlltoAll, .type = make_.type(), .count = elements / expert_.size}));
  worker_.wait(expert_);
  return ok_status();
}

Status Transformer::forward_attention(Tape& tape, std::uint32_t layer) {
  worker_.enter_module("RMSNorm", path(layer, "input_layernorm"));
  apply(tape, norm_, TapeItem::After::kLayerDone);
  worker_.leave_module();
  worker_.enter_module("FlashSelfAttention", path(layer, "self_attn"));
  worker_.mark(
      "{\"input_layout\": \"BNSD\", \"sparse_mode\": 2, \"actual_seq_qlen\": null, "
      "\"actual_seq_kvlen\": null}",
      "flash_attn_args");
  apply(tape, qkv_, TapeItem::After::kTensorReduce);
  apply(tape, rotary_);
  apply(tape, rotary_);
  apply(tape, attention_);
  apply(tape, projection_);
  NPUPROF_RETURN_IF_ERROR(sum_over_tensor_group());
  worker_.leave_module();
  apply(tape, add_);
  return ok_status();
}

Status Transformer::forward_experts(Tape& tape) {
  apply(tape, router_);
  worker_.run_once(gating_);
  apply(tape, permute_, TapeItem::After::kExpertExchange);
  NPUPROF_RETURN_IF_ERROR(exchange_tokens());
  apply(tape, gate_up_);
  apply(tape, swiglu_);
  apply(tape, down_, TapeItem::After::kExpertExchange);
  NPUPROF_RETURN_IF_ERROR(exchange_tokens());
  apply(tape, permute_);
  return ok_status();
}

Status Transformer::forward_mlp(Tape& tape, std::uint32_t layer) {
  worker_.enter_module("RMSNorm", path(layer, "post_attention_layernorm"));
  apply(tape, norm_);
  worker_.leave_module();
  worker_.enter_module(shape_.experts == 0 ? "ParallelMLP" : "MoELayer", path(layer, "mlp"));
  if (shape_.experts != 0) {
    NPUPROF_RETURN_IF_ERROR(forward_experts(tape));
  } else {
    apply(tape, gate_up_, TapeItem::After::kTensorReduce);
    apply(tape, swiglu_);
    apply(tape, down_);
    NPUPROF_RETURN_IF_ERROR(sum_over_tensor_group());
  }
  worker_.leave_module();
  apply(tape, add_);
  return ok_status();
}

Status Transformer::forward_loss(Tape& tape) {
  worker_.enter_module("ColumnParallelLinear", "model.output_layer");
  apply(tape, head_);
  worker_.leave_module();
  worker_.enter_module("VocabParallelCrossEntropy", "model.loss");
  apply(tape, loss_);
  if (!tensor_.alone()) {
    NPUPROF_RETURN_IF_ERROR(worker_.collective(
        tensor_,
        {.kind = CollectiveKind::kAllReduce, .type = ElementType::kFloat32, .count = tokens_}));
    worker_.wait(tensor_);
  }
  worker_.leave_module();
  return ok_status();
}

Status Transformer::forward(Tape& tape) {
  worker_.spend(kSchedulerNs);
  worker_.enter_module("GPTModel", "model");
  if (is_first_stage()) {
    worker_.enter_module("VocabParallelEmbedding", "model.embedding");
    apply(tape, embedding_);
    worker_.leave_module();
  }
  for (std::uint32_t layer = 0; layer < stage_layers_; ++layer) {
    worker_.enter_module("TransformerLayer", path(layer, "layer"));
    NPUPROF_RETURN_IF_ERROR(forward_attention(tape, layer));
    NPUPROF_RETURN_IF_ERROR(forward_mlp(tape, layer));
    worker_.leave_module();
  }
  if (is_last_stage()) NPUPROF_RETURN_IF_ERROR(forward_loss(tape));
  worker_.leave_module();
  return ok_status();
}

Status Transformer::sum_layer_gradients() {
  const std::uint64_t bucket =
      shape_.gradient_bucket_bytes == 0
          ? layer_parameters_
          : std::max<std::uint64_t>(shape_.gradient_bucket_bytes / bytes_per_element(make_.type()),
                                    1);
  for (std::uint64_t done = 0; done < layer_parameters_; done += bucket) {
    NPUPROF_RETURN_IF_ERROR(
        worker_.collective(data_, {.kind = CollectiveKind::kAllReduce,
                                   .type = make_.type(),
                                   .count = std::min(bucket, layer_parameters_ - done)}));
  }
  return ok_status();
}

// Walks the tape back. With `reduce_gradients` those of a layer are summed over the data parallel
// group as soon as they are complete, while the layers below it still compute.
Status Transformer::backward(Tape& tape, bool reduce_gradients) {
  worker_.begin_backward();
  for (auto item = tape.rbegin(); item != tape.rend(); ++item) {
    worker_.run_backward(item->entry, item->backward->ops);
    switch (item->after) {
      case TapeItem::After::kNothing:
        break;
      case TapeItem::After::kTensorReduce:
        NPUPROF_RETURN_IF_ERROR(sum_over_tensor_group());
        break;
      case TapeItem::After::kExpertExchange:
        NPUPROF_RETURN_IF_ERROR(exchange_tokens());
        break;
      case TapeItem::After::kLayerDone:
        if (reduce_gradients && !data_.alone()) NPUPROF_RETURN_IF_ERROR(sum_layer_gradients());
        break;
    }
  }
  tape.clear();
  worker_.end_backward();
  return ok_status();
}

Status Transformer::optimize() {
  worker_.wait(data_);
  worker_.enter_optimizer("DistributedAdamW");
  for (std::uint32_t layer = 0; layer < stage_layers_; ++layer) worker_.run_once(gradient_norm_);
  worker_.copy_to_host(4);
  for (std::uint32_t layer = 0; layer < stage_layers_; ++layer) worker_.run_once(adamw_);
  worker_.leave_optimizer();
  worker_.enter_range("Optimizer.zero_grad#DistributedAdamW.zero_grad");
  for (std::uint32_t layer = 0; layer < stage_layers_; ++layer) worker_.run_once(zero_);
  worker_.leave_range();
  return ok_status();
}

// Activations go to the next stage, gradients to the one before; what is sent and received at the
// same point of the schedule goes out together.
Status Transformer::send_receive(bool send_next, bool send_previous, bool receive_next,
                                 bool receive_previous) {
  if (pipeline_.alone()) return ok_status();
  const std::uint64_t bytes =
      std::uint64_t{tokens_} * shape_.hidden * bytes_per_element(make_.type());
  std::vector<Transfer> transfers;
  const auto add = [&](bool wanted, bool next, bool sends) {
    if (!wanted || (next ? is_last_stage() : is_first_stage())) return;
    transfers.push_back({.peer = next ? stage_ + 1 : stage_ - 1, .sends = sends, .bytes = bytes});
  };
  add(send_next, true, true);
  add(receive_next, true, false);
  add(send_previous, false, true);
  add(receive_previous, false, false);
  if (transfers.empty()) return ok_status();
  NPUPROF_RETURN_IF_ERROR(worker_.exchange(pipeline_, make_.type(), transfers));
  worker_.wait(pipeline_);
  return ok_status();
}

// One forward, one backward: a stage runs ahead by the number of stages behind it, then alternates,
// so that at most that many micro-batches are in memory.
Status Transformer::run_step(std::uint64_t step) {
  worker_.begin_step(step);
  worker_.load_data(kDataLoaderNs);
  if (is_first_stage() || is_last_stage()) {
    worker_.copy_to_device(std::uint64_t{tokens_} * 8 * shape_.micro_batches);
  }
  const std::uint32_t batches = shape_.micro_batches;
  const std::uint32_t ahead = std::min(layout_.sizes().pipeline - stage_ - 1, batches);
  std::vector<Tape> tapes(batches);
  for (std::uint32_t i = 0; i < ahead; ++i) {
    NPUPROF_RETURN_IF_ERROR(send_receive(false, false, false, true));
    NPUPROF_RETURN_IF_ERROR(forward(tapes[i]));
    NPUPROF_RETURN_IF_ERROR(send_receive(true, false, false, false));
  }
  if (ahead < batches) NPUPROF_RETURN_IF_ERROR(send_receive(false, false, false, true));
  for (std::uint32_t i = ahead; i < batches; ++i) {
    const std::uint32_t done = i - ahead;
    NPUPROF_RETURN_IF_ERROR(forward(tapes[i]));
    NPUPROF_RETURN_IF_ERROR(send_receive(true, false, true, false));
    NPUPROF_RETURN_IF_ERROR(backward(tapes[done], done + 1 == batches));
    const bool more = i + 1 < batches;
    NPUPROF_RETURN_IF_ERROR(send_receive(false, true, false, more));
  }
  for (std::uint32_t i = batches - ahead; i < batches; ++i) {
    NPUPROF_RETURN_IF_ERROR(send_receive(false, false, true, false));
    NPUPROF_RETURN_IF_ERROR(backward(tapes[i], i + 1 == batches));
    NPUPROF_RETURN_IF_ERROR(send_receive(false, true, false, false));
  }
  NPUPROF_RETURN_IF_ERROR(optimize());
  return worker_.end_step();
}

void Transformer::save_checkpoint() {
  const std::uint64_t range = worker_.range_start("save_checkpoint", "default", false);
  worker_.copy_to_host(layer_parameters_ * kGradientBytes);
  worker_.spend(kCheckpointNs);
  worker_.range_end(range);
}

}  // namespace npuprof::sim
