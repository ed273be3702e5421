#pragma once

// Which kernels an operator of MindSpore launches on an NPU.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/chip.h"
#include "sim/workload/operator.h"

namespace npuprof::sim {

// A call of a primitive, of which the inputs are known, or nothing at all.
struct PrimitiveCall {
  std::string_view name;             // "MatMul", "ReLU", "BiasAddGrad"
  std::vector<TensorDesc> inputs{};  // Tensors and scalars; empty if nobody tells.
};

// Operators that only look at tensors differently, or run on the host, launch nothing. The result's
// shape follows from the inputs: that of a product, a scalar for the whole of a reduction, else the
// largest of the inputs. Without inputs it is a kernel that takes no more than its overhead.
std::optional<Operator> mindspore_operator(const ChipSpec& chip, const PrimitiveCall& call);

}  // namespace npuprof::sim
