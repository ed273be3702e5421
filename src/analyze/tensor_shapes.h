#pragma once

// Shapes as results print them: "4096,5120;5120,1920", a tensor after the other.

#include <cstdint>
#include <string_view>
#include <vector>

namespace npuprof::analyze {

using Shape = std::vector<std::int64_t>;

struct Tensor {
  Shape shape;               // Empty = a scalar or nothing.
  std::string_view format;   // "ND", "FRACTAL_NZ", "NC1HWC0"; a prefix FORMAT_ is left out.
  std::string_view dtype;    // Without the prefix DT_.
  bool is_readable = false;  // All dimensions are numbers, none is negative.

  // As a number of 53 bits: products of damaged dimensions may be greater than any integer.
  double elements() const;
  // Rows and columns as if it were not in fractal format, batches before them.
  Shape plain_shape() const;
};

std::vector<Tensor> parse_tensors(std::string_view shapes, std::string_view formats,
                                  std::string_view dtypes);

// Whether there are as many and their types are the same.
bool have_one_type(const std::vector<Tensor>& tensors, std::size_t count);

// Quotes around a text are passed over.
std::string_view without_quotes(std::string_view text);

}  // namespace npuprof::analyze
