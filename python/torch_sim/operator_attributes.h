#pragma once

#include <span>
#include <string>

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

namespace npuprof::torch_sim {

// Arguments that are no tensors, as a kernel's attributes: "dim:[1];keepdim:false". Empty if the
// recording does not ask for them.
std::string attributes_of(const c10::FunctionSchema& schema,
                          std::span<const c10::IValue> arguments);
std::string attributes_of(const at::RecordFunction& function);
// Of the operator of this name without overload, "aten::mm".
std::string attributes_of(const char* name, std::span<const c10::IValue> arguments);

// Whether the recording asks for them.
bool attributes_are_wanted();
void want_attributes(bool wanted);

}  // namespace npuprof::torch_sim
