#pragma once

// Which kernels an operator of PyTorch launches on an NPU: one table for programs that run on the
// simulated device and for those that run on the host while the device is simulated beside them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/chip.h"
#include "sim/model/kernel.h"
#include "sim/workload/operator.h"

namespace npuprof::sim {

// A call that has come to its end.
struct AtenCall {
  std::string_view name;            // "aten::addmm"
  std::vector<TensorDesc> inputs;   // All tensors, those of lists too, in order.
  std::vector<TensorDesc> outputs;  // With is_output set.
  std::string attributes = {};      // Text of the other arguments; empty if nobody asks.
};

// Whether the operator launches kernels itself. Others only look at tensors differently, make them,
// or are made of operators that do.
bool is_in_aten_table(std::string_view name);

// Nothing if there is nothing to compute. An operator that is not in the table is taken for one
// that goes over its tensors once.
std::optional<Operator> aten_operator(const ChipSpec& chip, const AtenCall& call);

// "aten::add_" to "aclnnInplaceAdd".
std::string aten_call(std::string_view name);

// "aten::_softmax_backward_data" to "SoftmaxBackwardData".
std::string camel_case(std::string_view name);

}  // namespace npuprof::sim
