#include "sim/workload/aten_table.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace npuprof::sim {
namespace {

enum class Kind : std::uint8_t {
  kVector,   // Goes over its tensors once.
  kFill,     // Writes without reading.
  kCopy,     // Moves, or turns into another type.
  kProduct,  // The last two inputs are matrices, or batches of them.
  kConvolution,
  kConvolutionBackward,
  kAttention,  // Query, key and value come first.
  kAttentionBackward,
  kAicpu,
  kRandom,
};

struct Entry {
  std::string_view name;  // Without namespace and without the '_' of in-place operators.
  std::string_view type;
  double operations = 1;  // For each element.
  Kind kind = Kind::kVector;
};

// Types as the operator library names them; operations are estimates of what vector cores need.
constexpr Entry kEntries[] = {
    // Matrices.
    {"mm", "MatMulV3", 0, Kind::kProduct},
    {"addmm", "MatMulV3", 0, Kind::kProduct},
    {"bmm", "BatchMatMulV3", 0, Kind::kProduct},
    {"baddbmm", "BatchMatMulV3", 0, Kind::kProduct},
    {"convolution", "Conv2D", 0, Kind::kConvolution},
    {"convolution_overrideable", "Conv2D", 0, Kind::kConvolution},
    {"convolution_backward", "Conv2DBackprop", 0, Kind::kConvolutionBackward},
    {"convolution_backward_overrideable", "Conv2DBackprop", 0, Kind::kConvolutionBackward},
    {"scaled_dot_product_attention", "FlashAttentionScore", 0, Kind::kAttention},
    {"_scaled_dot_product_attention", "FlashAttentionScore", 0, Kind::kAttention},
    {"_scaled_dot_product_flash_attention", "FlashAttentionScore", 0, Kind::kAttention},
    {"_scaled_dot_product_flash_attention_for_cpu", "FlashAttentionScore", 0, Kind::kAttention},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", "FlashAttentionScoreGrad", 0,
     Kind::kAttentionBackward},
    {"mv", "MatMulV3", 2},
    {"addmv", "MatMulV3", 2},
    {"dot", "Dot", 2},
    // Element by element.
    {"add", "Add"},
    {"sub", "Sub"},
    {"rsub", "Sub"},
    {"mul", "Mul"},
    {"div", "RealDiv"},
    {"remainder", "FloorMod", 3},
    {"neg", "Neg"},
    {"abs", "Abs"},
    {"sign", "Sign"},
    {"floor", "Floor"},
    {"ceil", "Ceil"},
    {"round", "Round"},
    {"exp", "Exp", 4},
    {"expm1", "Expm1", 5},
    {"log", "Log", 4},
    {"log2", "Log", 5},
    {"log1p", "Log1p", 5},
    {"sqrt", "Sqrt", 2},
    {"rsqrt", "Rsqrt", 3},
    {"reciprocal", "Reciprocal", 2},
    {"sin", "Sin", 8},
    {"cos", "Cos", 8},
    {"erf", "Erf", 12},
    {"pow", "Pow", 10},
    {"tanh", "Tanh", 6},
    {"sigmoid", "Sigmoid", 6},
    {"relu", "Relu"},
    {"leaky_relu", "LeakyRelu", 2},
    {"elu", "Elu", 6},
    {"gelu", "Gelu", 12},
    {"silu", "Swish", 8},
    {"softplus", "SoftplusV2", 9},
    {"hardtanh", "ClipByValueV2", 2},
    {"hardswish", "HardSwish", 4},
    {"clamp", "ClipByValueV2", 2},
    {"clamp_min", "Maximum"},
    {"clamp_max", "Minimum"},
    {"maximum", "Maximum"},
    {"minimum", "Minimum"},
    {"where", "SelectV2"},
    {"masked_fill", "MaskedFill"},
    {"eq", "Equal"},
    {"ne", "NotEqual"},
    {"lt", "Less"},
    {"le", "LessEqual"},
    {"gt", "Greater"},
    {"ge", "GreaterEqual"},
    {"logical_and", "LogicalAnd"},
    {"logical_or", "LogicalOr"},
    {"logical_not", "LogicalNot"},
    {"bitwise_and", "BitwiseAnd"},
    {"bitwise_or", "BitwiseOr"},
    {"bitwise_not", "Invert"},
    {"isnan", "IsNan"},
    {"isinf", "IsInf"},
    {"addcmul", "Addcmul", 3},
    {"addcdiv", "Addcdiv", 4},
    {"lerp", "Lerp", 3},
    {"threshold_backward", "ReluGrad"},
    {"leaky_relu_backward", "LeakyReluGrad", 2},
    {"elu_backward", "EluGradV2", 6},
    {"gelu_backward", "GeluGrad", 20},
    {"silu_backward", "SiluGrad", 12},
    {"sigmoid_backward", "SigmoidGrad", 3},
    {"tanh_backward", "TanhGrad", 3},
    {"hardtanh_backward", "HardtanhGrad", 2},
    {"hardswish_backward", "HardSwishGrad", 4},
    {"native_dropout", "DropOutV3", 2},
    {"native_dropout_backward", "DropOutDoMaskV3", 1},
    // Along dimensions.
    {"sum", "ReduceSum"},
    {"mean", "ReduceMean"},
    {"prod", "ReduceProd"},
    {"max", "ArgMaxWithValue"},
    {"min", "ArgMinWithValue"},
    {"amax", "ReduceMax"},
    {"amin", "ReduceMin"},
    {"argmax", "ArgMaxV2"},
    {"argmin", "ArgMinV2"},
    {"all", "ReduceAll"},
    {"any", "ReduceAny"},
    {"norm", "LpNormV2", 2},
    {"linalg_vector_norm", "LpNormV2", 2},
    {"var", "ReduceVar", 4},
    {"var_mean", "ReduceVar", 4},
    {"std", "ReduceStdV2Update", 5},
    {"cumsum", "Cumsum"},
    {"logsumexp", "LogSumExp", 6},
    {"_softmax", "SoftmaxV2", 8},
    {"_log_softmax", "LogSoftmaxV2", 8},
    {"_softmax_backward_data", "SoftmaxGrad", 5},
    {"_log_softmax_backward_data", "LogSoftmaxGrad", 6},
    {"native_layer_norm", "LayerNormV4", 7},
    {"native_layer_norm_backward", "LayerNormGradV3", 14},
    {"native_group_norm", "GroupNorm", 7},
    {"native_group_norm_backward", "GroupNormGrad", 14},
    {"native_batch_norm", "BatchNormV3", 6},
    {"_native_batch_norm_legit", "BatchNormV3", 6},
    {"native_batch_norm_backward", "BatchNormGradV3", 12},
    {"topk", "TopKV2", 10},
    {"sort", "Sort", 20},
    // Losses.
    {"mse_loss", "MseLoss", 3},
    {"mse_loss_backward", "MseLossGrad", 3},
    {"smooth_l1_loss", "SmoothL1LossV2", 5},
    {"smooth_l1_loss_backward", "SmoothL1LossGradV2", 5},
    {"nll_loss_forward", "NLLLoss"},
    {"nll_loss_backward", "NLLLossGrad"},
    {"nll_loss2d_forward", "NLLLoss"},
    {"nll_loss2d_backward", "NLLLossGrad"},
    {"binary_cross_entropy", "BinaryCrossEntropy", 10},
    {"binary_cross_entropy_backward", "BinaryCrossEntropyGrad", 6},
    {"binary_cross_entropy_with_logits", "SigmoidCrossEntropyWithLogitsV2", 14},
    // Pictures.
    {"max_pool2d_with_indices", "MaxPoolWithArgmaxV3", 9},
    {"max_pool2d_with_indices_backward", "MaxPoolGradWithArgmaxV3", 9},
    {"avg_pool2d", "AvgPoolV2", 9},
    {"avg_pool2d_backward", "AvgPoolV2Grad", 9},
    {"_adaptive_avg_pool2d", "AdaptiveAvgPool2d"},
    {"_adaptive_avg_pool2d_backward", "AdaptiveAvgPool2dGrad"},
    {"upsample_nearest2d", "ResizeNearestNeighborV2"},
    {"upsample_bilinear2d", "ResizeBilinearV2", 8},
    // Moving.
    {"copy", "TensorMove", 0, Kind::kCopy},
    {"cat", "ConcatD", 0},
    {"flip", "ReverseV2", 0},
    {"roll", "Roll", 0},
    {"repeat", "Tile", 0},
    {"tril", "Tril", 0},
    {"triu", "Triu", 0},
    {"constant_pad_nd", "PadV3", 0},
    {"embedding", "GatherV2", 0},
    {"embedding_dense_backward", "EmbeddingDenseGrad"},
    {"index_select", "GatherV2", 0},
    {"gather", "GatherElements", 0},
    {"scatter", "ScatterElements", 0},
    {"scatter_add", "ScatterAdd"},
    {"index_add", "InplaceIndexAdd"},
    {"index", "Index", 0},
    {"index_put", "IndexPutV2", 0},
    {"_index_put_impl", "IndexPutV2", 0},
    {"fill", "Fill", 0, Kind::kFill},
    {"zero", "ZerosLike", 0, Kind::kFill},
    {"arange", "Range", 1, Kind::kFill},
    {"linspace", "LinSpaceD", 1, Kind::kFill},
    {"eye", "Eye", 1, Kind::kFill},
    // Other engines.
    {"uniform", "DSARandomUniform", 0, Kind::kRandom},
    {"normal", "DSARandomNormal", 0, Kind::kRandom},
    {"bernoulli", "DSAGenBitMask", 0, Kind::kRandom},
    {"random", "DSARandomUniform", 0, Kind::kRandom},
    {"randperm", "RandpermV2", 0, Kind::kAicpu},
    {"multinomial", "MultinomialWithReplacement", 0, Kind::kAicpu},
    {"nonzero", "NonZero", 0, Kind::kAicpu},
    {"masked_select", "MaskedSelect", 0, Kind::kAicpu},
    {"_unique2", "UniqueWithCountsAndSorting", 0, Kind::kAicpu},
};

constexpr std::string_view kForeach = "_foreach_";

std::string_view without_namespace(std::string_view name) {
  const std::size_t colons = name.find("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

bool is_in_place(std::string_view name) { return name.ends_with('_') && !name.ends_with("__"); }

std::string_view base_name(std::string_view name) {
  name = without_namespace(name);
  if (is_in_place(name)) name.remove_suffix(1);
  return name;
}

const Entry* find_entry(std::string_view name) {
  static const auto& index = *[] {
    auto* map = new std::unordered_map<std::string_view, const Entry*>;
    for (const Entry& entry : kEntries) map->emplace(entry.name, &entry);
    return map;
  }();
  if (!name.starts_with("aten::")) return nullptr;
  const auto found = index.find(base_name(name));
  return found == index.end() ? nullptr : found->second;
}

std::string type_of(std::string_view name, const Entry* entry) {
  if (entry != nullptr) return std::string(entry->type);
  return camel_case(name);
}

ElementType math_type(const AtenCall& call) {
  for (const auto* tensors : {&call.inputs, &call.outputs}) {
    for (const TensorDesc& tensor : *tensors) {
      if (tensor.type == ElementType::kFloat32 || tensor.type == ElementType::kFloat16 ||
          tensor.type == ElementType::kBfloat16) {
        return tensor.type;
      }
    }
  }
  return ElementType::kFloat32;
}

std::vector<TensorDesc> all_tensors(const AtenCall& call) {
  std::vector<TensorDesc> tensors = call.inputs;
  tensors.insert(tensors.end(), call.outputs.begin(), call.outputs.end());
  return tensors;
}

bool is_empty(const AtenCall& call) {
  const auto has_elements = [](const TensorDesc& tensor) {
    return element_count(tensor.shape) > 0;
  };
  return std::none_of(call.outputs.begin(), call.outputs.end(), has_elements) &&
         (!call.outputs.empty() ||
          std::none_of(call.inputs.begin(), call.inputs.end(), has_elements));
}

// Gives the only kernel of `op` its real tensors, and the name of the call they come from.
Operator with_tensors(Operator op, const AtenCall& call) {
  const std::string from = op.call + "_";
  op.call = aten_call(call.name);
  for (KernelDesc& kernel : op.kernels) {
    if (kernel.name.starts_with(from)) kernel.name.replace(0, from.size(), op.call + "_");
  }
  if (op.kernels.size() == 1) op.kernels[0].tensors = all_tensors(call);
  return op;
}

std::optional<Operator> product(const OperatorCatalogue& catalogue, const AtenCall& call) {
  if (call.inputs.size() < 2) return std::nullopt;
  const Shape& left = call.inputs[call.inputs.size() - 2].shape;
  const Shape& right = call.inputs.back().shape;
  if (left.size() < 2 || right.size() < 2) return std::nullopt;
  const std::uint32_t batch = left.size() > 2 ? left[0] : 1;
  const std::uint32_t inner = left[left.size() - 1];
  return with_tensors(catalogue.matmul(left[left.size() - 2], inner, right.back(), batch), call);
}

// Each output element takes one product with the weights of its channel.
KernelDesc convolution_kernel(const ChipSpec& chip, const AtenCall& call, const std::string& type,
                              const TensorDesc& weight, const TensorDesc& result) {
  constexpr std::uint64_t kTileElements = 128 * 128;
  const std::uint64_t channels = std::max<std::uint64_t>(weight.shape[0], 1);
  const double work =
      static_cast<double>(element_count(weight.shape)) / static_cast<double>(channels);
  KernelDesc kernel;
  kernel.name = aten_call(call.name) + "_" + type + "_" + type;
  kernel.type = type;
  kernel.kind = KernelCore::kAic;
  kernel.block_count = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      element_count(result.shape) / kTileElements, 1, chip.ai_core_count));
  kernel.type_of_math = math_type(call);
  kernel.cube_flops = 2.0 * static_cast<double>(element_count(result.shape)) * work;
  kernel.tensors = all_tensors(call);
  for (const TensorDesc& tensor : call.inputs)
    kernel.bytes_read += static_cast<double>(byte_count(tensor));
  for (const TensorDesc& tensor : call.outputs)
    kernel.bytes_written += static_cast<double>(byte_count(tensor));
  return kernel;
}

std::optional<Operator> convolution(const ChipSpec& chip, const AtenCall& call) {
  if (call.inputs.size() < 2 || call.outputs.empty() || call.inputs[1].shape.empty()) {
    return std::nullopt;
  }
  Operator op{.call = aten_call(call.name)};
  op.kernels.push_back(
      convolution_kernel(chip, call, "Conv2D", call.inputs[1], call.outputs.front()));
  return op;
}

// Inputs: gradient, input, weight. One kernel for the gradient of the input, one for the weight's.
std::optional<Operator> convolution_backward(const ChipSpec& chip, const AtenCall& call) {
  if (call.inputs.size() < 3 || call.inputs[2].shape.empty()) return std::nullopt;
  Operator op{.call = aten_call(call.name)};
  for (const char* type : {"Conv2DBackpropInput", "Conv2DBackpropFilter"}) {
    op.kernels.push_back(convolution_kernel(chip, call, type, call.inputs[2], call.inputs[0]));
  }
  return op;
}

// Query is [..., sequence, width], before it batch and heads.
std::optional<Operator> attention(const OperatorCatalogue& catalogue, const AtenCall& call,
                                  bool backward) {
  const std::size_t first = backward ? 1 : 0;
  if (call.inputs.size() < first + 3) return std::nullopt;
  const Shape& query = call.inputs[first].shape;
  if (query.size() < 3) return std::nullopt;
  const std::uint32_t heads = query.size() > 3 ? query[1] : 1;
  return with_tensors(
      catalogue.attention(query[0], heads, query[query.size() - 2], query.back(), false, backward),
      call);
}

Operator on_engine(const AtenCall& call, const std::string& type, KernelCore kind) {
  Operator op{.call = aten_call(call.name)};
  KernelDesc kernel;
  kernel.name = op.call + "_" + type + "_" + type;
  kernel.type = type;
  kernel.kind = kind;
  kernel.type_of_math = math_type(call);
  kernel.tensors = kind == KernelCore::kAicpu ? all_tensors(call) : call.outputs;
  for (const TensorDesc& tensor : kernel.tensors) {
    (tensor.is_output ? kernel.bytes_written : kernel.bytes_read) +=
        static_cast<double>(byte_count(tensor));
    if (kind == KernelCore::kAicpu) {
      kernel.vector_operations += 2.0 * static_cast<double>(element_count(tensor.shape));
    }
  }
  op.kernels.push_back(std::move(kernel));
  return op;
}

// Inputs are the target, which is the output too, and the source.
Operator copy(const OperatorCatalogue& catalogue, const AtenCall& call) {
  std::vector<TensorDesc> tensors;
  tensors.push_back(call.inputs.back());
  tensors.insert(tensors.end(), call.outputs.begin(), call.outputs.end());
  const bool casts = !call.outputs.empty() && call.outputs[0].type != call.inputs.back().type;
  return catalogue.vector_operator(aten_call(call.name), casts ? "Cast" : "TensorMove",
                                   std::move(tensors), casts ? 0.5 : 0);
}

std::optional<Operator> operator_of(const ChipSpec& chip, const AtenCall& call) {
  const Entry* const entry = find_entry(call.name);
  const OperatorCatalogue catalogue(chip, math_type(call));
  const std::string type = type_of(call.name, entry);
  switch (entry != nullptr ? entry->kind : Kind::kVector) {
    case Kind::kVector:
      return catalogue.vector_operator(aten_call(call.name), type, all_tensors(call),
                                       entry != nullptr ? entry->operations : 1);
    case Kind::kFill:
      return catalogue.vector_operator(aten_call(call.name), type, call.outputs, 0.5);
    case Kind::kCopy:
      if (call.inputs.empty()) return std::nullopt;
      return copy(catalogue, call);
    case Kind::kProduct:
      return product(catalogue, call);
    case Kind::kConvolution:
      return convolution(chip, call);
    case Kind::kConvolutionBackward:
      return convolution_backward(chip, call);
    case Kind::kAttention:
      return attention(catalogue, call, false);
    case Kind::kAttentionBackward:
      return attention(catalogue, call, true);
    case Kind::kAicpu:
      return on_engine(call, type, KernelCore::kAicpu);
    case Kind::kRandom:
      return on_engine(call, type, KernelCore::kDsa);
  }
  return std::nullopt;
}

}  // namespace

std::string camel_case(std::string_view name) {
  std::string text;
  bool is_first = true;
  for (const char c : base_name(name)) {
    if (c == '_') {
      is_first = true;
    } else {
      text += is_first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      is_first = false;
    }
  }
  return text;
}

std::string aten_call(std::string_view name) {
  const bool in_place = is_in_place(without_namespace(name));
  return (in_place ? "aclnnInplace" : "aclnn") + camel_case(name);
}

bool is_in_aten_table(std::string_view name) {
  return find_entry(name) != nullptr || without_namespace(name).starts_with(kForeach);
}

std::optional<Operator> aten_operator(const ChipSpec& chip, const AtenCall& call) {
  if (is_empty(call)) return std::nullopt;
  std::optional<Operator> op = operator_of(chip, call);
  if (op && !call.attributes.empty()) {
    for (KernelDesc& kernel : op->kernels) kernel.attributes = call.attributes;
  }
  return op;
}

}  // namespace npuprof::sim
