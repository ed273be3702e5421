#include "analyze/kernel_flops.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "analyze/tensor_shapes.h"
#include "base/saturated.h"
#include "trace/linked/kernels.h"

namespace npuprof::analyze {
namespace {

double as_real(std::int64_t value) { return static_cast<double>(value); }

std::string lower_case_type(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

struct KernelOperands {
  explicit KernelOperands(const KernelTexts& kernel)
      : inputs(parse_tensors(kernel.input_shapes, kernel.input_formats, kernel.input_dtypes)),
        outputs(parse_tensors(kernel.output_shapes, kernel.output_formats, kernel.output_dtypes)) {}

  // The n-th input that has at least so many dimensions; null if there is none.
  const Tensor* input(std::size_t place, std::size_t dimensions) const {
    for (const Tensor& tensor : inputs) {
      if (!tensor.is_readable || tensor.shape.size() < dimensions) continue;
      if (place-- == 0) return &tensor;
    }
    return nullptr;
  }
  const Tensor* output(std::size_t dimensions) const {
    for (const Tensor& tensor : outputs) {
      if (tensor.is_readable && tensor.shape.size() >= dimensions) return &tensor;
    }
    return nullptr;
  }

  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

// The inner dimension: that of the left side which is not a row of the output and which the right
// side has too. 0 if the shapes do not fit.
double inner_dimension(const Shape& left, const Shape& right, const Shape& out) {
  const std::int64_t rows = out[out.size() - 2];
  const std::int64_t columns = out.back();
  const std::int64_t outer = left[left.size() - 2];
  const std::int64_t inner = left.back();
  const auto fits = [&](std::int64_t inner_size, std::int64_t row_size) {
    const std::int64_t a = right[right.size() - 2];
    const std::int64_t b = right.back();
    const bool is_in_right = (a == inner_size && b == columns) || (b == inner_size && a == columns);
    return row_size == rows && is_in_right;
  };
  if (fits(inner, outer)) return as_real(inner);
  if (fits(outer, inner)) return as_real(outer);
  // A left side that is gathered from other devices has fewer rows than the output.
  const std::int64_t of_right = right.back() == columns              ? right[right.size() - 2]
                                : right[right.size() - 2] == columns ? right.back()
                                                                     : -1;
  if (of_right == inner || of_right == outer) return as_real(of_right);
  // Fractal formats fill up the last block, and packed weights have other sizes: the row count
  // decides.
  if (outer == rows) return as_real(inner);
  return inner == rows ? as_real(outer) : 0;
}

// Weights of several groups: [groups, k, n] or one tensor each; rows of the left side are split
// among them. The gradient of weights has [groups, k, n] as its output.
double grouped_matmul_flops(const Tensor& left, const Tensor& out) {
  const Shape a = left.plain_shape();
  const Shape c = out.plain_shape();
  if (c.size() == 3 && a.size() == 2) return 2 * left.elements() * as_real(c.back());
  return 2 * out.elements() * as_real(a.back());
}

double matmul_flops(const KernelTexts& kernel, const KernelOperands& operands) {
  const Tensor* left = operands.input(0, 2);
  const Tensor* right = operands.input(1, 2);
  const Tensor* out = operands.output(2);
  if (left == nullptr || right == nullptr || out == nullptr) return kUnknownWork;
  if (lower_case_type(kernel.op_type).find("grouped") != std::string::npos) {
    return grouped_matmul_flops(*left, *out);
  }
  const Shape a = left->plain_shape();
  const Shape b = right->plain_shape();
  const Shape c = out->plain_shape();
  double inner = inner_dimension(a, b, c);
  // [batch, rows, k] x [k, n] may have [batch * rows, n] for a result, or the other way round.
  if (inner == 0 && left->elements() > 0) {
    const double rows = out->elements() / std::max(1.0, as_real(c.back()));
    inner = rows > 0 ? left->elements() / rows : 0;
    if (inner != std::floor(inner)) return kUnknownWork;
  }
  return inner > 0 ? 2 * out->elements() * inner : kUnknownWork;
}

// Output channels of a feature map; 0 if the format is not known.
double channels_of(const Tensor& map) {
  const Shape& shape = map.shape;
  if (map.format == "NC1HWC0" && shape.size() == 5) return as_real(shape[1]) * as_real(shape[4]);
  if (map.format == "NDC1HWC0" && shape.size() == 6) return as_real(shape[2]) * as_real(shape[5]);
  if (map.format == "NHWC" || map.format == "NDHWC") return as_real(shape.back());
  if (map.format == "NCHW" || map.format == "NCDHW" || map.format == "ND") return as_real(shape[1]);
  return 0;
}

// Each value of the output (of the forward pass) takes a product with all weights of its channel.
double convolution_flops(const KernelTexts& kernel, const KernelOperands& operands) {
  const bool is_input_gradient = kernel.op_type.find("BackpropInput") != std::string_view::npos;
  const bool is_filter_gradient = kernel.op_type.find("BackpropFilter") != std::string_view::npos;
  const Tensor* first = operands.input(0, 4);
  const Tensor* second = operands.input(1, 4);
  const Tensor* out = operands.output(4);
  if (first == nullptr || second == nullptr || out == nullptr) return kUnknownWork;
  const Tensor* map = out;
  const Tensor* weights = second;
  if (is_input_gradient) {
    weights = first;
    map = second;
  } else if (is_filter_gradient) {
    weights = out;
    map = second;
  } else if (kernel.op_type.find("Transpose") != std::string_view::npos) {
    map = first;  // The gradient of a convolution's input, called by another name.
  }
  const double channels = channels_of(*map);
  return channels > 0 ? 2 * map->elements() * weights->elements() / channels : kUnknownWork;
}

double tensor_bytes(const std::vector<Tensor>& tensors) {
  double bytes = 0;
  for (const Tensor& tensor : tensors) {
    if (!tensor.is_readable) return kUnknownWork;
    bytes += tensor.elements() * bytes_of_type(tensor.dtype);
  }
  return bytes;
}

// Of the first input that is a matrix: before it there may be sizes.
NumberType multiplied_type(const KernelTexts& kernel) {
  const KernelOperands operands(kernel);
  if (const Tensor* matrix = operands.input(0, 2); matrix != nullptr) {
    return number_type(matrix->dtype);
  }
  return operands.inputs.empty() ? NumberType::kUnknown
                                 : number_type(operands.inputs.front().dtype);
}

}  // namespace

double bytes_of_type(std::string_view dtype) {
  static constexpr std::pair<std::string_view, double> kBytes[] = {
      {"FLOAT", 4},       {"FLOAT16", 2},       {"BF16", 2},          {"BFLOAT16", 2},
      {"INT8", 1},        {"UINT8", 1},         {"BOOL", 1},          {"INT16", 2},
      {"UINT16", 2},      {"INT32", 4},         {"UINT32", 4},        {"INT64", 8},
      {"UINT64", 8},      {"DOUBLE", 8},        {"INT4", 0.5},        {"COMPLEX64", 8},
      {"COMPLEX128", 16}, {"FLOAT8_E5M2", 1},   {"FLOAT8_E4M3FN", 1}, {"HIFLOAT8", 1},
      {"FLOAT8_E8M0", 1}, {"FLOAT4_E2M1", 0.5}, {"FLOAT4_E1M2", 0.5}};
  for (const auto& [name, bytes] : kBytes) {
    if (name == dtype) return bytes;
  }
  return kUnknownWork;
}

NumberType number_type(std::string_view dtype) {
  if (dtype.starts_with("DT_")) dtype.remove_prefix(3);
  if (dtype == "FLOAT16" || dtype == "BF16" || dtype == "BFLOAT16") return NumberType::kHalf;
  if (dtype == "FLOAT" || dtype == "FLOAT32") return NumberType::kSingle;
  if (dtype == "INT8" || dtype == "UINT8" || dtype == "HIFLOAT8" || dtype.starts_with("FLOAT8")) {
    return NumberType::kByte;
  }
  return dtype == "INT4" ? NumberType::kInt4 : NumberType::kUnknown;
}

std::string_view number_type_name(NumberType type) {
  switch (type) {
    case NumberType::kHalf:
      return "FP16";
    case NumberType::kSingle:
      return "FP32";
    case NumberType::kHf32:
      return "HF32";
    case NumberType::kByte:
      return "INT8";
    case NumberType::kInt4:
      return "INT4";
    case NumberType::kUnknown:
      break;
  }
  return "";
}

KernelFamily kernel_family(std::string_view op_type) {
  const std::string type = lower_case_type(op_type);
  const auto has = [&](std::string_view part) { return type.find(part) != std::string::npos; };
  if (has("flashattention") || has("attentionscore") || has("fusedinferattention")) {
    return KernelFamily::kAttention;
  }
  if (has("matmul")) return KernelFamily::kMatMul;
  return has("conv2d") || has("conv3d") ? KernelFamily::kConvolution : KernelFamily::kOther;
}

double kernel_flops(const KernelTexts& kernel) {
  switch (kernel_family(kernel.op_type)) {
    case KernelFamily::kMatMul:
      return matmul_flops(kernel, KernelOperands(kernel));
    case KernelFamily::kConvolution:
      return convolution_flops(kernel, KernelOperands(kernel));
    case KernelFamily::kAttention:
      return attention_flops(kernel, {});
    case KernelFamily::kOther:
      break;
  }
  return kUnknownWork;
}

double kernel_bytes(const KernelTexts& kernel) {
  const KernelOperands operands(kernel);
  if (operands.inputs.empty() && operands.outputs.empty()) return kUnknownWork;
  return tensor_bytes(operands.inputs) + tensor_bytes(operands.outputs);
}

double peer_matmul_flops(const KernelTexts& kernel) {
  if (kernel.op_type != "MatMulV2" && kernel.op_type != "MatMulV3") return kUnknownWork;
  const KernelOperands operands(kernel);
  if (!have_one_type(operands.inputs, 2) || operands.outputs.empty()) return kUnknownWork;
  Shape left = operands.inputs.front().shape;
  Shape out = operands.outputs.front().shape;
  if (left.size() == 4 && out.size() == 4) {
    out = {saturated_product(out[1], out[2]), saturated_product(out[0], out[3])};
    left = {saturated_product(left[1], left[2]), saturated_product(left[0], left[3])};
  }
  if (left.size() != 2 || out.size() != 2) return kUnknownWork;
  if (left[0] != out[0] && left[1] != out[0]) return kUnknownWork;
  const std::int64_t inner = left[0] == out[0] ? left[1] : left[0];
  return 2 * as_real(out[0]) * as_real(out[1]) * as_real(inner);
}

KernelTexts texts_of(const trace::Trace& trace, std::uint32_t kernel) {
  const auto& kernels = trace.kernels();
  const std::size_t row = kernel;
  const auto text = [&](StringId id) { return trace.strings.view(id); };
  return {text(kernels.op_type[row]),       text(kernels.input_shapes[row]),
          text(kernels.input_dtypes[row]),  text(kernels.input_formats[row]),
          text(kernels.output_shapes[row]), text(kernels.output_dtypes[row]),
          text(kernels.output_formats[row])};
}

std::size_t KernelCosts::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = key.hf32;
  for (const StringId text : key.texts) {
    hash = (hash ^ to_index(text)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  return hash;
}

const KernelCost& KernelCosts::of(std::uint32_t kernel) {
  const auto& kernels = trace_->kernels();
  const std::size_t row = kernel;
  const Key key{{kernels.op_type[row], kernels.input_shapes[row], kernels.input_dtypes[row],
                 kernels.input_formats[row], kernels.output_shapes[row], kernels.output_dtypes[row],
                 kernels.output_formats[row]},
                kernels.hf32[row]};
  const auto [place, is_new] = costs_.try_emplace(key);
  if (!is_new) return place->second;
  const KernelTexts texts = texts_of(*trace_, kernel);
  KernelCost& cost = place->second;
  cost.flops = kernel_flops(texts);
  cost.bytes = kernel_bytes(texts);
  cost.family = kernel_family(texts.op_type);
  cost.type = multiplied_type(texts);
  if (cost.type == NumberType::kSingle && kernels.hf32[row] == 1) cost.type = NumberType::kHf32;
  return cost;
}

}  // namespace npuprof::analyze
