#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace npuprof::analyze {

// Operators (of namespace `aten`) that a program may give the tensors for their results: when they
// are called with `inputs` arguments of which the last `outputs` are tensors, they write to these.
// Forms that look like one that writes nothing are left out.
struct OutputVariants {
  std::uint8_t inputs;
  std::uint8_t outputs;
  std::string_view names;  // Joined by blanks.
};

std::span<const OutputVariants> output_variants();

}  // namespace npuprof::analyze
