#include "sim/workload/inference.h"

#include <string>

namespace npuprof::sim {
namespace {

// Threads of the process beside the main one.
constexpr std::uint32_t kPrefillThread = 1;
constexpr std::uint32_t kDecodeThread = 2;
constexpr std::int64_t kScheduleNs = 120'000;
constexpr std::int64_t kSampleNs = 60'000;

}  // namespace

Inference::Inference(const TransformerShape& shape, const InferenceOptions& options,
                     const ParallelLayout& layout, std::uint32_t rank, Worker& worker)
    : shape_(shape),
      options_(options),
      layout_(layout),
      rank_(rank),
      worker_(worker),
      make_(worker.npu().chip()),
      prefill_(prepare(options.requests * options.prompt, false)),
      decode_(prepare(options.requests, true)) {}

Inference::Phase Inference::prepare(std::uint32_t tokens, bool decode) {
  const std::uint32_t tp = layout_.sizes().tensor;
  const std::uint32_t hidden = shape_.hidden;
  const std::uint32_t heads = shape_.heads / tp;
  const std::uint32_t head_width = hidden / shape_.heads;
  const std::uint32_t ffn = hidden * 8 / 3 / tp / 64 * 64 + 64;
  const auto attention =
      decode ? make_.cached_attention(options_.requests, heads, options_.prompt + options_.decode,
                                      head_width)
             : make_.attention(options_.requests, heads, options_.prompt, head_width, true);
  return {.norm = worker_.prepare(make_.rms_norm(tokens, hidden)),
          .qkv = worker_.prepare(make_.linear(tokens, hidden, 3 * heads * head_width)),
          .rotary = worker_.prepare(make_.rotary({tokens, heads, head_width})),
          .attention = worker_.prepare(attention),
          .projection = worker_.prepare(make_.linear(tokens, heads * head_width, hidden)),
          .gate_up = worker_.prepare(make_.linear(tokens, hidden, 2 * ffn)),
          .swiglu = worker_.prepare(make_.swiglu(tokens, ffn)),
          .down = worker_.prepare(make_.linear(tokens, ffn, hidden)),
          .add = worker_.prepare(make_.add({tokens, hidden})),
          .head = worker_.prepare(make_.linear(options_.requests, hidden, shape_.vocabulary / tp)),
          .tokens = tokens};
}

Status Inference::set_up(World& world) {
  const std::uint64_t tokens =
      std::uint64_t{options_.requests} * (options_.prompt + options_.decode);
  for (std::uint32_t layer = 0; layer < shape_.layers; ++layer) {
    worker_.allocate(tokens * shape_.hidden / layout_.sizes().tensor * 2 *
                     bytes_per_element(make_.type()));
  }
  NPUPROF_ASSIGN_OR_RETURN(tensor_, worker_.join(world, layout_.tensor_group(rank_), rank_));
  return ok_status();
}

Status Inference::sum_over_tensor_group(std::uint32_t tokens) {
  if (tensor_.alone()) return ok_status();
  NPUPROF_RETURN_IF_ERROR(
      worker_.collective(tensor_, {.kind = CollectiveKind::kAllReduce,
                                   .type = make_.type(),
                                   .count = std::uint64_t{tokens} * shape_.hidden}));
  worker_.wait(tensor_);
  return ok_status();
}

Status Inference::run_layers(const Phase& phase, const char* name) {
  worker_.enter_range(name);
  worker_.enter_module("LlamaForCausalLM", "model");
  for (std::uint32_t layer = 0; layer < shape_.layers; ++layer) {
    const std::string path = "model.layers." + std::to_string(layer);
    worker_.enter_module("LlamaDecoderLayer", path);
    worker_.run_once(phase.norm);
    worker_.enter_module("LlamaAttention", path + ".self_attn");
    worker_.run_once(phase.qkv);
    worker_.run_once(phase.rotary);
    worker_.run_once(phase.attention);
    worker_.run_once(phase.projection);
    NPUPROF_RETURN_IF_ERROR(sum_over_tensor_group(phase.tokens));
    worker_.leave_module();
    worker_.run_once(phase.add);
    worker_.run_once(phase.norm);
    worker_.enter_module("LlamaMLP", path + ".mlp");
    worker_.run_once(phase.gate_up);
    worker_.run_once(phase.swiglu);
    worker_.run_once(phase.down);
    NPUPROF_RETURN_IF_ERROR(sum_over_tensor_group(phase.tokens));
    worker_.leave_module();
    worker_.run_once(phase.add);
    worker_.leave_module();
  }
  worker_.run_once(phase.head);
  worker_.leave_module();
  worker_.spend(kSampleNs);
  worker_.copy_to_host(std::uint64_t{options_.requests} * 8);
  worker_.leave_range();
  return ok_status();
}

Status Inference::run_step(std::uint64_t step) {
  worker_.begin_step(step);
  worker_.spend(kScheduleNs);
  worker_.switch_thread(kPrefillThread);
  worker_.copy_to_device(std::uint64_t{options_.requests} * options_.prompt * 8);
  NPUPROF_RETURN_IF_ERROR(run_layers(prefill_, "prefill"));
  worker_.switch_thread(kDecodeThread);
  for (std::uint32_t token = 0; token < options_.decode; ++token) {
    worker_.spend(kScheduleNs / 4);
    NPUPROF_RETURN_IF_ERROR(run_layers(decode_, "decode"));
  }
  worker_.switch_thread(0);
  return worker_.end_step();
}

}  // namespace npuprof::sim
