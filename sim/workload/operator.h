#pragma once

// Operators of a PyTorch program as three layers see them: the framework (aten names, shapes), the
// operator library (one aclnn call) and the device (kernels with their work). Programs are lists of
// these.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/chip.h"
#include "sim/model/kernel.h"

namespace npuprof::sim {

using Shape = std::vector<std::uint32_t>;

std::uint64_t element_count(const Shape& shape);
std::uint64_t byte_count(const TensorDesc& tensor);

struct Operator {
  std::vector<std::string> names;  // Outermost first: "aten::linear", "aten::matmul", "aten::mm".
  std::string call;                // "aclnnMm"
  std::string backward;            // Autograd node, "MmBackward0"; empty = not differentiated.
  std::vector<TensorDesc> inputs;
  // Lists of tensors before `inputs`: all parameters, and with two also their gradients. A number
  // comes last then.
  std::uint32_t parameter_lists = 0;
  std::vector<KernelDesc> kernels;
  std::uint64_t output_bytes = 0;     // Allocated for the result.
  std::uint64_t workspace_bytes = 0;  // Scratch memory of the call.
};

// The two matrix products of a backward pass need the same work as two forward ones, so workloads
// build them from the same functions. All shapes are of one device, after any sharding.
class OperatorCatalogue {
 public:
  explicit OperatorCatalogue(const ChipSpec& chip, ElementType type = ElementType::kBfloat16)
      : chip_(&chip), type_(type) {}

  ElementType type() const { return type_; }

  // [m, k] x [k, n]; a batch of them with `batch` > 1.
  Operator matmul(std::uint32_t m, std::uint32_t k, std::uint32_t n, std::uint32_t batch = 1) const;
  Operator linear(std::uint32_t m, std::uint32_t k, std::uint32_t n) const;
  Operator rms_norm(std::uint32_t rows, std::uint32_t width, bool backward = false) const;
  Operator add(const Shape& shape) const;
  Operator multiply(const Shape& shape) const;
  Operator clamp(const Shape& shape) const;
  Operator swiglu(std::uint32_t rows, std::uint32_t width, bool backward = false) const;
  Operator rotary(const Shape& shape, bool backward = false) const;
  Operator cast(const Shape& shape, ElementType to) const;
  Operator fill(const Shape& shape) const;
  Operator sum(const Shape& shape) const;
  Operator embedding(std::uint32_t vocabulary, std::uint32_t tokens, std::uint32_t width,
                     bool backward = false) const;
  Operator cross_entropy(std::uint32_t tokens, std::uint32_t vocabulary,
                         bool backward = false) const;
  Operator mse_loss(const Shape& shape, bool backward = false) const;
  Operator attention(std::uint32_t batch, std::uint32_t heads, std::uint32_t sequence,
                     std::uint32_t head_width, bool causal, bool backward = false) const;
  // One query token against `context` cached ones.
  Operator cached_attention(std::uint32_t batch, std::uint32_t heads, std::uint32_t context,
                            std::uint32_t head_width) const;
  // Mixture of experts: choose `top` of `experts` for each token; sort tokens by expert; products
  // of all experts on a device in one kernel.
  Operator gating(std::uint32_t tokens, std::uint32_t experts, std::uint32_t top) const;
  Operator permute_tokens(std::uint32_t tokens, std::uint32_t width, bool backward = false) const;
  Operator grouped_matmul(std::uint32_t tokens, std::uint32_t k, std::uint32_t n,
                          std::uint32_t experts) const;
  Operator random(const Shape& shape) const;  // Runs on the random number engine.
  Operator sgd(std::uint64_t parameters) const;
  Operator adamw(std::uint64_t parameters) const;
  Operator gradient_norm(std::uint64_t parameters) const;
  // Any operator that goes over its tensors once on vector cores: `operations` for each element of
  // the largest one. `tensors` are those of the kernel.
  Operator vector_operator(const std::string& call, const std::string& type,
                           std::vector<TensorDesc> tensors, double operations) const;

 private:
  struct Elementwise {
    const char* name;
    const char* call;
    const char* kernel;
    const char* type;
    double operations_per_element;
    int inputs;
    const char* backward;
  };

  TensorDesc input(Shape shape) const;
  TensorDesc output(Shape shape) const;
  std::uint64_t bytes(const Shape& shape) const;
  std::uint32_t vector_blocks(std::uint64_t elements) const;
  KernelDesc vector_kernel(const std::string& call, const std::string& kernel,
                           const std::string& type, std::uint64_t elements, double operations,
                           double bytes_read, double bytes_written) const;
  Operator elementwise(const Elementwise& what, const Shape& shape) const;
  Operator optimizer(const char* name, const char* call, const char* kernel,
                     std::uint64_t parameters, double operations, double bytes_read,
                     double bytes_written) const;
  // One whose framework operator takes lists of tensors.
  static Operator with_lists(Operator op, std::uint32_t lists);

  const ChipSpec* chip_;
  ElementType type_;
};

}  // namespace npuprof::sim
