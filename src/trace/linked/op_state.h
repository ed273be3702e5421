#pragma once

#include <cstdint>

namespace npuprof::trace {

enum class OpState : std::uint8_t { kStatic, kDynamic, kUnknown };

}  // namespace npuprof::trace
