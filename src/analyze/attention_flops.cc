// Operations of fused attention: two products of matrices for each head. Softmax, masks and dropout
// are not counted.

#include <algorithm>
#include <optional>

#include "analyze/kernel_flops.h"
#include "analyze/tensor_shapes.h"

namespace npuprof::analyze {
namespace {

// The backward pass has five products where the forward pass has two.
constexpr double kGradientFactor = 2.5;
// A causal mask is given as a small triangle that stands for all of it.
constexpr std::int64_t kCompressedMask = 2048;
// Last dimension of the maxima and sums of softmax, [B, N, S, 8] or [T, N, 8].
constexpr std::int64_t kStatisticSize = 8;
// A hidden size is greater, the size of one head is not.
constexpr std::int64_t kLargestHead = 256;

struct AttentionSizes {
  double batch = 1;
  double heads = 1;
  double query_length = 0;
  double key_length = 0;
  double query_size = 0;  // Of a head.
  double value_size = 0;
};

double size_at(const Tensor& tensor, std::size_t place) {
  return place < tensor.shape.size() ? static_cast<double>(tensor.shape[place]) : 0;
}

struct Attention {
  explicit Attention(const KernelTexts& kernel)
      : inputs(parse_tensors(kernel.input_shapes, kernel.input_formats, kernel.input_dtypes)),
        outputs(parse_tensors(kernel.output_shapes, kernel.output_formats, kernel.output_dtypes)) {}

  bool is_readable() const {
    return inputs.size() >= 3 &&
           std::all_of(inputs.begin(), inputs.begin() + 3, [](const Tensor& tensor) {
             return tensor.is_readable && tensor.shape.size() >= 3;
           });
  }

  // Maxima of softmax, which say how many heads there are; of the gradient they are an input.
  const Tensor* statistic() const {
    for (const auto* tensors : {&outputs, &inputs}) {
      for (std::size_t i = tensors == &inputs ? 3 : 0; i < tensors->size(); ++i) {
        const Shape& shape = (*tensors)[i].shape;
        if (shape.size() >= 3 && shape.back() == kStatisticSize) return &(*tensors)[i];
      }
    }
    return nullptr;
  }

  bool has_compressed_mask() const {
    return std::any_of(inputs.begin() + 3, inputs.end(), [](const Tensor& tensor) {
      const Shape& shape = tensor.shape;
      return shape.size() >= 2 && shape.back() == kCompressedMask &&
             shape[shape.size() - 2] == kCompressedMask;
    });
  }

  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

std::string_view guessed_layout(const Attention& attention) {
  const Shape& query = attention.inputs[0].shape;
  const Shape& key = attention.inputs[1].shape;
  const Tensor* statistic = attention.statistic();
  if (query.size() == 4) {
    if (statistic != nullptr && statistic->shape.size() == 4) {
      return statistic->shape[1] == query[1] && statistic->shape[2] == query[2] ? "BNSD" : "BSND";
    }
    return query[1] <= query[2] ? "BNSD" : "BSND";
  }
  if (statistic != nullptr) {
    if (statistic->shape.size() == 3) return "TND";
    return statistic->shape[0] == query[0] ? "BSH" : "SBH";
  }
  if (query[2] <= kLargestHead) return "TND";
  if (key[0] != query[0]) return "SBH";
  return key[1] != query[1] || query[0] <= query[1] ? "BSH" : "SBH";
}

std::optional<AttentionSizes> sizes_of(const Attention& attention, std::string_view layout) {
  const Tensor& query = attention.inputs[0];
  const Tensor& key = attention.inputs[1];
  const Tensor& value = attention.inputs[2];
  const std::size_t rank = layout.size();
  if (query.shape.size() != rank || key.shape.size() != rank) return std::nullopt;
  AttentionSizes sizes;
  if (layout == "BNSD" || layout == "BSND") {
    const std::size_t length = layout == "BNSD" ? 2 : 1;
    sizes = {size_at(query, 0),    size_at(query, 3 - length), size_at(query, length),
             size_at(key, length), size_at(query, 3),          size_at(value, 3)};
  } else if (layout == "BSH" || layout == "SBH") {
    const std::size_t length = layout == "BSH" ? 1 : 0;
    // All heads side by side. Keys may have fewer heads than queries, values have their size.
    sizes = {size_at(query, 1 - length), 1,
             size_at(query, length),     size_at(key, length),
             size_at(query, 2),          size_at(query, 2)};
  } else if (layout == "TND") {
    return AttentionSizes{1, size_at(query, 1), 0, 0, size_at(query, 2), size_at(value, 2)};
  } else {
    return std::nullopt;
  }
  // Keys in a cache of pages do not say how many of them are used.
  const std::size_t batch = layout == "SBH" ? 1 : 0;
  if (size_at(key, batch) != sizes.batch) return std::nullopt;
  return sizes;
}

// How many products of a query with a key are made.
double scores(int sparse_mode, double query_length, double key_length) {
  const double all = query_length * key_length;
  switch (sparse_mode) {
    case 0:
    case 1:
      return all;
    case 2:
      return query_length >= key_length ? all - key_length * key_length / 2
                                        : query_length * query_length / 2;
    case 3:
      return query_length >= key_length ? key_length * key_length / 2
                                        : all - query_length * query_length / 2;
    default:
      return kUnknownWork;
  }
}

// Lengths from where sequences end; zeros at the end fill up.
std::vector<double> lengths_of(std::vector<std::int64_t> ends) {
  while (!ends.empty() && ends.back() == 0) ends.pop_back();
  std::vector<double> lengths;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    lengths.push_back(static_cast<double>(end) - static_cast<double>(begin));
    begin = end;
  }
  return lengths;
}

double packed_scores(const AttentionArguments& arguments, int sparse_mode) {
  const std::vector<double> queries = lengths_of(arguments.query_ends);
  const std::vector<double> keys = lengths_of(arguments.key_ends);
  if (queries.empty() || queries.size() != keys.size()) return kUnknownWork;
  double sum = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) sum += scores(sparse_mode, queries[i], keys[i]);
  return sum;
}

// As other tools have it, with what they compare.
double peer_factor(int sparse_mode, double sq, double sk, double dq, double dk) {
  if (sparse_mode == 0) return 1;
  if ((sparse_mode == 2 || sparse_mode == 3) && sq == sk) return 0.5;
  if (sparse_mode == 2 && sq > sk) return (sq * sk - sk * sk / 2) / (sk * sk);
  if (sparse_mode == 3 && dq > dk) return (sk * sk / 2) / (sq * sk);
  if (sparse_mode == 2 && dq < dk) return (sq * sq / 2) / (sq * sk);
  if (sparse_mode == 3 && dq < dk) return (sq * sk - sq * sq / 2) / (sq * sk);
  return kUnknownWork;
}

}  // namespace

double attention_flops(const KernelTexts& kernel, const AttentionArguments& arguments) {
  const Attention attention(kernel);
  if (!attention.is_readable()) return kUnknownWork;
  const std::string_view layout =
      arguments.layout.empty() ? guessed_layout(attention) : std::string_view(arguments.layout);
  const auto sizes = sizes_of(attention, layout);
  if (!sizes) return kUnknownWork;
  int sparse_mode = arguments.sparse_mode;
  if (!arguments.is_told && attention.has_compressed_mask()) sparse_mode = 3;
  const double products = layout == "TND"
                              ? packed_scores(arguments, sparse_mode)
                              : scores(sparse_mode, sizes->query_length, sizes->key_length);
  const bool is_gradient = kernel.op_type.find("Grad") != std::string_view::npos;
  return 2 * sizes->batch * sizes->heads * products * (sizes->query_size + sizes->value_size) *
         (is_gradient ? kGradientFactor : 1);
}

double peer_attention_flops(const KernelTexts& kernel, const AttentionArguments& arguments) {
  if (kernel.op_type != "FlashAttentionScore" || !arguments.is_told) return kUnknownWork;
  const Attention attention(kernel);
  if (!attention.is_readable() || !have_one_type(attention.inputs, 3)) return kUnknownWork;
  auto sizes = sizes_of(attention, arguments.layout);
  if (!sizes) return kUnknownWork;
  // The size of keys, where that of values is meant.
  sizes->value_size = size_at(attention.inputs[1], attention.inputs[1].shape.size() - 1);
  const double sizes_sum = sizes->query_size + sizes->value_size;
  if (arguments.layout == "TND") {
    return 2 * sizes->heads * sizes_sum * packed_scores(arguments, 0);
  }
  return 2 * sizes->batch * sizes->heads * sizes->query_length * sizes->key_length * sizes_sum *
         peer_factor(arguments.sparse_mode, sizes->query_length, sizes->key_length,
                     sizes->query_size, sizes->value_size);
}

}  // namespace npuprof::analyze
