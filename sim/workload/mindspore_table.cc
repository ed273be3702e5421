#include "sim/workload/mindspore_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/workload/aten_table.h"

namespace npuprof::sim {
namespace {

struct PrimitiveName {
  std::string_view primitive;
  std::string_view aten;
};

// Primitives that other work stands behind than going over their tensors once.
constexpr std::array kPrimitives = {
    PrimitiveName{"MatMul", "aten::mm"},
    PrimitiveName{"MatMulExt", "aten::mm"},
    PrimitiveName{"Mm", "aten::mm"},
    PrimitiveName{"Dense", "aten::mm"},
    PrimitiveName{"BatchMatMul", "aten::bmm"},
    PrimitiveName{"BatchMatMulExt", "aten::bmm"},
    PrimitiveName{"Conv2D", "aten::convolution"},
    PrimitiveName{"Exp", "aten::exp"},
    PrimitiveName{"Log", "aten::log"},
    PrimitiveName{"Sqrt", "aten::sqrt"},
    PrimitiveName{"Rsqrt", "aten::rsqrt"},
    PrimitiveName{"Erf", "aten::erf"},
    PrimitiveName{"Pow", "aten::pow"},
    PrimitiveName{"PowTensorScalar", "aten::pow"},
    PrimitiveName{"Tanh", "aten::tanh"},
    PrimitiveName{"TanhGrad", "aten::tanh_backward"},
    PrimitiveName{"Sigmoid", "aten::sigmoid"},
    PrimitiveName{"SigmoidGrad", "aten::sigmoid_backward"},
    PrimitiveName{"GeLU", "aten::gelu"},
    PrimitiveName{"GeLUGrad", "aten::gelu_backward"},
    PrimitiveName{"SiLU", "aten::silu"},
    PrimitiveName{"SiLUGrad", "aten::silu_backward"},
    PrimitiveName{"Softmax", "aten::_softmax"},
    PrimitiveName{"LogSoftmax", "aten::_log_softmax"},
    PrimitiveName{"LogSoftmaxGrad", "aten::_log_softmax_backward_data"},
    PrimitiveName{"LayerNorm", "aten::native_layer_norm"},
    PrimitiveName{"LayerNormGrad", "aten::native_layer_norm_backward"},
    PrimitiveName{"BatchNorm", "aten::native_batch_norm"},
    PrimitiveName{"BatchNormGrad", "aten::native_batch_norm_backward"},
    PrimitiveName{"TopK", "aten::topk"},
    PrimitiveName{"Sort", "aten::sort"},
};

// Nothing runs on the device for these.
constexpr std::array<std::string_view, 16> kNoKernels = {
    "Reshape",   "Shape",        "TupleGetItem", "MakeTuple", "Depend",     "UpdateState",
    "Load",      "ScalarAdd",    "ScalarMul",    "ScalarEq",  "ExpandDims", "Squeeze",
    "Transpose", "StridedSlice", "View",         "Return",
};

std::string_view aten_name_of(std::string_view primitive) {
  const auto* const found =
      std::find_if(kPrimitives.begin(), kPrimitives.end(),
                   [&](const auto& entry) { return entry.primitive == primitive; });
  return found == kPrimitives.end() ? std::string_view() : found->aten;
}

// A product whose operands may be transposed: the side that both share is the one summed over.
// Puts the operands the way the table wants them, rows by columns.
bool arrange_product(Shape& left, Shape& right) {
  if (left.size() < 2 || right.size() < 2) return false;
  const auto rows = [](Shape& shape) -> std::uint32_t& { return shape[shape.size() - 2]; };
  if (left.back() == rows(right)) return true;
  if (left.back() == right.back()) {
    std::swap(rows(right), right.back());
  } else if (rows(left) == rows(right)) {
    std::swap(rows(left), left.back());
  } else {
    return false;
  }
  return true;
}

bool is_reduction(std::string_view name) {
  return name.starts_with("Reduce") || name == "SumExt" || name == "MeanExt";
}

Shape output_shape(const AtenCall& call, std::string_view primitive) {
  if (is_reduction(primitive)) return {1};
  const auto largest = std::max_element(
      call.inputs.begin(), call.inputs.end(), [](const TensorDesc& left, const TensorDesc& right) {
        return element_count(left.shape) < element_count(right.shape);
      });
  return largest->shape;
}

Operator without_work(std::string_view primitive) {
  Operator op;
  op.names = {std::string(primitive)};
  op.call = "aclnn" + std::string(primitive);
  KernelDesc kernel;
  kernel.name = op.call + "_" + std::string(primitive) + "_" + std::string(primitive);
  kernel.type = primitive;
  kernel.kind = KernelCore::kAiv;
  kernel.block_count = 1;
  op.kernels.push_back(std::move(kernel));
  return op;
}

}  // namespace

std::optional<Operator> mindspore_operator(const ChipSpec& chip, const PrimitiveCall& call) {
  if (call.name.empty() ||
      std::find(kNoKernels.begin(), kNoKernels.end(), call.name) != kNoKernels.end()) {
    return std::nullopt;
  }
  std::vector<TensorDesc> tensors;
  for (const TensorDesc& input : call.inputs) {
    if (!input.shape.empty()) tensors.push_back(input);
  }
  if (tensors.empty()) return without_work(call.name);
  const std::string_view known = aten_name_of(call.name);
  const std::string name = known.empty() ? "aten::" + std::string(call.name) : std::string(known);
  AtenCall aten{.name = name, .inputs = std::move(tensors), .outputs = {}};
  const bool is_product = name == "aten::mm" || name == "aten::bmm";
  TensorDesc output{.is_output = true, .type = aten.inputs[0].type, .shape = {}};
  if (is_product && aten.inputs.size() >= 2) {
    aten.inputs.resize(2);
    if (!arrange_product(aten.inputs[0].shape, aten.inputs[1].shape))
      return without_work(call.name);
    output.shape = aten.inputs[0].shape;
    output.shape.back() = aten.inputs[1].shape.back();
  } else {
    output.shape = output_shape(aten, call.name);
  }
  aten.outputs.push_back(std::move(output));
  std::optional<Operator> op = aten_operator(chip, aten);
  return op ? std::move(op) : without_work(call.name);
}

}  // namespace npuprof::sim
