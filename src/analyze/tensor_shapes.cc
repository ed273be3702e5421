#include "analyze/tensor_shapes.h"

#include <algorithm>

#include "base/saturated.h"
#include "base/text.h"

namespace npuprof::analyze {
namespace {

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// `NC1HWC0:1` is NC1HWC0 with something about its first dimension.
std::string_view plain_format(std::string_view format) {
  format = without_prefix(trim(format), "FORMAT_");
  return format.substr(0, format.find(':'));
}

bool parse_shape(std::string_view text, Shape& shape) {
  if (text.empty()) return true;
  for (const std::string_view part : split(text, ',')) {
    const auto size = parse_number<std::int64_t>(trim(part));
    if (!size || *size < 0) return false;
    shape.push_back(*size);
  }
  return true;
}

}  // namespace

double Tensor::elements() const {
  double product = 1;
  for (const std::int64_t size : shape) product *= static_cast<double>(size);
  return product;
}

Shape Tensor::plain_shape() const {
  if (format != "FRACTAL_NZ" || shape.size() < 4) return shape;
  // [batch..., columns / c0, rows / r0, r0, c0]
  const std::size_t last = shape.size() - 1;
  Shape plain(shape.begin(), shape.end() - 4);
  plain.push_back(saturated_product(shape[last - 2], shape[last - 1]));
  plain.push_back(saturated_product(shape[last - 3], shape[last]));
  return plain;
}

bool have_one_type(const std::vector<Tensor>& tensors, std::size_t count) {
  if (tensors.size() < count) return false;
  return std::all_of(tensors.begin(), tensors.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](const Tensor& tensor) { return tensor.dtype == tensors.front().dtype; });
}

std::string_view without_quotes(std::string_view text) {
  text = trim(text);
  while (text.starts_with('"')) text.remove_prefix(1);
  while (text.ends_with('"')) text.remove_suffix(1);
  return text;
}

std::vector<Tensor> parse_tensors(std::string_view shapes, std::string_view formats,
                                  std::string_view dtypes) {
  std::vector<Tensor> tensors;
  shapes = without_quotes(shapes);
  if (shapes.empty()) return tensors;
  const std::vector<std::string_view> of_shapes = split(shapes, ';');
  const std::vector<std::string_view> of_formats = split(without_quotes(formats), ';');
  const std::vector<std::string_view> of_dtypes = split(without_quotes(dtypes), ';');
  tensors.resize(of_shapes.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].is_readable = parse_shape(trim(of_shapes[i]), tensors[i].shape);
    if (i < of_formats.size()) tensors[i].format = plain_format(of_formats[i]);
    if (i < of_dtypes.size()) tensors[i].dtype = without_prefix(trim(of_dtypes[i]), "DT_");
  }
  return tensors;
}

}  // namespace npuprof::analyze
