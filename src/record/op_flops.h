#pragma once

#include <cstdint>
#include <string_view>

namespace npuprof::record {

// Floating-point operations of an operator of PyTorch, by its inputs as OpInputs puts them, which
// must be told with values. A multiplication and an addition are two operations. 0 for operators
// that are not counted, among them those that do nothing but call others.
std::uint64_t operator_flops(std::string_view name, std::string_view inputs);

}  // namespace npuprof::record
