#pragma once

#include <ATen/core/ivalue.h>

#include "record/op_inputs.h"

namespace npuprof::torch_hooks {

// Describes the inputs of an operator: data types and shapes, with details the tensors themselves.
void put_inputs(c10::ArrayRef<const c10::IValue> values, record::OpInputs& inputs);

}  // namespace npuprof::torch_hooks
