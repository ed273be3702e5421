#include "sim/workload/operator.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace npuprof::sim {
namespace {

// Elements that one vector core should have at least before another one is worth its start.
constexpr std::uint64_t kElementsPerBlock = 4096;
// The part of a kernel's output that a tile of the cube covers.
constexpr std::uint64_t kTileElements = 128 * 256;

std::string kernel_name(const std::string& call, const std::string& kernel,
                        const std::string& type) {
  return call + "_" + kernel + "_" + type;
}

}  // namespace

std::uint64_t element_count(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint32_t dimension : shape) count *= dimension;
  return count;
}

std::uint64_t byte_count(const TensorDesc& tensor) {
  return element_count(tensor.shape) * bytes_per_element(tensor.type);
}

TensorDesc OperatorCatalogue::input(Shape shape) const {
  return {.is_output = false, .type = type_, .shape = std::move(shape)};
}

TensorDesc OperatorCatalogue::output(Shape shape) const {
  return {.is_output = true, .type = type_, .shape = std::move(shape)};
}

std::uint64_t OperatorCatalogue::bytes(const Shape& shape) const {
  return element_count(shape) * bytes_per_element(type_);
}

std::uint32_t OperatorCatalogue::vector_blocks(std::uint64_t elements) const {
  const std::uint64_t wanted = (elements + kElementsPerBlock - 1) / kElementsPerBlock;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, chip_->vector_core_count));
}

KernelDesc OperatorCatalogue::vector_kernel(const std::string& call, const std::string& kernel,
                                            const std::string& type, std::uint64_t elements,
                                            double operations, double bytes_read,
                                            double bytes_written) const {
  return {.name = kernel_name(call, kernel, type),
          .type = type,
          .kind = KernelCore::kAiv,
          .block_count = vector_blocks(elements),
          .type_of_math = type_,
          .vector_operations = operations,
          .bytes_read = bytes_read,
          .bytes_written = bytes_written,
          .efficiency = 0.7};
}

Operator OperatorCatalogue::elementwise(const Elementwise& what, const Shape& shape) const {
  const std::uint64_t elements = element_count(shape);
  const auto moved = static_cast<double>(bytes(shape));
  Operator op{.names = {what.name}, .call = what.call, .backward = what.backward};
  KernelDesc kernel = vector_kernel(what.call, what.kernel, what.type, elements,
                                    what.operations_per_element * static_cast<double>(elements),
                                    what.inputs * moved, moved);
  for (int i = 0; i < what.inputs; ++i) {
    op.inputs.push_back(input(shape));
    kernel.tensors.push_back(input(shape));
  }
  kernel.tensors.push_back(output(shape));
  op.kernels.push_back(std::move(kernel));
  op.output_bytes = bytes(shape);
  return op;
}

Operator OperatorCatalogue::matmul(std::uint32_t m, std::uint32_t k, std::uint32_t n,
                                   std::uint32_t batch) const {
  const bool batched = batch > 1;
  const Shape left = batched ? Shape{batch, m, k} : Shape{m, k};
  const Shape right = batched ? Shape{batch, k, n} : Shape{k, n};
  const Shape result = batched ? Shape{batch, m, n} : Shape{m, n};
  const std::string call = batched ? "aclnnBatchMatMul" : "aclnnMm";
  const std::string type = batched ? "BatchMatMulV3" : "MatMulV3";
  const std::uint64_t tiles = (element_count(result) + kTileElements - 1) / kTileElements;
  KernelDesc kernel{.name = kernel_name(call, batched ? "BatchMatMulV3Nd" : "MatMulV3Common", type),
                    .type = type,
                    .kind = KernelCore::kAic,
                    .block_count = static_cast<std::uint32_t>(
                        std::clamp<std::uint64_t>(tiles, 1, chip_->ai_core_count)),
                    .type_of_math = type_,
                    .cube_flops = 2.0 * batch * m * static_cast<double>(k) * n,
                    .bytes_read = static_cast<double>(bytes(left) + bytes(right)),
                    .bytes_written = static_cast<double>(bytes(result)),
                    .l2_share = 0.55,
                    .efficiency = 0.8,
                    .tensors = {input(left), input(right), output(result)}};
  Operator op{.names = {"aten::matmul", batched ? "aten::bmm" : "aten::mm"},
              .call = call,
              .backward = batched ? "BmmBackward0" : "MmBackward0",
              .inputs = {input(left), input(right)},
              .kernels = {std::move(kernel)},
              .output_bytes = bytes(result)};
  op.workspace_bytes = std::min<std::uint64_t>(op.output_bytes / 4, 32u << 20);
  return op;
}

Operator OperatorCatalogue::linear(std::uint32_t m, std::uint32_t k, std::uint32_t n) const {
  Operator op = matmul(m, k, n);
  op.names.insert(op.names.begin(), "aten::linear");
  return op;
}

Operator OperatorCatalogue::rms_norm(std::uint32_t rows, std::uint32_t width, bool backward) const {
  const Shape shape{rows, width};
  const auto moved = static_cast<double>(bytes(shape));
  const auto elements = static_cast<double>(element_count(shape));
  const std::string call = backward ? "aclnnRmsNormGrad" : "aclnnRmsNorm";
  const std::string type = backward ? "RmsNormGrad" : "RmsNorm";
  KernelDesc kernel =
      vector_kernel(call, type, type, element_count(shape), (backward ? 9 : 5) * elements,
                    (backward ? 2 : 1) * moved, moved);
  kernel.tensors = {input(shape), input({width}), output(shape), output({rows, 1})};
  if (backward) kernel.tensors.insert(kernel.tensors.begin(), input(shape));
  return {.names = {backward ? "npu::npu_rms_norm_backward" : "npu::npu_rms_norm"},
          .call = call,
          .backward = backward ? "" : "NpuRmsNormBackward0",
          .inputs = {input(shape), input({width})},
          .kernels = {std::move(kernel)},
          .output_bytes = bytes(shape)};
}

Operator OperatorCatalogue::add(const Shape& shape) const {
  return elementwise({"aten::add", "aclnnAdd", "AddAiCore", "Add", 1, 2, "AddBackward0"}, shape);
}

Operator OperatorCatalogue::multiply(const Shape& shape) const {
  return elementwise({"aten::mul", "aclnnMul", "MulAiCore", "Mul", 1, 2, "MulBackward0"}, shape);
}

Operator OperatorCatalogue::clamp(const Shape& shape) const {
  return elementwise(
      {"aten::clamp", "aclnnClamp", "ClipByValueV2AiCore", "ClipByValueV2", 2, 1, "ClampBackward1"},
      shape);
}

Operator OperatorCatalogue::swiglu(std::uint32_t rows, std::uint32_t width, bool backward) const {
  const Shape wide{rows, 2 * width};
  const Shape narrow{rows, width};
  const std::string call = backward ? "aclnnSwiGluGrad" : "aclnnSwiGlu";
  const std::string type = backward ? "SwiGluGrad" : "SwiGlu";
  const auto elements = static_cast<double>(element_count(narrow));
  const Shape& result = backward ? wide : narrow;
  KernelDesc kernel =
      vector_kernel(call, type, type, element_count(narrow), (backward ? 14 : 8) * elements,
                    static_cast<double>(bytes(wide) + (backward ? bytes(narrow) : 0)),
                    static_cast<double>(bytes(result)));
  kernel.tensors = {input(wide), output(result)};
  if (backward) kernel.tensors.insert(kernel.tensors.begin(), input(narrow));
  return {.names = {backward ? "npu::npu_swiglu_backward" : "npu::npu_swiglu"},
          .call = call,
          .backward = backward ? "" : "NpuSwigluBackward0",
          .inputs = {input(wide)},
          .kernels = {std::move(kernel)},
          .output_bytes = bytes(result)};
}

Operator OperatorCatalogue::rotary(const Shape& shape, bool backward) const {
  const char* call = backward ? "aclnnRotaryPositionEmbeddingGrad" : "aclnnRotaryPositionEmbedding";
  const char* type = backward ? "RotaryPositionEmbeddingGrad" : "RotaryPositionEmbedding";
  const char* name = backward ? "npu::npu_rotary_mul_backward" : "npu::npu_rotary_mul";
  return elementwise({name, call, type, type, 6, 2, backward ? "" : "NpuRotaryMulBackward0"},
                     shape);
}

Operator OperatorCatalogue::cast(const Shape& shape, ElementType to) const {
  Operator op = elementwise(
      {"aten::_to_copy", "aclnnCast", "CastAiCore", "Cast", 0.5, 1, "ToCopyBackward0"}, shape);
  op.names.insert(op.names.begin(), "aten::to");
  KernelDesc& kernel = op.kernels.front();
  kernel.tensors.back().type = to;
  kernel.bytes_written = static_cast<double>(element_count(shape) * bytes_per_element(to));
  op.output_bytes = element_count(shape) * bytes_per_element(to);
  return op;
}

Operator OperatorCatalogue::fill(const Shape& shape) const {
  Operator op = elementwise(
      {"aten::zero_", "aclnnInplaceZero", "ZerosLikeAiCore", "ZerosLike", 0.5, 1, ""}, shape);
  op.kernels.front().bytes_read = 0;
  op.output_bytes = 0;
  return op;
}

Operator OperatorCatalogue::sum(const Shape& shape) const {
  Operator op = elementwise(
      {"aten::sum", "aclnnReduceSum", "ReduceSumOpAiCore", "ReduceSum", 1, 1, "SumBackward1"},
      shape);
  const Shape scalar{1};
  KernelDesc& kernel = op.kernels.front();
  kernel.tensors.back().shape = scalar;
  kernel.bytes_written = static_cast<double>(bytes(scalar));
  op.output_bytes = bytes(scalar);
  return op;
}

Operator OperatorCatalogue::embedding(std::uint32_t vocabulary, std::uint32_t tokens,
                                      std::uint32_t width, bool backward) const {
  const Shape table{vocabulary, width};
  const Shape rows{tokens, width};
  const std::string call = backward ? "aclnnEmbeddingDenseBackward" : "aclnnEmbedding";
  const std::string type = backward ? "EmbeddingDenseGrad" : "GatherV2";
  KernelDesc kernel = vector_kernel(call, type + "AiCore", type, element_count(rows), 0,
                                    static_cast<double>(bytes(rows)),
                                    static_cast<double>(backward ? bytes(table) : bytes(rows)));
  TensorDesc indices = input({tokens});
  indices.type = ElementType::kInt64;
  kernel.tensors = {input(backward ? rows : table), indices, output(backward ? table : rows)};
  return {.names = {backward ? "aten::embedding_dense_backward" : "aten::embedding"},
          .call = call,
          .backward = backward ? "" : "EmbeddingBackward0",
          .inputs = {input(backward ? rows : table), indices},
          .kernels = {std::move(kernel)},
          .output_bytes = backward ? bytes(table) : bytes(rows)};
}

Operator OperatorCatalogue::cross_entropy(std::uint32_t tokens, std::uint32_t vocabulary,
                                          bool backward) const {
  const Shape logits{tokens, vocabulary};
  const auto moved = static_cast<double>(bytes(logits));
  const auto elements = static_cast<double>(element_count(logits));
  const std::string call = backward ? "aclnnLogSoftmaxBackward" : "aclnnLogSoftmax";
  const std::string type = backward ? "LogSoftmaxGrad" : "LogSoftmaxV2";
  KernelDesc softmax = vector_kernel(call, type + "AiCore", type, element_count(logits),
                                     (backward ? 6 : 8) * elements, moved, moved);
  softmax.tensors = {input(logits), output(logits)};
  const std::string loss_type = backward ? "NLLLossGrad" : "NLLLoss";
  KernelDesc loss =
      vector_kernel(call, loss_type + "AiCore", loss_type, tokens, tokens,
                    static_cast<double>(bytes({tokens, 2})), static_cast<double>(bytes({tokens})));
  TensorDesc target = input({tokens});
  target.type = ElementType::kInt64;
  loss.tensors = {input(logits), target, output({1})};
  Operator op{.names = {backward ? "aten::_log_softmax_backward_data" : "aten::cross_entropy_loss"},
              .call = call,
              .backward = backward ? "" : "NllLossBackward0",
              .inputs = {input(logits), target},
              .output_bytes = bytes(logits)};
  if (!backward) op.names.emplace_back("aten::log_softmax");
  op.kernels = {std::move(softmax), std::move(loss)};
  if (backward) std::swap(op.kernels[0], op.kernels[1]);
  return op;
}

Operator OperatorCatalogue::mse_loss(const Shape& shape, bool backward) const {
  Operator op = backward ? elementwise({"aten::mse_loss_backward", "aclnnMseLossBackward",
                                        "MseLossGradAiCore", "MseLossGrad", 3, 2, ""},
                                       shape)
                         : elementwise({"aten::mse_loss", "aclnnMseLoss", "MseLossAiCore",
                                        "MseLoss", 3, 2, "MseLossBackward0"},
                                       shape);
  if (!backward) op.output_bytes = bytes({1});
  return op;
}

Operator OperatorCatalogue::attention(std::uint32_t batch, std::uint32_t heads,
                                      std::uint32_t sequence, std::uint32_t head_width, bool causal,
                                      bool backward) const {
  const Shape shape{batch, heads, sequence, head_width};
  const std::string call = backward ? "aclnnFlashAttentionScoreGrad" : "aclnnFlashAttentionScore";
  const std::string type = backward ? "FlashAttentionScoreGrad" : "FlashAttentionScore";
  const double scores = static_cast<double>(batch) * heads * sequence *
                        static_cast<double>(sequence) * (causal ? 0.5 : 1.0);
  // Two products forward; backward recomputes the scores and needs four more.
  const double products = backward ? 5 : 2;
  const auto moved = static_cast<double>(bytes(shape));
  TensorDesc statistics = output({batch, heads, sequence, 8});
  statistics.type = ElementType::kFloat32;
  KernelDesc kernel{
      .name = kernel_name(call, type, type),
      .type = type,
      .attributes = causal ? "sparse_mode:2;input_layout:BNSD" : "sparse_mode:0;input_layout:BNSD",
      .kind = KernelCore::kMixAic,
      .block_count = static_cast<std::uint32_t>(
          std::clamp<std::uint64_t>(std::uint64_t{batch} * heads, 1, chip_->ai_core_count)),
      .mix_ratio = 2,
      .type_of_math = type_,
      .cube_flops = 2 * products * scores * head_width,
      .vector_operations = (backward ? 9 : 6) * scores,
      .bytes_read = (backward ? 5 : 3) * moved,
      .bytes_written = (backward ? 3 : 1) * moved,
      .l2_share = 0.6,
      .efficiency = backward ? 0.55 : 0.65,
      .tensors = {input(shape), input(shape), input(shape), output(shape), statistics}};
  if (backward) {
    kernel.tensors = {input(shape),  input(shape),  input(shape), input(shape),
                      output(shape), output(shape), output(shape)};
  }
  return {.names = {backward ? "npu::npu_fusion_attention_grad" : "npu::npu_fusion_attention"},
          .call = call,
          .backward = backward ? "" : "NpuFusionAttentionBackward0",
          .inputs = {input(shape), input(shape), input(shape)},
          .kernels = {std::move(kernel)},
          .output_bytes = bytes(shape) * (backward ? 3 : 1),
          .workspace_bytes = 16u << 20};
}

Operator OperatorCatalogue::cached_attention(std::uint32_t batch, std::uint32_t heads,
                                             std::uint32_t context,
                                             std::uint32_t head_width) const {
  const Shape query{batch, heads, 1, head_width};
  const Shape cache{batch, heads, context, head_width};
  const char* call = "aclnnFusedInferAttentionScoreV3";
  const char* type = "FusedInferAttentionScore";
  const double scores = static_cast<double>(batch) * heads * context;
  KernelDesc kernel{.name = kernel_name(call, type, type),
                    .type = type,
                    .kind = KernelCore::kMixAic,
                    .block_count = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
                        std::uint64_t{batch} * heads, 1, chip_->ai_core_count)),
                    .mix_ratio = 2,
                    .type_of_math = type_,
                    .cube_flops = 4 * scores * head_width,
                    .vector_operations = 6 * scores,
                    .bytes_read = static_cast<double>(2 * bytes(cache) + bytes(query)),
                    .bytes_written = static_cast<double>(bytes(query)),
                    .l2_share = 0.1,
                    .efficiency = 0.6,
                    .tensors = {input(query), input(cache), input(cache), output(query)}};
  return {.names = {"npu::npu_fused_infer_attention_score"},
          .call = call,
          .inputs = {input(query), input(cache), input(cache)},
          .kernels = {std::move(kernel)},
          .output_bytes = bytes(query),
          .workspace_bytes = 8u << 20};
}

Operator OperatorCatalogue::gating(std::uint32_t tokens, std::uint32_t experts,
                                   std::uint32_t top) const {
  const Shape logits{tokens, experts};
  const char* call = "aclnnMoeGatingTopKSoftmax";
  const char* type = "MoeGatingTopKSoftmax";
  const auto elements = static_cast<double>(element_count(logits));
  KernelDesc kernel =
      vector_kernel(call, type, type, element_count(logits), 12 * elements,
                    static_cast<double>(bytes(logits)), static_cast<double>(bytes({tokens, top})));
  TensorDesc chosen = output({tokens, top});
  chosen.type = ElementType::kInt32;
  kernel.tensors = {input(logits), output({tokens, top}), chosen};
  return {.names = {"npu::npu_moe_gating_top_k_softmax"},
          .call = call,
          .inputs = {input(logits)},
          .kernels = {std::move(kernel)},
          .output_bytes = bytes({tokens, top, 2})};
}

Operator OperatorCatalogue::permute_tokens(std::uint32_t tokens, std::uint32_t width,
                                           bool backward) const {
  const Shape shape{tokens, width};
  const std::string call = backward ? "aclnnMoeTokenPermuteGrad" : "aclnnMoeTokenPermute";
  const std::string type = backward ? "MoeTokenPermuteGrad" : "MoeTokenPermute";
  const auto moved = static_cast<double>(bytes(shape));
  KernelDesc kernel = vector_kernel(call, type, type, element_count(shape), 0, moved, moved);
  kernel.tensors = {input(shape), output(shape)};
  return {.names = {backward ? "npu::npu_moe_token_permute_grad" : "npu::npu_moe_token_permute"},
          .call = call,
          .backward = backward ? "" : "NpuMoeTokenPermuteBackward0",
          .inputs = {input(shape)},
          .kernels = {std::move(kernel)},
          .output_bytes = bytes(shape)};
}

Operator OperatorCatalogue::grouped_matmul(std::uint32_t tokens, std::uint32_t k, std::uint32_t n,
                                           std::uint32_t experts) const {
  Operator op = matmul(tokens, k, n);
  op.names = {"npu::npu_grouped_matmul"};
  op.call = "aclnnGroupedMatmulV4";
  op.backward = "NpuGroupedMatmulBackward0";
  KernelDesc& kernel = op.kernels.front();
  kernel.name = kernel_name(op.call, "GroupedMatmul", "GroupedMatmul");
  kernel.type = "GroupedMatmul";
  kernel.bytes_read += static_cast<double>(bytes({experts - 1, k, n}));
  kernel.tensors[1].shape = {experts, k, n};
  op.inputs[1].shape = {experts, k, n};
  kernel.efficiency = 0.65;
  return op;
}

Operator OperatorCatalogue::random(const Shape& shape) const {
  const char* call = "aclnnDropoutGenMaskV2";
  const auto written = static_cast<double>(element_count(shape)) / 8;
  KernelDesc kernel{.name = kernel_name(call, "DSARandom", "DSAGenBitMask"),
                    .type = "DSAGenBitMask",
                    .kind = KernelCore::kDsa,
                    .bytes_written = written,
                    .tensors = {output(shape)}};
  kernel.tensors.back().type = ElementType::kUint8;
  return {.names = {"npu::_npu_dropout_gen_mask"},
          .call = call,
          .inputs = {input(shape)},
          .kernels = {std::move(kernel)},
          .output_bytes = static_cast<std::uint64_t>(written)};
}

Operator OperatorCatalogue::optimizer(const char* name, const char* call, const char* kernel,
                                      std::uint64_t parameters, double operations,
                                      double bytes_read, double bytes_written) const {
  const auto count = static_cast<double>(parameters);
  const Shape shape{static_cast<std::uint32_t>(std::min<std::uint64_t>(parameters, 0xFFFFFFFF))};
  KernelDesc work = vector_kernel(call, kernel, kernel, parameters, operations * count,
                                  bytes_read * count, bytes_written * count);
  work.type_of_math = ElementType::kFloat32;
  work.l2_share = 0.05;
  for (const bool is_output : {false, false, true}) {
    work.tensors.push_back({.is_output = is_output, .type = ElementType::kFloat32, .shape = shape});
  }
  return {.names = {name},
          .call = call,
          .inputs = {work.tensors[0], work.tensors[1]},
          .kernels = {std::move(work)}};
}

Operator OperatorCatalogue::vector_operator(const std::string& call, const std::string& type,
                                            std::vector<TensorDesc> tensors,
                                            double operations) const {
  std::uint64_t elements = 0;
  double bytes_read = 0;
  double bytes_written = 0;
  for (const TensorDesc& tensor : tensors) {
    const std::uint64_t count = element_count(tensor.shape);
    elements = std::max(elements, count);
    (tensor.is_output ? bytes_written : bytes_read) +=
        static_cast<double>(count * bytes_per_element(tensor.type));
  }
  Operator op{.call = call};
  op.output_bytes = static_cast<std::uint64_t>(bytes_written);
  op.kernels.push_back(vector_kernel(call, type + "AiCore", type, elements,
                                     operations * static_cast<double>(elements), bytes_read,
                                     bytes_written));
  op.kernels.back().tensors = std::move(tensors);
  return op;
}

Operator OperatorCatalogue::with_lists(Operator op, std::uint32_t lists) {
  op.inputs.clear();
  op.parameter_lists = lists;
  return op;
}

Operator OperatorCatalogue::sgd(std::uint64_t parameters) const {
  return with_lists(optimizer("aten::_foreach_add_", "aclnnForeachAddListV2", "ForeachAddList",
                              parameters, 2, 8, 4),
                    2);
}

Operator OperatorCatalogue::adamw(std::uint64_t parameters) const {
  // Reads parameter, gradient and two moments, writes all but the gradient.
  return optimizer("npu::npu_apply_adam_w", "aclnnApplyAdamWV2", "ApplyAdamWV2", parameters, 14, 16,
                   12);
}

Operator OperatorCatalogue::gradient_norm(std::uint64_t parameters) const {
  return with_lists(
      optimizer("aten::_foreach_norm", "aclnnForeachNorm", "ForeachNorm", parameters, 2, 4, 0), 1);
}

}  // namespace npuprof::sim
