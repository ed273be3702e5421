#include "record/op_flops.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <unordered_map>

#include "record/op_inputs.h"

namespace npuprof::record {
namespace {

using Inputs = std::span<const RecordedInput>;
using Numbers = std::span<const std::int64_t>;
using Formula = std::uint64_t (*)(Inputs);

// Stays at the largest number rather than start again at 0.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::uint64_t>::max() : result;
}

std::uint64_t size_of(std::int64_t dimension) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(dimension, 0));
}

std::uint64_t product(Numbers sizes) {
  std::uint64_t result = 1;
  for (const std::int64_t size : sizes) result = times(result, size_of(size));
  return result;
}

bool is_tensor(Inputs inputs, std::size_t place) {
  return place < inputs.size() && inputs[place].head.kind == format::framework::InputKind::kTensor;
}

// Sizes of the tensor at this place; nothing if it is none or has another number of dimensions.
Numbers tensor(Inputs inputs, std::size_t place, std::size_t dimensions) {
  if (!is_tensor(inputs, place) || inputs[place].sizes.size() != dimensions) return {};
  return inputs[place].sizes;
}

// Matrices [.., m, k] at one place times [.., k, n] at the next.
template <std::size_t place, std::size_t dimensions>
std::uint64_t matrix_product(Inputs inputs) {
  const Numbers left = tensor(inputs, place, dimensions);
  const Numbers right = tensor(inputs, place + 1, dimensions);
  if (left.empty() || right.empty()) return 0;
  return times(2, times(product(left), size_of(right.back())));
}

template <std::size_t place>
std::uint64_t matrix_times_vector(Inputs inputs) {
  const Numbers matrix = tensor(inputs, place, 2);
  return matrix.empty() ? 0 : times(2, product(matrix));
}

std::uint64_t dot_product(Inputs inputs) {
  const Numbers vector = tensor(inputs, 0, 1);
  return vector.empty() ? 0 : times(2, product(vector));
}

// One operation for each element of the result, whose shape is that of both inputs together.
std::uint64_t by_element(Inputs inputs) {
  if (!is_tensor(inputs, 0)) return 0;
  const Numbers one = inputs[0].sizes;
  const Numbers two = is_tensor(inputs, 1) ? Numbers(inputs[1].sizes) : Numbers();
  std::uint64_t result = 1;
  for (std::size_t i = 0; i < std::max(one.size(), two.size()); ++i) {
    const std::int64_t a = i < one.size() ? one[one.size() - 1 - i] : 1;
    const std::int64_t b = i < two.size() ? two[two.size() - 1 - i] : 1;
    result = times(result, size_of(a == 1 ? b : a));
  }
  return result;
}

// A value of a list that has one for each dimension, or one for all.
std::int64_t dimension_value(Inputs inputs, std::size_t place, std::size_t dimension) {
  const auto& values = inputs[place].sizes;
  return values.size() == 1 ? values[0] : values[dimension];
}

bool has_values(Inputs inputs, std::size_t place, std::size_t dimensions) {
  if (place >= inputs.size() || is_tensor(inputs, place)) return false;
  const std::size_t count = inputs[place].sizes.size();
  return count == 1 || count == dimensions;
}

// What filters [out, in / groups, ...] cost at one place of the result.
std::uint64_t filter_cost(Numbers weight) { return times(2, product(weight)); }

// The batch; images may come without one.
std::uint64_t batch_of(Numbers image, Numbers weight) {
  return image.size() == weight.size() ? size_of(image[0]) : 1;
}

bool is_image(Numbers image, Numbers weight) {
  return weight.size() > 2 && (image.size() == weight.size() || image.size() + 1 == weight.size());
}

// input, weight, bias, stride, padding, dilation, groups
std::uint64_t convolution(Inputs inputs) {
  if (!is_tensor(inputs, 0) || !is_tensor(inputs, 1)) return 0;
  const Numbers image = inputs[0].sizes;
  const Numbers weight = inputs[1].sizes;
  if (!is_image(image, weight)) return 0;
  const std::size_t dimensions = weight.size() - 2;
  for (const std::size_t place : {3, 4, 5}) {
    if (!has_values(inputs, place, dimensions)) return 0;
  }
  std::uint64_t places = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::int64_t stride = dimension_value(inputs, 3, i);
    if (stride <= 0) return 0;
    const std::int64_t room = image[image.size() - dimensions + i] +
                              2 * dimension_value(inputs, 4, i) -
                              dimension_value(inputs, 5, i) * (weight[2 + i] - 1) - 1;
    if (room < 0) return 0;
    places = times(places, size_of(room / stride + 1));
  }
  return times(times(batch_of(image, weight), places), filter_cost(weight));
}

// input, weight [in, out / groups, ...]: each element of the input meets all its filters.
std::uint64_t transposed_convolution(Inputs inputs) {
  if (!is_tensor(inputs, 0) || !is_tensor(inputs, 1)) return 0;
  const Numbers weight = inputs[1].sizes;
  if (!is_image(inputs[0].sizes, weight)) return 0;
  return times(product(inputs[0].sizes), filter_cost(weight.subspan(1)));
}

// gradient of the output, input, weight, bias sizes, stride, padding, dilation, transposed,
// output padding, groups, which gradients are wanted: input, weight, bias. Each of the first two
// costs as much as the way forward.
std::uint64_t convolution_backward(Inputs inputs) {
  constexpr std::size_t kTransposed = 7;
  constexpr std::size_t kWanted = 10;
  if (!is_tensor(inputs, 0) || !is_tensor(inputs, 1) || !is_tensor(inputs, 2)) return 0;
  if (inputs.size() <= kWanted || inputs[kWanted].sizes.size() != 3 ||
      inputs[kTransposed].sizes.size() != 1) {
    return 0;
  }
  const auto wanted = size_of(inputs[kWanted].sizes[0]) + size_of(inputs[kWanted].sizes[1]);
  if (inputs[kTransposed].sizes[0] != 0) {
    return times(wanted, transposed_convolution(inputs.subspan(1)));
  }
  const Numbers gradient = inputs[0].sizes;
  const Numbers weight = inputs[2].sizes;
  if (!is_image(gradient, weight)) return 0;
  const std::uint64_t places =
      times(batch_of(gradient, weight), product(gradient.last(weight.size() - 2)));
  return times(wanted, times(places, filter_cost(weight)));
}

// Operators that are calls of others in this list are not here: their parts are.
const std::unordered_map<std::string_view, Formula>& formulas() {
  static const auto& known = *new std::unordered_map<std::string_view, Formula>{
      {"aten::mm", &matrix_product<0, 2>},
      {"aten::addmm", &matrix_product<1, 2>},
      {"aten::bmm", &matrix_product<0, 3>},
      {"aten::baddbmm", &matrix_product<1, 3>},
      {"aten::mv", &matrix_times_vector<0>},
      {"aten::addmv", &matrix_times_vector<1>},
      {"aten::dot", &dot_product},
      {"aten::add", &by_element},
      {"aten::add_", &by_element},
      {"aten::sub", &by_element},
      {"aten::sub_", &by_element},
      {"aten::mul", &by_element},
      {"aten::mul_", &by_element},
      {"aten::div", &by_element},
      {"aten::div_", &by_element},
      {"aten::conv1d", &convolution},
      {"aten::conv2d", &convolution},
      {"aten::conv3d", &convolution},
      {"aten::conv_transpose1d", &transposed_convolution},
      {"aten::conv_transpose2d", &transposed_convolution},
      {"aten::conv_transpose3d", &transposed_convolution},
      {"aten::convolution_backward", &convolution_backward},
  };
  return known;
}

}  // namespace

std::uint64_t operator_flops(std::string_view name, std::string_view inputs) {
  InputReader reader(inputs);
  if (!reader.with_values()) return 0;
  const auto formula = formulas().find(name);
  if (formula == formulas().end()) return 0;
  std::array<RecordedInput, 11> read;  // The most that a formula looks at.
  std::size_t count = 0;
  while (!reader.at_end() && count < read.size()) {
    RecordedInput& input = read[count++];
    if (!reader.next(input)) return 0;
    // None of these has lists of tensors, which would have to be skipped.
    if (input.head.kind == format::framework::InputKind::kTensorList) return 0;
  }
  return formula->second(Inputs(read).first(count));
}

}  // namespace npuprof::record
