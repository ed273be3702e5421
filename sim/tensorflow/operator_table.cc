#include "sim/tensorflow/operator_table.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sim/workload/aten_table.h"

namespace npuprof::sim::tensorflow {
namespace {

// An operator of TensorFlow, the type it becomes, and the operator of PyTorch that does the same
// work; without one it goes over its tensors once.
struct Entry {
  std::string_view type;
  std::string_view npu_type;
  std::string_view work = {};
};

constexpr Entry kEntries[] = {
    // Matrices.
    {"MatMul", "MatMulV2", "aten::mm"},
    {"BatchMatMul", "BatchMatMulV2", "aten::bmm"},
    {"BatchMatMulV2", "BatchMatMulV2", "aten::bmm"},
    {"BatchMatMulV3", "BatchMatMulV2", "aten::bmm"},
    {"Conv2D", "Conv2D", "aten::convolution"},
    {"DepthwiseConv2dNative", "DepthwiseConv2D", "aten::convolution"},
    {"Conv2DBackpropInput", "Conv2DBackpropInput", "aten::convolution"},
    {"Conv2DBackpropFilter", "Conv2DBackpropFilter", "aten::convolution"},
    // Element by element.
    {"BiasAdd", "BiasAdd", "aten::add"},
    {"BiasAddGrad", "BiasAddGrad", "aten::sum"},
    {"Add", "Add", "aten::add"},
    {"AddV2", "Add", "aten::add"},
    {"AddN", "AddN", "aten::add"},
    {"Sub", "Sub", "aten::sub"},
    {"Mul", "Mul", "aten::mul"},
    {"Div", "RealDiv", "aten::div"},
    {"RealDiv", "RealDiv", "aten::div"},
    {"DivNoNan", "DivNoNan", "aten::div"},
    {"Square", "Square", "aten::mul"},
    {"SquaredDifference", "SquaredDifference", "aten::mul"},
    {"Exp", "Exp", "aten::exp"},
    {"Log", "Log", "aten::log"},
    {"Pow", "Pow", "aten::pow"},
    {"Sqrt", "Sqrt", "aten::sqrt"},
    {"Rsqrt", "Rsqrt", "aten::rsqrt"},
    {"Tanh", "Tanh", "aten::tanh"},
    {"TanhGrad", "TanhGrad", "aten::tanh_backward"},
    {"Sigmoid", "Sigmoid", "aten::sigmoid"},
    {"SigmoidGrad", "SigmoidGrad", "aten::sigmoid_backward"},
    {"Relu", "Relu", "aten::relu"},
    {"ReluGrad", "ReluGrad", "aten::threshold_backward"},
    {"Select", "Select", "aten::where"},
    {"SelectV2", "SelectV2", "aten::where"},
    // Along dimensions.
    {"Sum", "ReduceSum", "aten::sum"},
    {"Mean", "ReduceMean", "aten::mean"},
    {"Max", "ReduceMax", "aten::amax"},
    {"Min", "ReduceMin", "aten::amin"},
    {"Prod", "ReduceProd", "aten::prod"},
    {"All", "ReduceAll", "aten::all"},
    {"Any", "ReduceAny", "aten::any"},
    {"ArgMax", "ArgMaxV2", "aten::argmax"},
    {"Softmax", "SoftmaxV2", "aten::_softmax"},
    {"LogSoftmax", "LogSoftmaxV2", "aten::_log_softmax"},
    {"SparseSoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits",
     "aten::_log_softmax"},
    {"SoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits", "aten::_log_softmax"},
    {"FusedBatchNormV3", "BatchNorm", "aten::native_batch_norm"},
    {"FusedBatchNormGradV3", "BatchNormGrad", "aten::native_batch_norm_backward"},
    {"MaxPool", "MaxPool", "aten::max_pool2d_with_indices"},
    {"MaxPoolGrad", "MaxPoolGrad", "aten::max_pool2d_with_indices_backward"},
    {"AvgPool", "AvgPool", "aten::avg_pool2d"},
    {"AvgPoolGrad", "AvgPoolGrad", "aten::avg_pool2d_backward"},
    // Moving.
    {"Cast", "Cast"},
    {"Transpose", "TransposeD", "aten::cat"},
    {"ConcatV2", "ConcatD", "aten::cat"},
    {"Tile", "TileD", "aten::repeat"},
    {"GatherV2", "GatherV2", "aten::embedding"},
    {"ResourceGather", "GatherV2", "aten::embedding"},
    {"Fill", "Fill", "aten::fill"},
    {"ZerosLike", "ZerosLike", "aten::zero"},
    {"OnesLike", "OnesLike", "aten::fill"},
    // Optimizers; with and without handles of variables.
    {"ApplyGradientDescent", "ApplyGradientDescent", "aten::add"},
    {"ResourceApplyGradientDescent", "ApplyGradientDescent", "aten::add"},
    {"ApplyMomentum", "ApplyMomentum", "aten::addcmul"},
    {"ResourceApplyMomentum", "ApplyMomentum", "aten::addcmul"},
    {"ResourceApplyKerasMomentum", "ApplyKerasMomentum", "aten::addcmul"},
    {"ApplyAdam", "ApplyAdamD", "aten::addcdiv"},
    {"ResourceApplyAdam", "ApplyAdamD", "aten::addcdiv"},
    {"AssignVariableOp", "Assign"},
    {"AssignAddVariableOp", "AssignAdd", "aten::add"},
    {"AssignSubVariableOp", "AssignSub", "aten::sub"},
    // Other engines.
    {"IteratorGetNext", "GetNext", "aten::nonzero"},
    {"RandomUniform", "DSARandomUniform", "aten::uniform"},
    {"RandomStandardNormal", "DSARandomNormal", "aten::normal"},
    {"TruncatedNormal", "DSARandomTruncatedNormal", "aten::normal"},
    {"StatelessRandomUniformV2", "DSARandomUniform", "aten::uniform"},
    {"Unique", "Unique", "aten::_unique2"},
    {"Where", "Where", "aten::nonzero"},
    {"NonMaxSuppressionV3", "NonMaxSuppressionV3", "aten::nonzero"},
    // Communication; among the ranks of one process it moves nothing.
    {"CollectiveReduce", "HcomAllReduce", "aten::add"},
    {"CollectiveReduceV2", "HcomAllReduce", "aten::add"},
    {"CollectiveReduceV3", "HcomAllReduce", "aten::add"},
    {"HorovodAllreduce", "HcomAllReduce", "aten::add"},
};

constexpr std::pair<std::string_view, OperatorKind> kWithoutTask[] = {
    {"Placeholder", OperatorKind::kData},
    {"PlaceholderWithDefault", OperatorKind::kData},
    {"_Arg", OperatorKind::kData},
    {"Const", OperatorKind::kConstant},
    {"VariableV2", OperatorKind::kConstant},
    {"VarHandleOp", OperatorKind::kConstant},
    {"ReadVariableOp", OperatorKind::kConstant},
    {"IteratorV2", OperatorKind::kConstant},
    {"OneShotIterator", OperatorKind::kConstant},
    {"Shape", OperatorKind::kConstant},
    {"ShapeN", OperatorKind::kConstant},
    {"Size", OperatorKind::kConstant},
    {"Rank", OperatorKind::kConstant},
    {"BroadcastGradientArgs", OperatorKind::kConstant},
    {"Identity", OperatorKind::kPassed},
    {"StopGradient", OperatorKind::kPassed},
    {"PreventGradient", OperatorKind::kPassed},
    {"CheckNumerics", OperatorKind::kPassed},
    {"Reshape", OperatorKind::kPassed},
    {"Squeeze", OperatorKind::kPassed},
    {"ExpandDims", OperatorKind::kPassed},
    // Of loops and branches whose operators are laid out as they ran.
    {"Enter", OperatorKind::kPassed},
    {"RefEnter", OperatorKind::kPassed},
    {"Exit", OperatorKind::kPassed},
    {"RefExit", OperatorKind::kPassed},
    {"Switch", OperatorKind::kPassed},
    {"RefSwitch", OperatorKind::kPassed},
    {"NextIteration", OperatorKind::kPassed},
    {"RefNextIteration", OperatorKind::kPassed},
    {"LoopCond", OperatorKind::kPassed},
    {"Merge", OperatorKind::kGroup},
    {"RefMerge", OperatorKind::kGroup},
    {"NoOp", OperatorKind::kGroup},
    {"IdentityN", OperatorKind::kGroup},
    {"Assert", OperatorKind::kGroup},
};

const Entry* find_entry(std::string_view type) {
  static const auto& index = *[] {
    auto* map = new std::unordered_map<std::string_view, const Entry*>;
    for (const Entry& entry : kEntries) map->emplace(entry.type, &entry);
    return map;
  }();
  const auto found = index.find(type);
  return found == index.end() ? nullptr : found->second;
}

// The work of a convolution follows from its weights, channels of the result first, and from the
// picture it makes, or comes from.
AtenCall convolution_call(std::string_view type, const std::vector<TensorDesc>& inputs,
                          const std::vector<TensorDesc>& outputs) {
  const bool is_filter_gradient = type == "Conv2DBackpropFilter";
  const bool is_input_gradient = type == "Conv2DBackpropInput";
  AtenCall call{.name = "aten::convolution", .inputs = inputs, .outputs = outputs};
  const bool has_gradient = (is_filter_gradient || is_input_gradient) && inputs.size() > 2;
  TensorDesc weight = is_filter_gradient && !outputs.empty() ? outputs[0]
                      : inputs.size() > 1                    ? inputs[1]
                                                             : TensorDesc{};
  std::reverse(weight.shape.begin(), weight.shape.end());
  call.inputs = {inputs.empty() ? TensorDesc{} : inputs[0], std::move(weight)};
  if (has_gradient) call.outputs = {inputs[2]};
  return call;
}

AtenCall call_of(std::string_view type, std::string_view work,
                 const std::vector<TensorDesc>& inputs, const std::vector<TensorDesc>& outputs) {
  if (work == "aten::convolution") return convolution_call(type, inputs, outputs);
  return {.name = work, .inputs = inputs, .outputs = outputs};
}

}  // namespace

OperatorKind operator_kind(std::string_view type) {
  const auto* const found = std::find_if(std::begin(kWithoutTask), std::end(kWithoutTask),
                                         [&](const auto& entry) { return entry.first == type; });
  return found == std::end(kWithoutTask) ? OperatorKind::kTask : found->second;
}

std::string npu_type(std::string_view type) {
  if (operator_kind(type) == OperatorKind::kData) return "Data";
  const Entry* const entry = find_entry(type);
  return std::string(entry != nullptr ? entry->npu_type : type);
}

std::optional<KernelDesc> kernel_of(const ChipSpec& chip, std::string_view name,
                                    std::string_view type, std::vector<TensorDesc> inputs,
                                    std::vector<TensorDesc> outputs) {
  const Entry* const entry = find_entry(type);
  const std::string_view work = entry != nullptr && !entry->work.empty() ? entry->work : type;
  for (TensorDesc& output : outputs) output.is_output = true;
  const auto op = aten_operator(chip, call_of(type, work, inputs, outputs));
  if (!op || op->kernels.empty()) return std::nullopt;
  KernelDesc kernel = op->kernels.front();
  kernel.name = name;
  kernel.type = npu_type(type);
  kernel.tensors = std::move(inputs);
  kernel.tensors.insert(kernel.tensors.end(), outputs.begin(), outputs.end());
  return kernel;
}

bool is_fused_into(std::string_view producer, std::string_view type) {
  const std::string made = npu_type(producer);
  if (made == "MatMulV2") return type == "BiasAdd";
  return made == "Conv2D" && (type == "BiasAdd" || type == "Relu");
}

}  // namespace npuprof::sim::tensorflow
