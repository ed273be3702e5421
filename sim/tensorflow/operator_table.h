#pragma once

// Which operator of the NPU an operator of TensorFlow becomes when the graph engine compiles it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/chip.h"
#include "sim/model/kernel.h"

namespace npuprof::sim::tensorflow {

enum class OperatorKind : std::uint8_t {
  kTask,      // Runs on the device.
  kData,      // Hands in data of the program: no task.
  kConstant,  // Constants and variables: neither a task nor something to wait for.
  kPassed,    // The compiler removes it: its first input takes its place.
  kGroup,     // Removed too; what comes after it waits for all of its inputs.
};

OperatorKind operator_kind(std::string_view type);

// "MatMul" to "MatMulV2"; a type that is not known keeps its name.
std::string npu_type(std::string_view type);

// The work of an operator with a task. One that is not known goes over its tensors once. Nothing if
// it has no elements to work on.
std::optional<KernelDesc> kernel_of(const ChipSpec& chip, std::string_view name,
                                    std::string_view type, std::vector<TensorDesc> inputs,
                                    std::vector<TensorDesc> outputs);

// Whether the compiler takes `type` into the operator of `producer` that it follows.
bool is_fused_into(std::string_view producer, std::string_view type);

}  // namespace npuprof::sim::tensorflow
